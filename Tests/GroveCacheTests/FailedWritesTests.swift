import Dispatch
@testable import GroveCache
import GroveCoding
import GroveModel
import Synchronization
import Testing

/// What a store that fails for long leaves behind: misses, in bounded memory, of which everybody hears.
@Suite("What could not be stored")
struct FailedWritesTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk
    let cache: Cache
    let ann = Person(id: "1", name: "Ann", age: 30)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try disk.open()
    }

    private func person(_ number: Int, _ age: Int) -> Person { Person(id: "\(number)", name: "P", age: age) }

    private func call(_ index: Int) -> LocalNumber { LocalNumber(rawValue: UInt64(index + 1)) }

    private func failed(_ sequence: LocalNumber, _ keys: Int...) -> PendingWrite {
        PendingWrite(
            sequence: sequence,
            extras: keys.map { .remove(storeKey: SharedStore.Disk.key("Person:\($0)")) })
    }

    @Test("A call that fails while others are being forgotten is not lost")
    func meanwhile() {
        var overlay = Overlay()
        overlay.lose(failed(1, 1, 2, 3))
        let tried = overlay.table.lost
        overlay.lose(failed(2, 3, 4))
        overlay.settle(Set(tried.map { ObjectIdentifier($0) }), by: failed(1, 1, 3))
        #expect(keys(of: overlay).sorted() == ["Person:2", "Person:3", "Person:4"])
    }

    /// The keys that are lost.
    private func keys(of overlay: Overlay) -> [String] {
        overlay.table.lost.flatMap(\.extras).map { String(decoding: $0.storeKey.dropFirst(), as: UTF8.self) }
    }

    /// Sets models by calls that report nothing to the caller, and waits until the cache has tried to store them.
    private func set(_ models: [Person], in cache: Cache) {
        for model in models { cache.setModel(model, forKey: "Person:\(model.id)", context: nil) }
        #expect(throws: CacheError.self) { try cache.flush() }
    }

    @Test("Retaining what could not be stored does not bring the old value back")
    func retained() throws {
        let cache = try disk.open(CacheBudget(nodes: 100))
        try cache.write(person(1, 1))
        disk.faults.withLock {
            $0.refusedKeys = [SharedStore.Disk.key("Person:1")]
            $0.keptKeys = [SharedStore.Disk.key("Person:1")]
        }
        set([person(1, 2)], in: cache)
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        try cache.retain("Person:1")
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    @Test("Each key is named once, and what is written later is let go of")
    func merging() {
        var overlay = Overlay()
        for number in 0..<1_000 { overlay.lose(failed(call(number), number, number % 7)) }
        #expect(keys(of: overlay).count == 1_000 && Set(keys(of: overlay)).count == 1_000)
        overlay.settle(by: failed(2_000, 3, 500))
        #expect(keys(of: overlay).count == 998)
        // What was written before is not made good by it.
        overlay.settle(by: failed(1, 999))
        #expect(keys(of: overlay).count == 998)
        // Nor is what failed again since.
        overlay.settle(by: failed(990, 5))
        #expect(keys(of: overlay).count == 998)
        overlay.settle(by: failed(1_001, 5))
        #expect(keys(of: overlay).count == 997)
    }

    @Test("Beyond the limit everything is to be forgotten, until a later wipe")
    func limit() {
        var overlay = Overlay(lostLimit: 2_000)
        for number in 0..<1_000 { overlay.lose(failed(call(number), number)) }
        #expect(keys(of: overlay).count < 10 && overlay.everything == 1_000)
        overlay.settle(by: PendingWrite(sequence: 999, isWipe: true))
        #expect(overlay.hasLost)
        overlay.settle(by: PendingWrite(sequence: 1_001, isWipe: true))
        #expect(!overlay.hasLost && keys(of: overlay).isEmpty)
    }

    @Test("A store that fails for long costs no more memory than its limit, and lies never")
    func everything() throws {
        let watched = Mutex<[ChangeSet]>([])
        let listener = Listener { change in watched.withLock { $0.append(change) } }
        let cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk), observer: listener)
        cache.core.state.withLock { $0.overlay.lostLimit = 4_000 }
        try cache.write(contentsOf: (0..<300).map { person($0, 1) })
        disk.faults.withLock { faults in
            faults.refusesWrites = true
            faults.refusesWipes = true
        }
        set((0..<200).map { person($0, 2) }, in: cache)
        #expect(cache.core.state.withLock { $0.overlay.everything } != nil)
        for identifier: ModelIdentifier in ["Person:0", "Person:199", "Person:250"] {
            #expect(try cache.model(identifier, as: Person.self) == nil)
        }
        // Room to write, but not yet to wipe: still nothing of what was there may show.
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(person(300, 3))
        #expect(try cache.model("Person:250", as: Person.self) == nil)
        disk.faults.withLock { $0.refusesWipes = false }
        try cache.write(person(301, 3))
        #expect(cache.core.state.withLock { !$0.overlay.hasLost })
        #expect(try cache.model("Person:301", as: Person.self) == person(301, 3))
        #expect(try cache.model("Person:0", as: Person.self) == nil)
        cache.core.audience.events.sync {}
        #expect(watched.withLock { $0.contains(where: \.changesEverything) })
    }

    @Test("A call that comes late does not land after a wipe that forgot what was set over it")
    func late() throws {
        cache.core.state.withLock { $0.overlay.lostLimit = 0 }
        try cache.write(ann)
        // It took its number, and was held up before it came to the queue.
        let number = try cache.core.takeSequence(isAwaited: false)
        disk.faults.withLock { $0.refusesWrites = true }
        set([person(1, 2)], in: cache)
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(person(2, 1))
        #expect(cache.core.state.withLock { !$0.overlay.hasLost })
        let write = PendingWrite(sequence: number, tree: try EncodedRoots([ann], mustBeIdentified: true).tree)
        #expect(throws: CacheError.self) { try cache.core.enqueue(write, schedulingDrain: false) }
        cache.core.drainNow()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(try cache.model("Person:2", as: Person.self) == person(2, 1))
    }

    @Test("A flush that another thread's wipe overtakes succeeds: nothing from before it waits any more")
    func overtakenFlush() throws {
        let number = try cache.core.takeSequence()
        try cache.wipe()
        let outcome = Mutex<Result<ChangeSet, CacheError>?>(nil)
        try cache.core.enqueue(
            PendingWrite(
                sequence: number, isDurable: true, completion: { result in outcome.withLock { $0 = result } }),
            schedulingDrain: false)
        cache.core.drainNow()
        #expect(try outcome.withLock { try #require($0) }.get().isEmpty)
        #expect(throws: CacheError.self) {
            try cache.core.enqueue(failed(number, 1), schedulingDrain: false)
        }
    }

    @Test("Refusals that wait in the queue take no more than the limit either")
    func refusals() throws {
        let cache = try disk.open(queueLimit: 0)
        try cache.write(contentsOf: (0..<10).map { person($0, 1) })
        let isHeld = DispatchSemaphore(value: 0)
        cache.core.writer.async { isHeld.wait() }
        for number in 0..<6_000 { cache.setModel(person(number, 2), forKey: "Person:\(number)", context: nil) }
        let (count, bytes) = cache.core.state.withLock { ($0.queue.calls.count, $0.queue.byteCount) }
        #expect(count < 4_000 && bytes < 1_200_000, "\(count), \(bytes)")
        #expect(try cache.model("Person:5", as: Person.self) == nil)
        isHeld.signal()
        #expect(throws: CacheError.self) { try cache.flush() }
        #expect(try cache.model("Person:5", as: Person.self) == nil)
        try cache.write(person(5, 3))
        #expect(try cache.model("Person:5", as: Person.self) == person(5, 3))
    }

    @Test("Observers and streams hear of what is forgotten once the store recovers", .timeLimit(.minutes(1)))
    func told() async throws {
        try await cache.write(contentsOf: [ann, person(2, 1)])
        var changes = cache.changes(of: "Person:1").makeAsyncIterator()
        disk.faults.withLock { $0.refusesWrites = true }
        cache.setModel(person(1, 2), forKey: "Person:1", context: nil)
        await #expect(throws: CacheError.self) { try await cache.flush() }
        disk.faults.withLock { $0.refusesWrites = false }
        try await cache.write(person(3, 1))
        #expect(await changes.next() == .evicted)
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    @Test(
        "Keys that the store refuses keep none of a hundred others, with which they were merged", arguments: [1, 3, 20])
    func halves(refused: Int) throws {
        let kept = Set((0..<refused).map { SharedStore.Disk.key("Person:\(($0 * 37) % 100)") })
        try cache.write(contentsOf: (0..<100).map { person($0, 1) })
        disk.faults.withLock { faults in
            faults.refusesWrites = true
            faults.keptKeys = kept
        }
        set((0..<100).map { person($0, 2) }, in: cache)
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(person(200, 1))
        let left = cache.core.overlay.lost.flatMap { $0.extras.map(\.storeKey) }
        #expect(Set(left) == kept)
        #expect(try (0..<100).allSatisfy { try cache.model(ModelIdentifier("Person:\($0)"), as: Person.self) == nil })
    }
}

/// Tells of commits.
private final class Listener: CacheObserver {
    private let body: @Sendable (ChangeSet) -> Void
    init(_ body: @escaping @Sendable (ChangeSet) -> Void) { self.body = body }
    func cacheDidCommit(_ changes: ChangeSet) { body(changes) }
}
