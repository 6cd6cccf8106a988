import Grove
import GroveCache
import GroveMemory
import Observation
import TestSupport
import Testing

/// Refreshes that bring nothing new.
@MainActor
@Suite("Equal content")
struct EqualContentTests {
    typealias People = CollectionDataProvider<Person>

    let cache: HeldCache
    let manager: DataModelManager
    let mine: People
    let theirs: People
    let myScreen = Screen()
    let theirScreen = Screen()
    let people = [Person(id: "0", name: "zero"), Person(id: "1", name: "one")]

    init() async throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        (mine, theirs) = (People(dataModelManager: manager), People(dataModelManager: manager))
        (mine.delegate, theirs.delegate) = (myScreen, theirScreen)
        mine.setData(people, cacheKey: "people")
        theirs.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        await manager.flush()
    }

    @Test("Setting equal content tells no sibling, no observer and no batch, and is stored")
    func refresh() async throws {
        let batch = BatchDataProviderListener(dataProviders: [theirs], dataModelManager: manager)
        batch.delegate = theirScreen
        let seen = Count()
        for list in [mine, theirs] {
            withObservationTracking {
                _ = list.count
            } onChange: {
                seen.add()
            }
        }
        try await cache.inner.wipe()
        mine.setData(people, cacheKey: "people")
        await manager.flush()
        #expect(theirScreen.changes.isEmpty)
        #expect(theirScreen.batches.isEmpty)
        #expect(seen.value == 0)
        #expect(try cache.inner.collection("people", of: Person.self) == people)
        mine.setData(people.reversed(), cacheKey: "people")
        #expect(theirScreen.changes == [.reset])
        #expect(seen.value == 2)
    }

    @Test("Setting equal content is newer than news that are still to come, and edits go on")
    func order() async throws {
        manager.updateModel(Person(id: "0", name: "older"))
        manager.deleteModel(Person(id: "1"))
        mine.setData(people, cacheKey: "people")
        await manager.flush()
        #expect(mine.data == people)
        #expect(theirs.data == people)
        #expect(try cache.inner.collection("people", of: Person.self) == people)
        manager.updateModel(Person(id: "1", name: "newer"))
        mine.remove(at: 0)
        await manager.flush()
        #expect(theirs.data == [Person(id: "1", name: "newer")])
    }

    @Test("A paused sibling is told of a difference only")
    func paused() async {
        theirs.isPaused = true
        mine.setData(people, cacheKey: "people")
        theirs.isPaused = false
        theirs.isPaused = true
        mine.setData([], cacheKey: "people")
        mine.setData(people, cacheKey: "people")
        theirs.isPaused = false
        #expect(theirScreen.changes.isEmpty)
        #expect(theirs.data == people)
        theirs.isPaused = true
        mine.remove(at: 0)
        theirs.setData([people[1]], cacheKey: "people")
        #expect(theirs.data == [people[1]])
        theirs.isPaused = false
        #expect(theirScreen.changes.isEmpty)
        #expect(myScreen.changes.isEmpty)
    }

    @Test("An empty collection that was not known is news")
    func empty() async throws {
        let (first, second) = (People(dataModelManager: manager), People(dataModelManager: manager))
        try await cache.inner.writeCollection([Person(id: "5")], as: "others")
        cache.hold()
        first.fetchDataFromCache(withCacheKey: "others", completion: { _, _ in })
        second.fetchDataFromCache(withCacheKey: "others", completion: { _, _ in })
        let screen = Screen()
        second.delegate = screen
        first.setData([], cacheKey: "others")
        #expect(screen.changes == [.reset])
        await waitUntil { cache.waiting >= 1 }
        cache.release()
        await manager.flush()
        #expect(first.count == 0)
    }

    @Test("A model with a NaN in it that is set again tells nobody: no provider, list, row, stream or batch")
    func notANumber() async throws {
        let value = Measured(id: 1, value: .nan, others: [1, .nan])
        let (mine, theirs) = (
            DataProvider<Measured>(dataModelManager: manager), DataProvider<Measured>(dataModelManager: manager)
        )
        let (list, sibling) = (
            CollectionDataProvider<Measured>(dataModelManager: manager),
            CollectionDataProvider<Measured>(dataModelManager: manager)
        )
        mine.setData(value)
        list.setData([value], cacheKey: "measured")
        theirs.modelIdentifier = value.modelIdentifier
        sibling.fetchDataFromCache(withCacheKey: "measured") { _, _ in }
        for _ in 0..<3 { await manager.flush() }
        #expect(theirs.data != nil && sibling.count == 1)
        let (screen, seen) = (Screen(), Count())
        (theirs.delegate, sibling.delegate) = (screen, screen)
        let batch = BatchDataProviderListener(dataProviders: [theirs, sibling], dataModelManager: manager)
        batch.delegate = screen
        func observe(_ read: () -> Void) { withObservationTracking(read) { seen.add() } }
        observe { _ = theirs.data }
        observe { _ = sibling.elements }
        observe { _ = sibling.rows.first?.model }
        let streamed = Count()
        let following = [
            Task { for await _ in theirs.changes() { streamed.add() } },
            Task { for await _ in sibling.changes() { streamed.add() } },
        ]
        let again = Measured(id: 1, value: .nan, others: [1, .nan])
        for _ in 0..<3 { await manager.flush() }
        mine.setData(again)
        list.setData([again], cacheKey: "measured")
        manager.updateModel(again)
        _ = try await mine.load(withCacheKey: "Measured:1") { again }
        _ = try await list.load(withCacheKey: "measured") { [again] }
        try await cache.inner.write(again)
        for _ in 0..<3 { await manager.flush() }
        #expect(screen.told.isEmpty && screen.changes.isEmpty && screen.batches.isEmpty)
        #expect(seen.value == 0 && streamed.value == 0)
        mine.setData(Measured(id: 1, value: 2, others: []))
        for _ in 0..<3 { await manager.flush() }
        #expect(!screen.told.isEmpty && seen.value > 0, "a difference is told")
        for task in following { task.cancel() }
    }
}

/// A model that is only Codable.
private struct Measured: CodableModel, Equatable {
    let id: Int
    let value: Double
    let others: [Double]

    var modelIdentifier: ModelIdentifier? { "Measured:\(id)" }
}
