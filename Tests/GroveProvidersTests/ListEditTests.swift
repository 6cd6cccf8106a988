import Grove
import GroveCache
import GroveMemory
import GroveSQLite
import Synchronization
import TestSupport
import Testing

/// What an edit of a collection costs the cache, and when it is the whole list after all.
@MainActor
@Suite("Edits of lists reach the cache as edits")
struct ListEditTests {
    typealias People = CollectionDataProvider<Person>

    let directory: TemporaryDirectory
    let cache: SQLiteCache
    let manager: DataModelManager
    let list: People

    init() throws {
        directory = try TemporaryDirectory()
        cache = try SQLiteCache(directory: directory.path + "/cache")
        manager = DataModelManager(cacheDelegate: cache)
        list = People(dataModelManager: manager)
    }

    private static func people(_ range: Range<Int>) -> [Person] { range.map { Person(id: "\($0)") } }

    /// How many records `body` puts.
    private func puts(_ body: () throws -> Void) async throws -> Int {
        await manager.flush()
        try await cache.flush()
        let before = cache.statistics.recordsPut
        try body()
        await manager.flush()
        try await cache.flush()
        return cache.statistics.recordsPut - before
    }

    /// Expects that the cache has what the holder shows, at rest.
    private func expectStored(_ location: SourceLocation = #_sourceLocation) async throws {
        // An edit that the cache could not make is answered with the whole list.
        for _ in 0..<3 {
            await manager.flush()
            try await cache.flush()
        }
        #expect(try cache.collection("people", of: Person.self) == list.data, sourceLocation: location)
    }

    @Test("An edit of 10,000 elements writes the elements that it brings and a few records of the list")
    func cost() async throws {
        list.setData(Self.people(0..<10_000), cacheKey: "people")
        for edit in [
            { list.append(Self.people(20_000..<20_001)) }, { list.insert(Self.people(20_001..<20_003), at: 5_000) },
            { list.remove(at: 17) }, { list.update(Person(id: "900", name: "new"), at: 899) },
            { list.move("Person:900", to: .first) },
        ] as [@MainActor () -> Void] {
            #expect(1...6 ~= (try await puts(edit)))
            try await expectStored()
        }
    }

    @Test(
        "An edit of a list that others changed is applied to it; if it was forgotten, the holder's list is stored whole"
    )
    func others() async throws {
        list.setData(Self.people(0..<300), cacheKey: "people")
        list.append(Self.people(900..<901))
        try await expectStored()
        let changes: [() throws -> Void] = [
            { try cache.removeElements(in: 0..<2, ofCollection: "people") },
            { try cache.moveElement(from: 0, to: 250, inCollection: "people") },
            { try cache.removeCollection("people") },
            { try cache.writeCollection(Self.people(0..<3), as: "people") },
        ]
        for (number, change) in changes.enumerated() {
            await manager.flush()
            try change()
            list.append(Self.people(1_000 + number..<1_001 + number))
            try await expectStored()
            #expect(try await puts { list.append(Self.people(2_000 + number..<2_001 + number)) } <= 6)
        }
    }

    @Test("An element that was deleted is not at any position of what the holder shows, and comes back by no edit")
    func deletions() async throws {
        list.setData(Self.people(0..<200), cacheKey: "people")
        list.append(Self.people(300..<301))
        await manager.flush()
        for id in [0, 50, 150] {
            manager.deleteModel(Person(id: "\(id)"))
            // Before and after the screen has heard of it.
            list.insert(Self.people(1_000 + id..<1_001 + id), at: 160)
            await manager.flush()
            list.insert(Self.people(2_000 + id..<2_001 + id), at: 160)
            try await expectStored()
            #expect(try cache.model("Person:\(id)", as: Person.self) == nil)
        }
    }

    @Test("Changes that were not to be stored are in the next list that is")
    func memoryOnly() async throws {
        list.setData(Self.people(0..<10), cacheKey: "people")
        list.remove(at: 3, shouldCache: false)
        list.append(Self.people(20..<21))
        try await expectStored()
        list.insert(Self.people(30..<31), at: 2, shouldCache: false)
        list.remove(at: 0)
        list.append(Self.people(40..<41))
        try await expectStored()
    }

    @Test(
        "Changed by a provider or not, the holder and the cache have one list at rest",
        arguments: 0..<60 as Range<UInt64>)
    func programs(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let sibling = People(dataModelManager: manager)
        list.setData(Self.people(0..<140), cacheKey: "people")
        _ = try await sibling.fetchDataFromCache(withCacheKey: "people")
        for step in 0..<40 {
            let holder = Bool.random(using: &random) ? list : sibling
            let place = Int.random(in: 0..<max(holder.count, 1), using: &random)
            let new = Self.people(1_000 + 10 * step..<1_001 + 10 * step + Int.random(in: 0..<3, using: &random))
            switch Int.random(in: 0..<16, using: &random) {
            case 0..<4: holder.append(new)
            case 4..<6: holder.insert(new, at: min(place, holder.count))
            case 6..<8 where holder.count > 0: holder.remove(at: place)
            case 8 where holder.count > 0: holder.update(Person(id: holder.data[place].id, name: "\(step)"), at: place)
            case 9 where holder.count > 0: manager.deleteModel(holder.data[place])
            case 10: manager.updateModel(Person(id: "\(step)", name: "\(step)"))
            case 11:
                await manager.flush()
                _ = try? cache.removeElements(in: 0..<1, ofCollection: "people")
            case 12:
                await manager.flush()
                try await cache.removeCollection("people")
            case 13: holder.append(new, shouldCache: false)
            case 14: holder.isPaused.toggle()
            default: await manager.flush()
            }
        }
        (list.isPaused, sibling.isPaused) = (false, false)
        await manager.flush()
        list.append(Self.people(9_000..<9_001))
        try await expectStored()
    }
}
