import Grove
import GroveMemory
import Observation
import Testing

/// What a view of a list is told, as `withObservationTracking` counts it.
@MainActor
@Suite("Rows")
struct RowTests {
    typealias People = CollectionDataProvider<Person>

    let scene: Scene<MemoryStore>
    let list: People

    init() throws {
        scene = Scene(try MemoryCache())
        list = People(dataModelManager: scene.manager)
    }

    /// Views of the list: one of what rows there are, and one of each row.
    @MainActor
    private final class Views {
        let table = Count()
        let rows: [Row]

        struct Row {
            let row: CollectionRow<Person>
            let told: Count
        }

        init(_ list: People) {
            let rows = watch(table) { list.rows }
            self.rows = rows.map { row in
                let told = Count()
                _ = watch(told) { row.model }
                return Row(row: row, told: told)
            }
        }

        /// Which rows were told, by their persons' identifiers now.
        var told: [String] { rows.filter { $0.told.value > 0 }.map(\.row.model.id) }
    }

    @Test("Of 10,000 rows, a change of one by this list, a manager, a typed call or a refresh invalidates one")
    func one() async throws {
        list.setData((0..<10_000).map { Person(id: "\($0)") }, cacheKey: "people")
        try await scene.settle()
        let changes: [@MainActor () throws -> Void] = [
            { [list] in list.update(Person(id: "5000", name: "by itself"), at: 5_000) },
            { [scene] in scene.other.updateModel(Person(id: "5000", name: "by another manager")) },
            { [scene] in try scene.put([Person(id: "5000", name: "by a typed call")]) },
            { [list] in
                var people = list.data
                people[5_000].name = "by a refresh"
                list.setData(people, cacheKey: "people")
            },
        ]
        for (step, change) in changes.enumerated() {
            let views = Views(list)
            try change()
            try await scene.settle()
            #expect(views.rows.reduce(0) { $0 + $1.told.value } == 1, "step \(step)")
            #expect(views.told == ["5000"])
            #expect(views.table.value == 0)
            #expect(views.rows[5_000].row.model == list[5_000])
        }
        #expect(list[5_000].name == "by a refresh")
    }

    @Test("What comes, goes or moves invalidates the table and no row, and rows stay who they are")
    func order() async throws {
        list.setData((0..<100).map { Person(id: "\($0)") }, cacheKey: "people")
        try await scene.settle()
        let changes: [@MainActor () throws -> Void] = [
            { [list] in list.insert([Person(id: "new")], at: 0) },
            { [list] in list.remove(at: 50) },
            { [scene] in try scene.insert([Person(id: "newer")], at: 7) },
            { [scene] in scene.other.deleteModel(Person(id: "3")) },
        ]
        for change in changes {
            let views = Views(list)
            let before = Dictionary(uniqueKeysWithValues: views.rows.map { ($0.row.id, $0.row.model) })
            try change()
            try await scene.settle()
            #expect(views.table.value == 1)
            #expect(views.told.isEmpty)
            for row in list.rows {
                if let old = before[row.id] { expectSame(old, row.model) }
            }
            #expect(Set(list.rows.map(\.id)).intersection(before.keys).count >= before.count - 1)
        }
        let gone = list.rows[10]
        let last = gone.model
        list.remove(at: 10)
        #expect(gone.model == last)
    }

    @Test("A refresh with other elements keeps the rows of those that stay")
    func refresh() async throws {
        list.setData((0..<20).map { Person(id: "\($0)") }, cacheKey: "people")
        let before = Dictionary(uniqueKeysWithValues: list.rows.map { ($0.model.id, $0.id) })
        let views = Views(list)
        list.setData(["new", "4", "3", "19"].map { Person(id: $0, name: "again") }, cacheKey: "people")
        #expect(views.table.value == 1)
        for row in list.rows { #expect(row.id == before[row.model.id] || row.model.id == "new") }
        #expect(views.rows[4].row.model.name == "again")
        // Rows of another list are others, and what is known of this one's stays with them.
        list.setData([Person(id: "0")], cacheKey: "others")
        #expect(!before.values.contains(list.rows[0].id))
        #expect(views.rows[4].row.model.id == "4")
    }

    @Test("A change beside insertions reaches its row; a paused list's rows stay as they are")
    func mixed() async throws {
        let message = Person(id: "1", name: "one")
        list.setData([message, Person(id: "2"), Person(id: "3")], cacheKey: "people")
        try await scene.settle()
        let sibling = People(dataModelManager: scene.manager)
        sibling.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        sibling.isPaused = true
        sibling.insert([Person(id: "mine")], at: 0)
        let (views, paused) = (Views(list), Views(sibling))
        scene.manager.updateModel(Person(id: "1", name: "new"))
        scene.manager.deleteModel(Person(id: "2"))
        await scene.manager.flush()
        #expect(views.rows[1].row.model.name == "new")
        #expect(paused.rows.map(\.row.model.name) == ["", "one", "", ""])
        #expect(paused.told.isEmpty)
        sibling.isPaused = false
        #expect(paused.rows[1].row.model.name == "new")
        #expect(paused.told.contains("1"))
        #expect(paused.table.value == 1)
    }

    @Test("The subscript follows the order and its element; all elements at once follow everything")
    func coarse() async throws {
        list.setData((0..<10).map { Person(id: "\($0)") }, cacheKey: nil)
        let (count, element, all) = (Count(), Count(), Count())
        _ = watch(count) { list.count }
        _ = watch(element) { list[3] }
        _ = watch(all) { list.data }
        list.update(Person(id: "4", name: "new"), at: 4)
        #expect([count.value, element.value, all.value] == [0, 0, 1])
        list.update(Person(id: "3", name: "new"), at: 3)
        #expect([count.value, element.value] == [0, 1])
        _ = watch(element) { list[3] }
        list.remove(at: 9)
        #expect([count.value, element.value] == [1, 2])
    }
}

/// Counts how often what `read` reads changes: once at most, as a view is told.
@MainActor
func watch<Value>(_ count: Count, _ read: () -> Value) -> Value {
    withObservationTracking(read, onChange: { count.add() })
}

private func expectSame(_ old: Person, _ new: Person) { #expect(old == new) }
