import Grove
import GroveCache
import GroveMemory
import TestSupport
import Testing

/// Lists on screen in another order, filtered and in sections.
@MainActor
@Suite("Arranged rows")
struct ArrangedTests {
    let scene: Scene<MemoryStore>
    let list: CollectionDataProvider<Person>

    init() throws {
        scene = Scene(try MemoryCache())
        list = CollectionDataProvider(dataModelManager: scene.manager)
    }

    @Test("Order, filter and sections follow the list, and rows of one value keep its order")
    func rules() async throws {
        let arranged = list.filtered(\.isOnline).sorted(by: \.name).sections(by: { String($0.name.prefix(1)) }, >)
        let all = list.filtered { _ in true }
        #expect(arranged.rows.isEmpty && arranged.sections.isEmpty)
        list.setData(
            ["ba", "aa", "", "bb", "ab", "ba"].enumerated()
                .map { Person(id: "\($0.offset)", name: $0.element, isOnline: !$0.element.isEmpty) },
            cacheKey: "people")
        #expect(arranged.sections.map(\.id) == ["b", "a"])
        #expect(arranged.sections.map { $0.rows.map(\.model.id) } == [["0", "5", "3"], ["1", "4"]])
        #expect(arranged.rows.map(\.id) == [0, 5, 3, 1, 4].map { list.rows[$0].id })
        #expect(all.rows.map(\.model) == list.data && all.sections.isEmpty)
        // The last order counts first, and the order before it among rows that are equal in that.
        let twice = arranged.sorted(by: \.name, >).sorted(by: \.isOnline.number)
        #expect(twice.sections.map { $0.rows.map(\.model.id) } == [["3", "0", "5"], ["4", "1"]])
        scene.other.updateModel(Person(id: "4", name: "c", isOnline: true))
        list.remove(at: 1)
        try await scene.settle()
        #expect(arranged.sections.map(\.id) == ["c", "b"])
        // Handles of one list are not those of another.
        list.setData([Person(id: "x", name: "z", isOnline: true)], cacheKey: "others")
        #expect(arranged.rows.map(\.model.id) == ["x"] && all.rows.count == 1)
        list.setData([], cacheKey: nil)
        #expect(arranged.sections.isEmpty && all.rows.isEmpty)
    }

    @Test("Of 10,000 rows, an edit of one compares some, and tells a view of the rows only if the row moves")
    func cost() async throws {
        var compared = 0
        let arranged = list.sorted(by: { $0.name }) {
            compared += 1
            return $0 < $1
        }
        func name(_ number: Int) -> String { "\(1_000_000 + number * 10)" }
        list.setData((0..<10_000).map { Person(id: "\($0)", name: name(($0 * 7) % 10_000)) }, cacheKey: "people")
        let table = Count()
        _ = watch(table) { arranged.rows }
        let row = arranged.rows[500]
        let element = Count()
        let person = watch(element) { row.model }
        compared = 0
        scene.other.updateModel(Person(id: person.id, name: name(500) + "5"))
        try await scene.settle()
        #expect(row.model.name == name(500) + "5")
        #expect((1..<50).contains(compared) && table.value == 0 && element.value == 1)
        compared = 0
        scene.other.updateModel(Person(id: person.id, name: name(9_000) + "5"))
        try await scene.settle()
        #expect((1..<100).contains(compared) && table.value == 1)
        #expect(arranged.rows[9_000].id == row.id && arranged.rows[9_000].model.id == person.id)
        compared = 0
        list.insert([Person(id: "new", name: name(3) + "5")], at: 5_000)
        #expect((1..<50).contains(compared) && arranged.rows[4].model.id == "new")
    }

