import Dispatch
import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

/// Streams of changes.
@Suite("Changes as they are read")
struct ChangesTests {
    let cache: MemoryCache
    let ann = Person(id: "1", name: "Ann", age: 30)
    let ben = Person(id: "2", name: "Ben", age: 40)

    init() throws { cache = try MemoryCache() }

    private func person(_ age: Int) -> Person { Person(id: "1", name: "Ann", age: age) }

    @Test("A stream of everything tells each commit once, in order, with what it changed")
    func everything() async throws {
        var changes = cache.changes().makeAsyncIterator()
        try await cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        try await cache.write(ann)
        try await cache.delete("Person:2")
        try await cache.evict("Person:1")
        try await cache.writeCollection([ann], as: "people")
        try await cache.removeCollection("people")
        try await cache.wipe()
        #expect(await changes.next()?.changedModelIds == ["Message:34", "Person:1", "Person:2"])
        #expect(await changes.next()?.deletedModelIds == ["Person:2"])
        let evicted = await changes.next()
        #expect(evicted?.evictedModelIds == ["Person:1"])
        #expect(evicted?.changesEverything == false)
        let written = await changes.next()
        #expect(written?.changedModelIds == ["Person:1"])
        #expect(written?.changedCollectionKeys == ["people"])
        #expect(await changes.next()?.changedCollectionKeys == ["people"])
        #expect(await changes.next()?.changesEverything == true)
        cache.close()
        #expect(await changes.next() == nil)
    }

    @Test("A stream is told of nothing that was committed before it was made")
    func beginning() async throws {
        // The queue of events is behind.
        let gate = DispatchSemaphore(value: 0)
        cache.followed { _ in }.afterTelling { gate.wait() }
        let early = cache.changes()
        try await cache.write(ann)
        var (one, all) = (cache.changes(of: "Person:1").makeAsyncIterator(), cache.changes().makeAsyncIterator())
        try await cache.write(person(7))
        gate.signal()
        #expect(await all.next()?.changedModelIds == ["Person:1"])
        #expect(await one.next() == .changed)
        cache.close()
        #expect(await all.next() == nil)
        #expect(await one.next() == nil)
        var count = 0
        for await _ in early { count += 1 }
        #expect(count == 2)
    }

    @Test("A stream of an alias tells when it names another model, and a change set names it")
    func alias() async throws {
        try await cache.write(ann, forKey: "me")
        var one = cache.changes(of: "me").makeAsyncIterator()
        var all = cache.changes().makeAsyncIterator()
        try await cache.write(ann, forKey: "me")
        try await cache.write(ben, forKey: "me")
        let changes = await all.next()
        #expect(changes?.changedAliases == ["me"])
        #expect(changes?.changedModelIds == ["Person:2"])
        #expect(await one.next() == .changed)
        try await cache.write(ben, forKey: "me")
        try await cache.write(person(7))
        #expect(await all.next()?.changedAliases == [])
    }

    @Test("Who falls behind on a model gets what happened last")
    func latest() async throws {
        var changes = cache.changes(of: "Person:1").makeAsyncIterator()
        for age in 0..<1_000 { try await cache.write(person(age)) }
        try await cache.delete("Person:1")
        try await told()
        cache.close()
        #expect(await changes.next() == .deleted)
        #expect(await changes.next() == nil)
    }

    // 256 change sets wait for a reader, with at most 16,384 models beside the last.
    @Test("Who falls behind on everything is told that something changed, in bounded room")
    func overflow() async throws {
        var changes = cache.changes().makeAsyncIterator()
        for age in 0..<356 { try await cache.write(person(age)) }
        try await told()
        let summary = await changes.next()
        #expect(summary?.changesEverything == true)
        try await cache.write(ben)
        #expect(await changes.next()?.changedModelIds == ["Person:2"])
        let people = (0..<16_385).map { Person(id: "\($0)", name: "n", age: 1) }
        try await cache.write(contentsOf: people)
        try await cache.write(person(-1))
        try await told()
        #expect(await changes.next()?.changesEverything == true)
    }

    /// Returns when the streams have been told of what was committed.
    private func told() async throws {
        await withCheckedContinuation { continuation in cache.followed { _ in }.afterTelling { continuation.resume() } }
    }

    @Test("A stream does not retain its cache, ends with it, and is forgotten with its reader")
    func lifetimes() async throws {
        var other: MemoryCache? = try MemoryCache()
        let isReleased = { [weak other] in other == nil }
        let changes = try #require(other).changes()
        var one = try #require(other).changes(of: "Person:1").makeAsyncIterator()
        try await #require(other).write(ann)
        other = nil
        #expect(isReleased())
        #expect(await one.next() == .changed)
        #expect(await one.next() == nil)
        var count = 0
        for await change in changes { count += change.changedModelIds.count }
        #expect(count == 1)

        cache.close()
        var late = cache.changes().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("A cancelled task's stream ends")
    func cancellation() async throws {
        let changes = cache.changes(of: "Person:1")
        let task = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test("Changes arrive in the isolation of whoever iterates")
    @MainActor
    func isolation() async throws {
        var seen: [CacheChange] = []
        let changes = cache.changes(of: "Person:1")
        try await cache.write(ann)
        try await cache.delete("Person:1")
        for await change in changes {
            MainActor.assertIsolated()
            seen.append(change)
            break
        }
        #expect(seen.count == 1)
    }

    @Test("Another handle's close leaves a stream alone, and a suspension does too")
    func handles() async throws {
        let disk = try SharedStore.Disk()
        let place = try TemporaryDirectory()
        let first = try NormalizedCache<SharedStore>(directory: place.path, options: SharedStore.Options(disk: disk))
        let second = try NormalizedCache<SharedStore>(directory: place.path, options: SharedStore.Options(disk: disk))
        var changes = first.changes(of: "Person:1").makeAsyncIterator()
        var others = second.changes(of: "Person:1").makeAsyncIterator()
        try await second.write(ann)
        #expect(await changes.next() == .changed)
        #expect(await others.next() == .changed)
        second.close()
        #expect(await others.next() == nil)
        try await first.suspend()
        try await first.resume()
        try await first.delete("Person:1")
        #expect(await changes.next() == .deleted)
    }

    @Test("A fetch reads off the caller's thread what a read reads, and honours cancellation")
    func fetches() async throws {
        cache.setModel(ann, forKey: "Person:1", context: nil)
        #expect(try await cache.read { try $0.read("Person:1", as: Person.self) } == .hit(ann))
        let absent = try await cache.read { try $0.read("Person:2", as: Person.self) }
        #expect(absent == .miss(CacheMiss(.absent, "Person:2")))
        try await cache.writeCollection([ann, ben], as: "people")
        try await cache.evict("Person:2")
        let read = try await cache.read { try $0.readCollection("people", of: Person.self, missing: .skip) }.value
        #expect(read == CollectionRead(elements: [ann], skipped: [CacheMiss(.absent, "Person:2")]))
        let task = Task { [cache] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await cache.read { try $0.read("Person:1", as: Person.self) }
        }
        let outcome = await task.result
        #expect(throws: CacheError.self) { try outcome.get() }
    }
}
