import Grove
import GroveCache
import TestSupport
import Testing

/// Random edits of one list whose every element is put in once, so that it is known which ones must be there.
@MainActor
@Suite("Random edits of elements that are put in once", .serialized)
struct ListOracleTests {
    typealias People = CollectionDataProvider<Person>

    /// Which elements the list must have at rest.
    private struct Expected {
        /// Put in, and not taken out.
        private(set) var there: Set<String> = []
        /// Taken out.
        private(set) var gone: Set<String> = []
        /// Those that were there all the time since the list was at rest.
        private(set) var stayed: Set<String> = []
        /// Put in or kept by the last of two that do not know of each other, until the list is at rest.
        private var open: Set<String> = []
        /// Those of them that are not stored yet, as far as is known.
        private var inMemory: Set<String> = []
        private var isReplaced = false

        /// An element was put in; one that is only in memory goes with a whole list for good.
        mutating func put(_ ids: String..., inMemory: Bool = false) {
            for id in ids where !(isReplaced && inMemory) {
                if isReplaced { open.insert(id) } else { there.insert(id) }
                if inMemory { self.inMemory.insert(id) }
            }
        }

        /// Those that leave the list with an edit that is not stored yet: if another puts one back, it is not known
        /// which is later.
        private var leaving: Set<String> = []

        /// An element was taken out; if that is not stored yet, what is open is not decided when the list is at rest.
        mutating func remove(_ id: String, inMemory isInMemory: Bool = false) {
            there.remove(id)
            stayed.remove(id)
            inMemory.remove(id)
            if !open.contains(id) { gone.insert(id) } else if isInMemory { open.remove(id) }
            if isInMemory { leaving.insert(id) }
        }

        /// It was removed, or put back, by one who may not know of the other.
        mutating func leaveOpen(_ id: String) {
            there.remove(id)
            stayed.remove(id)
            gone.remove(id)
            if !leaving.contains(id) { open.insert(id) }
        }

        /// The whole list was set, or removed.
        mutating func replace(with ids: String...) {
            open.formUnion(there.subtracting(inMemory))
            (there, stayed, inMemory) = ([], [], [])
            isReplaced = true
            open.formUnion(ids)
        }

        /// The list is at rest, and is `list`.
        mutating func rest(_ list: [String]) {
            // Who shows a list that was removed stores it again with the next edit.
            guard !list.isEmpty else { return }
            let found = Set(list)
            inMemory.subtract(found)
            there.formUnion(open.intersection(found))
            gone.formUnion(open.subtracting(found))
            open = []
            isReplaced = false
            stayed = there
        }
    }

    /// The screens of one run.
    @MainActor
    private final class Screens {
        var managers: [DataModelManager] = []
        var lists: [People] = []
        private var rows: [ObjectIdentifier: [String: CollectionRow<Person>.ID]] = [:]

        /// Which rows are others than they were, of elements that stayed.
        func changedRows(_ stayed: Set<String>) -> [String] {
            var changed: [String] = []
            for list in lists {
                // A paused list has rows that are not there any more.
                guard !list.isPaused else {
                    rows[ObjectIdentifier(list)] = nil
                    continue
                }
                let now = Dictionary(list.rows.map { ($0.model.id, $0.id) }, uniquingKeysWith: { first, _ in first })
                for (id, row) in rows[ObjectIdentifier(list)] ?? [:] where stayed.contains(id) {
                    if let other = now[id], other != row { changed.append(id) }
                }
                rows[ObjectIdentifier(list)] = now
            }
            return changed
        }
    }

