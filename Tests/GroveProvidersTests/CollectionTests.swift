import Grove
import GroveCache
import GroveMemory
import GroveProviders
import Testing
import TestSupport

@MainActor
@Suite("Collections")
struct CollectionTests {
    typealias People = CollectionDataProvider<Person>

    let cache: HeldCache
    let manager: DataModelManager

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
    }

    func people(_ numbers: Range<Int>) -> [Person] { numbers.map { Person(id: "\($0)", name: "\($0)") } }

    func cached() throws -> [String]? {
        try cache.inner.flush()
        return try cache.inner.collection("people", of: Person.self)?.map(\.name)
    }

    @Test("Edits are synchronous, reach siblings with precise changes, and the cache")
    func edits() async throws {
        let (mine, theirs) = (People(dataModelManager: manager), People(dataModelManager: manager))
        let (myScreen, theirScreen) = (Screen(), Screen())
        (mine.delegate, theirs.delegate) = (myScreen, theirScreen)
        mine.setData(people(0..<3), cacheKey: "people")
        theirs.fetchDataFromCache(withCacheKey: "people", completion: { data, _ in #expect(data?.count == 3) })
        mine.insert(people(10..<12), at: 1, context: "insert")
        mine.append(people(20..<21))
        mine.update(Person(id: "0", name: "zero"), at: 0)
        mine.remove(at: 4)
        #expect(mine.data.map(\.name) == ["zero", "10", "11", "1", "20"])
        #expect(theirs.data == mine.data)
        #expect(mine[1].name == "10")
        #expect(mine.count == 5)
        #expect(myScreen.changes.isEmpty)
        #expect(
            theirScreen.changes == [
                .changes([.insert(index: 1), .insert(index: 2)]), .changes([.insert(index: 5)]),
                .changes([.update(index: 0)]), .changes([.delete(index: 4)]),
            ])
        #expect(theirScreen.told.first == "insert")
        await manager.flush()
        #expect(try cached() == ["zero", "10", "11", "1", "20"])
    }

    @Test("A model that changes elsewhere changes its element, and a deleted one is gone, in an order to apply")
    func consistency() async throws {
        let (list, screen) = (People(dataModelManager: manager), Screen())
        list.delegate = screen
        list.setData(people(0..<5), cacheKey: "people")
        manager.updateModels([Person(id: "1", name: "one"), Person(id: "3", name: "three")], context: "both")
        manager.deleteModel(Person(id: "2"))
        await manager.flush()
        #expect(list.data.map(\.name) == ["0", "one", "three", "4"])
        #expect(
            screen.changes == [
                .changes([.update(index: 3), .update(index: 1)]), .changes([.delete(index: 2)]),
            ])
        #expect(screen.told.first == "both")
    }

    @Test("Duplicates are two elements, and both change")
    func duplicates() async throws {
        let list = People(dataModelManager: manager)
        list.setData(people(0..<1) + people(0..<1), cacheKey: "people")
        manager.updateModel(Person(id: "0", name: "zero"))
        await manager.flush()
        #expect(list.data.map(\.name) == ["zero", "zero"])
        list.remove(at: 0)
        manager.updateModel(Person(id: "0", name: "null"))
        await manager.flush()
        #expect(list.data.map(\.name) == ["null"])
    }

    @Test("An edit made before news arrive is not undone by them")
    func editBeatsOlderNews() async throws {
        let list = People(dataModelManager: manager)
        list.setData(people(0..<1), cacheKey: "people")
        manager.updateModel(Person(id: "0", name: "older"))
        list.update(Person(id: "0", name: "newer"), at: 0)
        await manager.flush()
        #expect(list[0].name == "newer")
    }

    @Test("An element that was edited after its deletion, before that was told, is in memory and in the cache")
    func editAfterDeletion() async throws {
        let list = People(dataModelManager: manager)
        list.setData(people(0..<3), cacheKey: "people")
        await manager.flush()
        manager.deleteModel(Person(id: "1"))
        list.update(Person(id: "1", name: "again"), at: 1)
        await manager.flush()
        await manager.flush()
        #expect(list.data.map(\.name) == ["0", "again", "2"])
        #expect(try cached() == ["0", "again", "2"])
    }

    @Test("A new version of an element does not rewrite the stored list")
    func listStays() async throws {
        let list = People(dataModelManager: manager)
        list.setData(people(0..<3), cacheKey: "people")
        await manager.flush()
        try await cache.inner.flush()
        var changes = cache.inner.changes().makeAsyncIterator()
        list.update(Person(id: "1", name: "one"), at: 1)
        let change = await changes.next()
        #expect(change?.changedModelIds == ["Person:1"])
        #expect(change?.changedCollectionKeys.isEmpty == true)
    }

    @Test("An edit of a paused sibling is applied where its neighbours are now")
    func rebases() async throws {
        let (paused, other) = (People(dataModelManager: manager), People(dataModelManager: manager))
        let screen = Screen()
        paused.delegate = screen
        paused.setData(people(0..<4), cacheKey: "people")
        other.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        paused.isPaused = true
        other.remove(at: 0)
        other.insert(people(10..<11), at: 0)
        paused.insert(people(20..<21), at: 3)
        paused.remove(at: 1)
        #expect(paused.data.map(\.name) == ["0", "2", "20", "3"])
        #expect(other.data.map(\.name) == ["10", "2", "20", "3"])
        paused.isPaused = false
        #expect(paused.data == other.data)
        #expect(screen.changes == [.changes([.delete(index: 0), .insert(index: 0)])])
    }

    @Test("The cache's answer is ignored when the collection was set first, and goes under what was inserted")
    func cacheAnswers() async throws {
        try await cache.inner.writeCollection(people(0..<2), as: "people")
        cache.hold()
        let (set, edited) = (People(dataModelManager: manager), People(dataModelManager: manager))
        try await cache.inner.writeCollection(people(0..<2), as: "others")
        let first: (value: [Person]?, error: (any Error)?) = await answer { completion in
            set.fetchDataFromCache(withCacheKey: "people", completion: completion)
            set.setData(people(7..<8), cacheKey: "people")
            manager.cacheQueueTurn { cache.release() }
        }
        #expect(first.value?.map(\.name) == ["7"])
        cache.hold()
        let second: (value: [Person]?, error: (any Error)?) = await answer { completion in
            edited.fetchDataFromCache(withCacheKey: "others", completion: completion)
            edited.append(people(8..<9))
            edited.insert(people(9..<10), at: 0)
            #expect(edited.data.map(\.name) == ["9", "8"])
            manager.cacheQueueTurn {
                manager.updateModel(Person(id: "1", name: "one"))
                cache.release()
            }
        }
        #expect(second.value?.map(\.name) == ["9", "0", "one", "8"])
        manager.updateModel(Person(id: "0", name: "zero"))
        await manager.flush()
        #expect(edited.data.map(\.name) == ["9", "zero", "one", "8"])
    }

    @Test("Static edits need nobody to hold the collection, and reach whoever does")
    func statics() async throws {
        People.setData(people(0..<2), cacheKey: "people", dataModelManager: manager)
        try await People.append(people(2..<3), cacheKey: "people", dataModelManager: manager)
        try await People.insert(people(3..<4), at: { _ in 1 }, cacheKey: "people", dataModelManager: manager)
        try await People.update(
            Person(id: "0", name: "zero"), at: { _ in 0 }, cacheKey: "people", dataModelManager: manager)
        let done: (value: Void, error: (any Error)?) = await answer { completion in
            People.removeAtIndex(
                { $0.count - 1 }, cacheKey: "people", dataModelManager: manager, completion: { completion((), $0) })
        }
        #expect(done.error == nil)
        await manager.flush()
        #expect(try cached() == ["zero", "3", "1"])
        let list = People(dataModelManager: manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        try await People.append(people(9..<10), cacheKey: "people", dataModelManager: manager)
        #expect(list.data.map(\.name) == ["zero", "3", "1", "9"])
        let missed: (value: Void, error: (any Error)?) = await answer { completion in
            People.removeAtIndex(
                { _ in 0 }, cacheKey: "nowhere", dataModelManager: manager, completion: { completion((), $0) })
        }
        #expect((missed.error as? CacheMiss)?.reason == .absent)
        let outside: (value: Void, error: (any Error)?) = await answer { completion in
            People.removeAtIndex(
                { $0.count }, cacheKey: "people", dataModelManager: manager, completion: { completion((), $0) })
        }
        #expect((outside.error as? CacheError)?.code == .other)
        #expect(list.count == 4)
    }

    @Test("Siblings converge: more seeds", arguments: 200..<2_000 as Range<UInt64>)
    func slowConverge(seed: UInt64) async throws { try await converge(seed: seed) }

    @Test(
        "Siblings converge under any interleaving, on what a simple model says", arguments: 0..<200 as Range<UInt64>)
    func converge(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var newest: [Int] = []
        var versions: [Int: Int] = [:]
        var shown: [[Int]?] = [nil, nil, nil]
        var next = 0
        func fresh() -> Person {
            next += 1
            versions[next] = 0
            return Person(id: "\(next)", name: "0")
        }
        let providers = (0..<3).map { _ in People(dataModelManager: manager) }
        let mirrors = providers.map { Mirror($0) }
        let initial = (0..<4).map { _ in fresh() }
        newest = initial.compactMap { Int($0.id) }
        providers[0].setData(initial, cacheKey: "people")
        for provider in providers.dropFirst() {
            provider.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        }
        for mirror in mirrors { mirror.reset() }
        for _ in 0..<30 {
            let actor = Int.random(in: 0..<3, using: &random)
            let provider = providers[actor]
            let list = shown[actor] ?? newest
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                let index = Int.random(in: 0...list.count, using: &random)
                let person = fresh()
                let place: Int
                if index == 0 {
                    place = 0
                } else if let before = list[..<index].last(where: { newest.contains($0) }) {
                    place = newest.firstIndex(of: before)! + 1
                } else if let after = list[index...].first(where: { newest.contains($0) }) {
                    place = newest.firstIndex(of: after)!
                } else {
                    place = 2 * (index - 1) < list.count ? 0 : newest.count
                }
                newest.insert(next, at: shown[actor] == nil ? index : place)
                shown[actor]?.insert(next, at: index)
                provider.insert([person], at: index)
            case 3:
                let person = fresh()
                newest.append(next)
                shown[actor]?.append(next)
                provider.append([person])
            case 4...5:
                guard let index = list.indices.randomElement(using: &random) else { break }
                newest.removeAll { $0 == list[index] }
                shown[actor]?.remove(at: index)
                provider.remove(at: index)
            case 6:
                guard let index = list.indices.randomElement(using: &random) else { break }
                versions[list[index], default: 0] += 1000
                provider.update(Person(id: "\(list[index])", name: "\(versions[list[index]]!)"), at: index)
            case 7:
                guard let id = newest.randomElement(using: &random) else { break }
                versions[id, default: 0] += 1
                manager.updateModel(Person(id: "\(id)", name: "\(versions[id]!)"))
            case 8:
                guard let id = newest.randomElement(using: &random) else { break }
                manager.deleteModel(Person(id: "\(id)"))
                newest.removeAll { $0 == id }
                await manager.flush()
            case 9:
                provider.isPaused.toggle()
                shown[actor] = provider.isPaused ? newest : nil
            case 10:
                await manager.flush()
            default:
                guard Int.random(in: 0..<4, using: &random) == 0 else { break }
                let isSame = Bool.random(using: &random)
                // A paused list finds its elements again in a list that is set only if that is equal.
                if isSame, shown.contains(where: { $0 != nil }) { await manager.flush() }
                let new =
                    isSame
                    ? newest.map { Person(id: "\($0)", name: "\(versions[$0]!)") } : (0..<3).map { _ in fresh() }
                newest = new.compactMap { Int($0.id) }
                if shown[actor] != nil { shown[actor] = newest }
                provider.setData(new, cacheKey: "people")
            }
            for mirror in mirrors { mirror.check(seed) }
        }
        for provider in providers { provider.isPaused = false }
        await manager.flush()
        for mirror in mirrors { mirror.check(seed) }
        let expected = newest.map { Person(id: "\($0)", name: "\(versions[$0]!)") }
        for provider in providers { #expect(provider.data == expected, "seed \(seed)") }
        try await cache.inner.flush()
        #expect(try cache.inner.collection("people", of: Person.self) == expected, "seed \(seed)")
    }

    /// A table view: what it shows follows from the changes that the delegate is told and the owner's own.
    @MainActor
    final class Mirror: CollectionDataProviderDelegate {
        let provider: People
        var rows: [String?] = []

        init(_ provider: People) {
            self.provider = provider
            provider.delegate = self
        }

        func reset() { rows = provider.data.map(\.id) }

        func collectionDataProviderHasUpdatedData<T>(
            _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
        ) {
            switch collectionChanges {
            case .reset: reset()
            case .changes(let changes):
                for change in changes {
                    switch change {
                    case .delete(let index): rows.remove(at: index)
                    case .insert(let index): rows.insert(nil, at: index)
                    case .update(let index): rows[index] = nil
                    }
                }
            }
            compare()
        }

        func compare() {
            let data = provider.data.map(\.id)
            #expect(rows.count == data.count)
            #expect(zip(rows, data).allSatisfy { $0 == nil || $0 == $1 })
            rows = data
        }

        /// Own edits are not told; the rows follow them.
        func check(_ seed: UInt64) { rows = provider.data.map(\.id) }
    }

    @Test("A list follows 1,200 edits by others, and the rows that change meanwhile")
    func manyEdits() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        var random = SeededGenerator(seed: 4)
        var expected = (0..<700).map { Person(id: "\($0)", name: "a") }
        try await cache.writeCollection(expected, as: "people")
        _ = try await list.load(withCacheKey: "people", maxAge: .infinity) { [] }
        for step in 0..<1_200 {
            let index = Int.random(in: 0..<expected.count, using: &random)
            switch step % 3 {
            case 0:
                let new = Person(id: "n\(step)", name: "b")
                try await cache.insert([new], at: index, inCollection: "people")
                expected.insert(new, at: index)
            case 1:
                try cache.removeElements(in: index..<index + 1, ofCollection: "people")
                expected.remove(at: index)
            default:
                expected[index] = Person(id: expected[index].id, name: "c\(step)")
                try await cache.write(expected[index])
            }
            if step % 100 == 0 { await manager.flush() }
        }
        for _ in 0..<3 { await manager.flush() }
        #expect(list.data == expected)
    }
}
