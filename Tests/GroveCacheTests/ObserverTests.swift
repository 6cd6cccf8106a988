import Dispatch
import GroveCache
import GroveMemory
import GroveModel
import StoreTesting
import Synchronization
import Testing
import TestSupport

/// An observer that keeps what it was told.
private final class Witness: CacheObserver {
    struct Record {
        var hits: [ModelIdentifier] = []
        var misses: [CacheMiss] = []
        var commits: [ChangeSet] = []
        var reports: [CacheStatistics] = []
        var failures: [CacheError] = []
        var failedReads: [CacheError] = []
    }

    private let record = Mutex(Record())

    var seen: Record { record.withLock { $0 } }
    func cacheDidHit(_ identifier: ModelIdentifier) { record.withLock { $0.hits.append(identifier) } }
    func cacheDidMiss(_ miss: CacheMiss) { record.withLock { $0.misses.append(miss) } }
    func cacheDidCommit(_ changes: ChangeSet) { record.withLock { $0.commits.append(changes) } }
    func cacheDidFinishCommit(_ report: CacheStatistics) { record.withLock { $0.reports.append(report) } }
    func cacheDidFailToRead(_ error: CacheError) { record.withLock { $0.failedReads.append(error) } }
    func cacheDidFailToWrite(_ error: CacheError) { record.withLock { $0.failures.append(error) } }
}