    private func run(_ seed: UInt64, on backend: FollowedBackend, withPeer: Bool = false) async throws {
        try await backend.open(history: seed % 3 == 0 ? 0 : 100, withPeer: withPeer) { scene, peer in
            var random = SeededGenerator(seed: seed)
            var (story, expected) = ("seed \(seed):", Expected())
            let isEachOnce = seed % 4 == 3
            let screens = Screens()
            screens.managers = [scene.manager, scene.other]
            screens.lists = screens.managers.map { People(dataModelManager: $0, holdsEachOnce: isEachOnce) }
            let first = (0..<(seed % 2 == 0 ? 6 : 200)).map { "\($0)" }
            screens.lists[0].setData(first.map { Person(id: $0) }, cacheKey: "people")
            for id in first { expected.put(id) }
            try await scene.settle()
            _ = try await screens.lists[1].fetchDataFromCache(withCacheKey: "people")
            // A sibling, which may be paused.
            screens.lists.append(People(dataModelManager: scene.manager, holdsEachOnce: isEachOnce))
            _ = try await screens.lists[2].fetchDataFromCache(withCacheKey: "people")

            @MainActor func rest() async throws {
                for _ in 0..<2 { try await scene.settle() }
                let stayed = expected.stayed
                expected.rest(scene.people().map(\.id))
                let shown = screens.lists.filter { !$0.isPaused }
                for list in shown {
                    let ids = list.data.map(\.id)
                    #expect(Set(ids).count == ids.count, "shown twice: \(ids), \(story)")
                }
                let changed = screens.changedRows(stayed)
                #expect(changed.isEmpty, "other rows of \(changed), \(story)")
            }

            for step in 0..<40 {
                let new = "n\(step)"
                let list = screens.lists[Int.random(in: 0..<screens.lists.count, using: &random)]
                let shown = list.data.map(\.id)
                let old = shown.isEmpty ? new : shown[Int.random(in: 0..<shown.count, using: &random)]
                let (person, name) = (Person(id: new), ModelIdentifier("Person:\(old)"))
                let form = Int.random(in: 0..<(peer == nil ? 30 : 33), using: &random)
                story += " \(step):\(form) \(old),"
                switch form {
                case 0...1:
                    list.append([person])
                    expected.put(new)
                case 2:
                    list.insert([person], at: .before(name))
                    expected.put(new)
                case 3...5:
                    list.insert([person], at: Int.random(in: 0...shown.count, using: &random), shouldCache: false)
                    expected.put(new, inMemory: true)
                case 6:
                    list.upsert([person, Person(id: old, name: new)], at: .first)
                    expected.put(new)
                    if old != new { expected.leaveOpen(old) }
                case 7: list.update(Person(id: old, name: new))
                case 8...9:
                    if list.remove(name, shouldCache: step % 3 > 0) { expected.remove(old, inMemory: step % 3 == 0) }
                case 10: list.move(name, to: .last, shouldCache: step % 2 == 0)
                case 11 where !shown.isEmpty:
                    list.insert([person], before: list.rows[0].id)
                    expected.put(new)
                case 12: screens.lists[2].isPaused.toggle()
                case 13...15:
                    do {
                        try scene.append([person])
                        expected.put(new)
                    } catch let error as CacheError where error.code == .outOfRange {}
                case 16...17:
                    guard scene.people().contains(where: { $0.id == old }) else { continue }
                    try scene.edit(.remove, old, beside: old, inTransaction: false)
                    expected.remove(old)
                case 18: try scene.edit(.move, old, beside: shown.first ?? old, inTransaction: false)
                case 19:
                    // The list is read while it is edited, and while others edit it.
                    let isStored = scene.people().contains { $0.id == old }
                    guard screens.lists.count < 6, isStored || step % 2 == 0 else { continue }
                    let fresh = scene.oneMore()
                    let opened = People(dataModelManager: fresh, holdsEachOnce: isEachOnce)
                    screens.managers.append(fresh)
                    opened.fetchDataFromCache(withCacheKey: "people") { [story] people, _ in
                        let ids = people?.map(\.id) ?? []
                        #expect(Set(ids).count == ids.count, "fetched twice: \(ids), \(story)")
                    }
                    if step % 2 == 0 { opened.append([person]) } else { opened.upsert([Person(id: old), person]) }
                    if step % 2 == 1, old != new { expected.leaveOpen(old) }
                    expected.put(new)
                    screens.lists.append(opened)
                case 20:
                    let page = Person(id: new)
                    guard try await list.loadMore(fetch: { _ in [page] }) != nil else { continue }
                    expected.put(new)
                case 21:
                    try await rest()
                    guard !list.isPaused else { continue }
                    let page = [person] + list.data.prefix(3)
                    _ = try await list.load(withCacheKey: "people", part: .firstPage, reload: true) { page }
                    expected.put(new)
                case 22:
                    People.insert(
                        [person], at: { _ in 0 }, cacheKey: "people", dataModelManager: list.dataModelManager,
                        completion: nil)
                    expected.put(new)
                case 23:
                    People.update(
                        Person(id: old, name: new), at: { data in data.firstIndex { $0.id == old } ?? -1 },
                        cacheKey: "people", dataModelManager: list.dataModelManager, completion: nil)
                case 24:
                    var (isDone, isOver) = (false, false)
                    People.removeAtIndex(
                        { data in
                            let index = data.firstIndex { $0.id == old }
                            isDone = index != nil
                            return index ?? -1
                        }, cacheKey: "people", dataModelManager: list.dataModelManager,
                        completion: { _ in isOver = true })
                    if isDone { expected.remove(old) } else if !isOver { expected.leaveOpen(old) }
                case 25 where step % 3 == 0:
                    list.setData([person, Person(id: "\(new)b")], cacheKey: "people")
                    expected.replace(with: new, "\(new)b")
                case 26:
                    try await rest()
                    try scene.remove(list: "people")
                    expected.replace()
                case 27:
                    // A screen that has not heard of the deletion may write what was deleted.
                    try await rest()
                    guard scene.people().contains(where: { $0.id == old }) else { continue }
                    try scene.delete(old)
                    try await rest()
                    expected.remove(old)
                    #expect(screens.lists.allSatisfy { $0.isPaused || !$0.contains(name) }, "\(story)")
                    guard step % 2 == 0 else { continue }
                    try scene.restore(Person(id: old))
                    expected.leaveOpen(old)
                case 28...29: try await rest()
                case 30:
                    if try peer?.ask("append", new) == "done" { expected.put(new) }
                case 31:
                    try await rest()
                    guard scene.people().contains(where: { $0.id == old }) else { continue }
                    #expect(try peer?.ask("form", "remove", old, old) == "done")
                    expected.remove(old)
                default: await list.dataModelManager.flush()
                }
            }
            screens.lists[2].isPaused = false
            // What is only in memory goes with the next edit.
            for (number, list) in screens.lists.enumerated() {
                list.append([Person(id: "end \(number)")])
                expected.put("end \(number)")
            }
            for _ in 0..<3 { try await rest() }
            let people = scene.people()
            let ids = people.map(\.id)
            let (lost, back) = (expected.there.subtracting(ids), expected.gone.intersection(ids))
            #expect(Set(ids).count == ids.count, "stored twice: \(ids), \(story)")
            #expect(lost.isEmpty, "not there: \(lost.sorted()), \(story)")
            #expect(back.isEmpty, "there again: \(back.sorted()), \(story)")
            for (number, list) in screens.lists.enumerated() {
                let shown = list.data
                let isRight = shown == people
                #expect(isRight, "list \(number) shows \(Self.brief(shown)), stored is \(Self.brief(people)), \(story)")
            }
        }
    }

    private static func brief(_ people: [Person]) -> String {
        people.map { $0.name.isEmpty ? $0.id : "\($0.id)=\($0.name)" }.joined(separator: " ")
    }

    @Test("What was put in is there once, and what was removed is gone", arguments: FollowedBackend.allCases)
    func programs(backend: FollowedBackend) async throws {
        for seed in 0..<10 as Range<UInt64> { try await run(seed, on: backend) }
    }

    @Test("And beside another process", arguments: FollowedBackend.shared)
    func processes(backend: FollowedBackend) async throws {
        for seed in 0..<4 as Range<UInt64> { try await run(seed, on: backend, withPeer: true) }
    }

    @Test(
        "What was put in is there once, and what was removed is gone, more often", arguments: FollowedBackend.allCases)
    func slowPrograms(backend: FollowedBackend) async throws {
        for seed in 10..<200 as Range<UInt64> { try await run(seed, on: backend) }
    }
}