    @Test("Random edits by this list, its siblings and others", arguments: 1...6)
    func programme(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let sibling = CollectionDataProvider<Person>(dataModelManager: scene.manager)
        let window = WindowDataProvider<Person>(dataModelManager: scene.other, limit: 30)
        let section: (Person) -> String = { String($0.name.prefix(1)) }
        func person(_ id: String) -> Person {
            Person(id: id, name: "\(Int.random(in: 10..<60, using: &random))", isOnline: .random(using: &random))
        }
        list.setData((0..<[6, 40, 30, 8, 20, 600][seed - 1]).map { person("\($0)") }, cacheKey: "people")
        sibling.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        try await scene.settle()
        window.open("people", at: .position(20), count: 20)
        try await scene.settle()
        let lists = [
            list.filtered(\.isOnline), list.sorted(by: \.name, >), list.filtered(\.isOnline).sorted(by: \.name),
        ]
        let (ofSibling, ofWindow) = (sibling.sorted(by: \.name), window.sorted(by: \.name))
        let parts = list.sorted(by: \.isOnline.number).sections(by: section)
        let partsOfWindow = window.filtered(\.isOnline).sections(by: section, >)
        let told = Count()
        var last = watch(told) { lists[2].rows.map(\.id) }
        for step in 0..<(seed == 6 ? 20 : 40) {
            let index = Int.random(in: 0..<max(list.count, 1), using: &random)
            let other = Int.random(in: 0...max(list.count, 1), using: &random)
            let id = list.isEmpty ? "none" : list[index].id
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: list.insert([person("new\(step)"), person("newer\(step)")], at: min(other, list.count))
            case 2 where !list.isEmpty: list.remove(at: index)
            case 3 where !list.isEmpty: sibling.move(.init("Person:\(id)"), to: .first)
            case 4, 5, 6: scene.other.updateModel(person(id))
            case 7: scene.other.deleteModel(person(id))
            case 8: list.setData((list.data + [person("set\(step)")]).shuffled(using: &random), cacheKey: "people")
            case 9: sibling.isPaused.toggle()
            case 10: try scene.insert([person("other\(step)")], at: min(other, list.count))
            default: window.jump(to: .position(other), count: 20)
            }
            if step % 2 == 0 { try await scene.settle() }
            let (data, rows) = (list.data, window.rows.map(\.model))
            #expect(lists[0].rows.map(\.model) == data.filter(\.isOnline), "\(seed), \(step)")
            #expect(lists[1].rows.map(\.model) == data.stable { $0.name > $1.name }, "\(seed), \(step)")
            #expect(lists[2].rows.map(\.model) == data.filter(\.isOnline).stable { $0.name < $1.name })
            #expect(ofSibling.rows.map(\.model) == sibling.data.stable { $0.name < $1.name }, "\(seed), \(step)")
            #expect(ofWindow.rows.map(\.model) == rows.stable { $0.name < $1.name }, "\(seed), \(step)")
            let ordered = data.stable { !$0.isOnline && $1.isOnline }.stable { section($0) < section($1) }
            #expect(parts.rows.map(\.model) == ordered, "\(seed), \(step)")
            let shown = parts.sections.flatMap { part in part.rows.map { (part.id, $0.model) } }
            #expect(shown.map(\.1) == ordered && shown.map(\.0) == ordered.map(section), "\(seed), \(step)")
            #expect(Set(parts.sections.map(\.id)).count == parts.sections.count)
            let some = rows.filter(\.isOnline).stable { section($0) > section($1) }
            #expect(partsOfWindow.rows.map(\.model) == some, "\(seed), \(step)")
            let ids = lists[2].rows.map(\.id)
            #expect(ids == last || told.value > 0, "A view was not told: \(seed), \(step)")
            if ids != last { last = watch(told) { lists[2].rows.map(\.id) } }
        }
    }

    @Test("It is let go of with its screen, and holds the list")
    func life() {
        weak var held: CollectionDataProvider<Person>?
        weak var arranged: ArrangedRows<CollectionRow<Person>, Never>?
        do {
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            list.setData([Person(id: "1")], cacheKey: nil)
            held = list
            do {
                let shown = list.sorted(by: \.name)
                #expect(shown.rows.count == 1)
                arranged = shown
            }
            #expect(arranged == nil)
            list.append([Person(id: "2")])
            #expect(list.sorted(by: \.id, >).rows.map(\.model.id) == ["2", "1"])
        }
        #expect(held == nil)
    }
}

extension Bool {
    fileprivate var number: Int { self ? 1 : 0 }
}

extension CollectionDataProvider {
    fileprivate var isEmpty: Bool { count == 0 }
}

extension [Person] {
    /// These in order; equal ones as they were.
    fileprivate func stable(by isBefore: (Person, Person) -> Bool) -> [Person] {
        enumerated().sorted {
            if isBefore($0.element, $1.element) { return true }
            return !isBefore($1.element, $0.element) && $0.offset < $1.offset
        }.map(\.element)
    }
}