@Suite("What observers and statistics tell")
struct ObserverTests {
    private let witness = Witness()
    private let disk: SharedStore.Disk
    private let cache: NormalizedCache<SharedStore>
    private let ann = Person(id: "1", name: "Ann", age: 30)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try NormalizedCache(directory: nil, options: SharedStore.Options(disk: disk), observer: witness)
    }

    @Test("Hits, misses with their reasons and what commits came to are told and counted")
    func figures() throws {
        try cache.write(ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        #expect(try cache.model("Person:2", as: Person.self) == nil)
        try cache.writeCollection([ann], as: "people")
        #expect(try cache.collection("people", of: Person.self) == [ann])
        try cache.delete("Person:1")
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        cache.awaitTold()
        let seen = witness.seen
        #expect(seen.hits == ["Person:1", "people"])
        #expect(seen.misses == [CacheMiss(.absent, "Person:2"), CacheMiss(.deleted, "Person:1")])
        #expect(seen.reports.map(\.writes) == [1, 1, 1])
        #expect(seen.reports.allSatisfy { $0.recordsPut >= 1 && $0.bytesPut > 10 && $0.queuedWrites == 0 })
        let statistics = cache.statistics
        #expect(statistics.hits == 2)
        #expect(statistics.misses == [.absent: 1, .deleted: 1])
        #expect(statistics.commits == 3)
        #expect(statistics.recordsPut == seen.reports.reduce(0) { $0 + $1.recordsPut })
        #expect(statistics.bytesPut == seen.reports.reduce(0) { $0 + $1.bytesPut })
        #expect(statistics.queuedWrites == 0)
        try cache.write(Person(id: "3", name: "Cyd", age: 1))
        let before = cache.statistics
        try cache.write(Person(id: "3", name: "Cyd", age: 1))
        #expect(cache.statistics.recordsPut == before.recordsPut)
        disk.faults.withLock { $0.refusesWrites = true }
        #expect(throws: CacheError.self) { try cache.write(ann) }
        #expect(cache.statistics.failedWrites == 1)
        cache.awaitTold()
        #expect(witness.seen.reports.map(\.commits).reduce(0, +) == cache.statistics.commits)
        #expect(witness.seen.reports.map(\.failedWrites) == [0, 0, 0, 0, 0, 1])
        #expect(witness.seen.reports.last?.commits == 0)
    }

    @Test("What evictions, wipes and deletions change is told once for each, in order")
    func changes() throws {
        try cache.write(ann)
        try cache.evict("Person:1")
        try cache.evict("Person:1")
        try cache.write(ann)
        try cache.delete("Person:1")
        try cache.wipe()
        cache.awaitTold()
        let commits = witness.seen.commits
        #expect(commits.map(\.changedModelIds) == [["Person:1"], [], ["Person:1"], [], []])
        #expect(commits.map(\.evictedModelIds) == [[], ["Person:1"], [], [], []])
        #expect(commits.map(\.deletedModelIds) == [[], [], [], ["Person:1"], []])
        #expect(commits.map(\.changesEverything) == [false, false, false, false, true])
        #expect(commits.map(\.sequence) == commits.map(\.sequence).sorted())
    }

    @Test("The observer of a closed handle leaves, after it was told what was committed before")
    func leaving() throws {
        let place = try TemporaryDirectory()
        let options = SharedStore.Options(disk: disk)
        let (one, two) = (Witness(), Witness())
        let first = try NormalizedCache<SharedStore>(directory: place.path, options: options, observer: one)
        let second = try NormalizedCache<SharedStore>(directory: place.path, options: options, observer: two)
        first.setModel(ann, forKey: "Person:1", context: nil)
        first.close()
        try second.delete("Person:1")
        second.awaitTold()
        #expect(one.seen.commits.map(\.changedModelIds) == [["Person:1"]])
        #expect(two.seen.commits.count == 2)
        try second.write(ann)
        second.awaitTold()
        #expect(one.seen.commits.count == 1 && two.seen.commits.count == 3)
    }

    @Test("Who observes late is told of what comes after, and each of all of it")
    func coming() throws {
        let place = try TemporaryDirectory()
        let options = SharedStore.Options(disk: disk)
        func join(_ witness: Witness?) throws -> NormalizedCache<SharedStore> {
            try NormalizedCache<SharedStore>(directory: place.path, options: options, observer: witness)
        }
        let (early, late, last) = (Witness(), Witness(), Witness())
        let unobserved = try join(nil)
        try unobserved.write(ann)
        let handles = [try join(early)]
        try unobserved.write(Person(id: "1", name: "Ann", age: 31))
        let others = try [join(late), join(last)]
        disk.faults.withLock { $0.refusesWrites = true }
        #expect(throws: CacheError.self) { try unobserved.write(ann) }
        disk.faults.withLock { $0.refusesWrites = false }
        try unobserved.delete("Person:1")
        unobserved.awaitTold()
        #expect(early.seen.commits.map(\.changedModelIds) == [["Person:1"], []])
        for witness in [late, last] {
            #expect(witness.seen.commits.map(\.deletedModelIds) == [["Person:1"]])
            #expect(witness.seen.reports.map(\.commits) == [0, 1])
            #expect(witness.seen.reports.map(\.failedWrites) == [1, 0])
        }
        for handle in handles + others { handle.close() }
        try unobserved.write(ann)
        unobserved.awaitTold()
        #expect([early, late, last].map(\.seen.commits.count) == [2, 1, 1])
    }

    @Test("A durable write is synced with its group before it is done; others need not be")
    func durability() throws {
        func count() -> Int { disk.faults.withLock { $0.synchronizations } }
        try cache.write(ann)
        try cache.flush()
        #expect(count() == 0)
        try cache.write(ann, durability: .durable)
        try cache.writeCollection([ann], as: "people", durability: .durable)
        try cache.delete("Person:1", durability: .durable)
        try cache.flush(.durable)
        #expect(count() == 4)
    }

    @Test("A durable write whose sync fails throws, though it shows; observers hear of the commit")
    func failedSynchronization() async throws {
        disk.faults.withLock { $0.refusesSynchronizations = true }
        #expect(throws: CacheError.self) { try cache.write(ann, durability: .durable) }
        await #expect(throws: CacheError.self) { try await cache.flush(.durable) }
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        cache.awaitTold()
        #expect(witness.seen.commits.map(\.changedModelIds) == [["Person:1"]])
        // An observer is told of the failure too, not only the caller that waits.
        #expect(witness.seen.failures.count == 2 && cache.statistics.failedWrites == 2)
        #expect(witness.seen.reports.map(\.failedWrites) == [1, 1])
        disk.faults.withLock { $0.refusesSynchronizations = false }
        // Systems tell of what they could not write once, and take it for written afterwards.
        await #expect(throws: CacheError.self) { try await cache.flush(.durable) }
        try await cache.write(ann)
        try await cache.wipe()
        try await cache.flush(.durable)
        try await cache.write(ann, durability: .durable)
    }

    @Test("A read that fails before it has a view is told too; one of a closed cache is not")
    func failedViews() throws {
        try cache.write(ann)
        disk.faults.withLock { $0.refusesViews = true }
        #expect(throws: CacheError.self) { try cache.model("Person:1", as: Person.self) }
        #expect(throws: CacheError.self) { try cache.collection("people", of: Person.self) }
        disk.faults.withLock { $0.refusesViews = false }
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        cache.awaitTold()
        #expect(witness.seen.failedReads.map(\.code) == [.inputOutput, .inputOutput])
        cache.close()
        #expect(throws: CacheError.self) { try cache.model("Person:1", as: Person.self) }
        #expect(witness.seen.failedReads.count == 2)
    }
}
