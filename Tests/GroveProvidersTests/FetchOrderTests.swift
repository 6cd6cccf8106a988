import Foundation
import Grove
import GroveCache
import Synchronization
import TestSupport
import Testing

/// Which of several answers a provider takes, and how old they may be.
@MainActor
@Suite("Fetches and loads")
struct FetchOrderTests {
    typealias People = CollectionDataProvider<Person>

    /// A clock that the test moves.
    final class Clock: Sendable {
        private let time = Mutex(Date(timeIntervalSince1970: 1_000))
        var now: Date { time.withLock { $0 } }
        func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    let clock = Clock()
    let cache: HeldCache
    let manager: DataModelManager

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600, now: { [clock] in clock.now })
    }

    @Test("Of two fetches the last asked for counts, whichever is answered first", arguments: [false, true])
    func lastFetch(reversed: Bool) async throws {
        for id in ["1", "2"] { try await cache.inner.write(Person(id: id)) }
        cache.hold()
        let provider = DataProvider<Person>(dataModelManager: manager)
        var answers = 0
        provider.fetchDataFromCache(withCacheKey: "Person:1", completion: { _, _ in answers += 1 })
        provider.fetchDataFromCache(withCacheKey: "Person:2", completion: { _, _ in answers += 1 })
        await waitUntil { cache.waiting >= 2 }
        cache.release(reversed: reversed)
        await waitUntil { answers >= 2 }
        #expect(provider.data?.id == "2")
    }

    @Test("A fetch that is under way does not replace the data that is asked for again")
    func askedAgain() async throws {
        try await cache.inner.write(Person(id: "2"))
        let provider = DataProvider<Person>(dataModelManager: manager)
        provider.setData(Person(id: "1"))
        cache.hold()
        var answers = 0
        provider.fetchDataFromCache(withCacheKey: "Person:2", completion: { _, _ in answers += 1 })
        provider.fetchDataFromCache(withCacheKey: "Person:1", completion: { _, _ in answers += 1 })
        await waitUntil { cache.waiting >= 1 }
        cache.release()
        await waitUntil { answers >= 2 }
        #expect(provider.data?.id == "1")
    }

    @Test("An answer of the network to what is no longer asked for does not replace the data, and is stored")
    func lateNetwork() async throws {
        let provider = DataProvider<Person>(dataModelManager: manager)
        let holder = DataProvider<Person>(dataModelManager: manager)
        holder.setData(Person(id: "1", name: "old"))
        let gate = Gate()
        let first = Task {
            try await provider.load(withCacheKey: "Person:1") {
                await gate.wait()
                return Person(id: "1", name: "late")
            }
        }
        await gate.arrived()
        _ = try await provider.load(withCacheKey: "Person:2") { Person(id: "2", name: "new") }
        gate.open()
        #expect(try await first.value?.id == "2")
        await manager.flush()
        #expect(provider.data == Person(id: "2", name: "new"))
        #expect(holder.data?.name == "late")
        try await cache.inner.flush()
        #expect(try cache.inner.model("Person:1", as: Person.self)?.name == "late")
    }

    @Test("A collection whose key changed meanwhile keeps the new one, and the answer goes under the old one")
    func lateCollection() async throws {
        let list = People(dataModelManager: manager)
        let gate = Gate()
        let first = Task {
            try await list.load(withCacheKey: "a") {
                await gate.wait()
                return [Person(id: "1")]
            }
        }
        await gate.arrived()
        list.setData([Person(id: "2")], cacheKey: "b")
        gate.open()
        #expect(try await first.value.map(\.id) == ["1"])
        #expect(list.cacheKey == "b")
        #expect(list.data.map(\.id) == ["2"])
        await manager.flush()
        try await cache.inner.flush()
        #expect(try cache.inner.collection("a", of: Person.self)?.map(\.id) == ["1"])
    }

    @Test("A collection's key that changes while its fetch is in flight takes nothing of it")
    func keyChange() async throws {
        try await cache.inner.writeCollection([Person(id: "1")], as: "a")
        cache.hold()
        let list = People(dataModelManager: manager)
        var answers: [[Person]?] = []
        list.fetchDataFromCache(withCacheKey: "a", completion: { data, _ in answers.append(data) })
        list.setData([Person(id: "2")], cacheKey: "b")
        await waitUntil { cache.waiting >= 1 }
        cache.release()
        await waitUntil { !answers.isEmpty }
        #expect(answers == [[Person(id: "2")]], "who is overtaken is given what is shown")
        #expect(list.data.map(\.id) == ["2"])
        #expect(list.cacheKey == "b")
    }

    @Test("Only what was set counts for a maximum age: not what a cache brought, nor others, nor another key")
    func ages() async throws {
        try await cache.inner.write(Person(id: "1", name: "cached"))
        let provider = DataProvider<Person>(dataModelManager: manager)
        let asked = Mutex(0)
        @MainActor func load(_ id: String, _ maxAge: Double) async throws -> Int {
            try await provider.load(withCacheKey: "Person:\(id)", maxAge: maxAge) {
                asked.withLock { $0 += 1 }
                return Person(id: id, name: "network")
            }
            return asked.withLock { $0 }
        }
        _ = try await provider.fetchDataFromCache(withCacheKey: "Person:1")
        #expect(provider.data?.name == "cached")
        #expect(try await load("1", 60) == 1)
        clock.advance(59)
        #expect(try await load("1", 60) == 1)
        manager.updateModel(Person(id: "1", name: "other"), updateCache: false)
        await manager.flush()
        clock.advance(2)
        #expect(try await load("1", 60) == 2)
        #expect(try await load("2", 60) == 3)
        #expect(provider.data?.id == "2")
        clock.advance(-10)
        #expect(try await load("2", 60) == 4, "A clock that was set back makes nothing fresh.")
    }

    @Test("The same for collections, whose siblings share the age")
    func collectionAges() async throws {
        try await cache.inner.writeCollection([Person(id: "1")], as: "people")
        let (list, sibling) = (People(dataModelManager: manager), People(dataModelManager: manager))
        let asked = Mutex(0)
        @MainActor func load(_ list: People, _ maxAge: Double) async throws -> Int {
            try await list.load(withCacheKey: "people", maxAge: maxAge) {
                asked.withLock { $0 += 1 }
                return [Person(id: "2")]
            }
            return asked.withLock { $0 }
        }
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        #expect(try await load(list, 60) == 1)
        _ = try await sibling.fetchDataFromCache(withCacheKey: "people")
        #expect(try await load(sibling, 60) == 1)
        sibling.append([Person(id: "3")])
        clock.advance(61)
        #expect(try await load(sibling, 60) == 2)
    }

    @Test("Whoever fetches a collection is not told of it by its delegate; a sibling is")
    func ownFetch() async throws {
        try await cache.inner.writeCollection([Person(id: "1")], as: "people")
        cache.hold()
        let (mine, theirs) = (People(dataModelManager: manager), People(dataModelManager: manager))
        let (myScreen, theirScreen) = (Screen(), Screen())
        (mine.delegate, theirs.delegate) = (myScreen, theirScreen)
        theirs.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        theirs.isPaused = true
        mine.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        await waitUntil { cache.waiting >= 1 }
        cache.release()
        await waitUntil { mine.count > 0 }
        #expect(myScreen.changes.isEmpty)
        #expect(theirScreen.changes.isEmpty)
        #expect(theirs.count == 1)
    }
}

/// Lets one task wait for another.
@MainActor
final class Gate {
    private var isOpen = false
    private var hasArrived = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        hasArrived = true
        resume()
        while !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func arrived() async { while !hasArrived { await withCheckedContinuation { waiting.append($0) } } }

    func open() {
        isOpen = true
        resume()
    }

    private func resume() {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }
}
