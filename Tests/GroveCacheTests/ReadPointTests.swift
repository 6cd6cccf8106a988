import Dispatch
import Foundation
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

@testable import GroveCache

@Suite("Reads without the lock of the state")
struct ReadPointTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk
    let cache: Cache
    let ann = Person(id: "1", name: "Ann", age: 1)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try disk.open()
        try cache.write(ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }

    /// Ann's age, as a read finds it.
    private var age: Int? { get throws { try cache.model("Person:1", as: Person.self)?.age } }

    /// A call that sets Ann's age, for which no caller waits.
    private func call(_ age: Int) throws -> PendingWrite {
        let roots = try EncodedRoots([Person(id: "1", name: "Ann", age: age)], mustBeIdentified: true)
        return PendingWrite(sequence: try cache.core.takeSequence(), tree: roots.tree)
    }

    /// Queues such a call, and commits nothing.
    private func queue(_ age: Int) throws { try cache.core.enqueue(call(age), schedulingDrain: false) }

    @Test("A queued call that says what is stored is no change to an answer behind it, as when both are committed")
    func answerBehindRepetition() throws {
        let asked = cache.core.place()
        try queue(1)
        let answer = try EncodedRoots([Person(id: "1", name: "Ann", age: 2)], mustBeIdentified: true)
        try cache.core.enqueue(
            PendingWrite(sequence: try cache.core.takeSequence(), asOf: asked, tree: answer.tree),
            schedulingDrain: false)
        #expect(try age == 2)
        cache.core.drainNow()
        #expect(try age == 2)
    }

    /// What the next read begins with, which no read uses.
    private func point() throws -> ReadPoint {
        let core = cache.core
        let point = try core.state.withLock { (state) throws(CacheError) in try state.enterPoint(core) }
        try #require(point).leave()
        return try #require(point)
    }

    /// Whether `point` stands.
    private func stands(_ point: ReadPoint) -> Bool {
        guard point.enter() else { return false }
        point.leave()
        return true
    }

    /// Whether a read on another thread returns while this one holds the lock.
    private func readsWhileLocked() -> Bool {
        let done = DispatchSemaphore(value: 0)
        let wait = { done.wait(timeout: .now() + 1) == .success }
        return cache.core.state.withLock { [cache] _ in
            Thread.detachNewThread {
                _ = try? cache.model("Person:2", as: Person.self)
                done.signal()
            }
            return wait()
        }
    }

    @Test("A cache that is idle is read while another thread holds the lock")
    func idle() throws {
        #expect(readsWhileLocked())
        // A commit that a caller waits for takes nothing from that.
        try cache.write(Person(id: "2", name: "Ben", age: 2))
        #expect(readsWhileLocked())
    }

    @Test("So is a cache whose queue stands still, under keys that no queued call names")
    func beside() throws {
        try queue(2)
        #expect(try age == 2)
        #expect(readsWhileLocked())
        try queue(3)
        #expect(try age == 3)
        #expect(readsWhileLocked())
    }

    @Test("What is queued, what failed and a suspension are seen at once")
    func busy() throws {
        let core = cache.core
        #expect(core.state.withLock { $0.isPlain })
        let idle = try point()
        #expect(stands(idle))
        // Queued, and then committed.
        try queue(2)
        #expect(!stands(idle))
        #expect(try age == 2)
        let queued = try point()
        try queue(3)
        #expect(!stands(queued))
        #expect(try age == 3)
        core.drainNow()
        #expect(core.state.withLock { $0.isPlain })
        #expect(try age == 3)
        // Failed, and then made good.
        try queue(4)
        #expect(try age == 4)
        disk.faults.withLock { $0.refusesWrites = true }
        let failing = try point()
        core.drainNow()
        #expect(!stands(failing))
        #expect(try age == nil)
        let failed = try point()
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(ann)
        #expect(!stands(failed))
        #expect(try age == 1)
        #expect(core.state.withLock { $0.isPlain })
        // Suspended: the lock is needed for the error.
        let last = try point()
        try cache.suspend()
        #expect(!stands(last))
        #expect(throws: CacheError.self) { _ = try age }
        try cache.resume()
        #expect(try age == 1)
        cache.close()
        #expect(throws: CacheError.self) { _ = try age }
    }

    @Test("A wipe is seen while it is queued, once it has failed, and once it is done")
    func wiping() throws {
        let core = cache.core
        try queue(2)
        core.drainNow()
        #expect(try age == 2)
        try core.enqueue(
            PendingWrite(sequence: try core.takeSequence(), isWipe: true, completion: { _ in }), schedulingDrain: false)
        #expect(try age == nil)
        disk.faults.withLock { $0.refusesWipes = true }
        core.drainNow()
        #expect(try age == 2)
        disk.faults.withLock { $0.refusesWipes = false }
        try queue(3)
        #expect(try age == 3)
        try cache.wipe()
        #expect(try age == nil)
    }

    @Test("Calls leave the memory with their commit, though a reader rests, or else with the last read")
    func released() throws {
        let core = cache.core
        weak var held: PendingWrite?
        func queueOne(_ age: Int) throws {
            let call = try call(age)
            held = call
            try core.enqueue(call, schedulingDrain: false)
        }
        try queueOne(2)
        #expect(try age == 2)
        #expect(held != nil)
        core.drainNow()
        #expect(held == nil)
        try queueOne(3)
        try cache.read { view in
            core.drainNow()
            #expect(held != nil)
            let ann = try view.model("Person:1", as: Person.self)
            #expect(ann?.age == 3)
        }
        #expect(held == nil)
    }

    @Test("A point that falls beside reads keeps what is queued until the last of them ends, and takes no further one")
    func falling() throws {
        for _ in 0..<300 {
            let pending = PendingReads(cache.core, failedWrites: [])
            let point = ReadPoint(
                try #require(cache.core.state.withLock { $0.life.currentStore }), showsStore: true, epochNumber: 1,
                word: nil, commitCount: .zero, pending: pending)
            let begun = Atomic(0)
            let lost = Atomic(0)
            let group = DispatchGroup()
            for _ in 0..<3 {
                group.enter()
                Thread.detachNewThread {
                    begun.add(1, ordering: .relaxed)
                    while point.enter() {
                        if point.pending == nil { lost.add(1, ordering: .relaxed) }
                        point.leave()
                    }
                    group.leave()
                }
            }
            while begun.load(ordering: .relaxed) < 2 { sched_yield() }
            point.fall()
            group.wait()
            let lostCount = lost.load(ordering: .relaxed)
            #expect(lostCount == 0)
            #expect(point.pending == nil)
            #expect(!stands(point))
        }
    }
}

@Suite("Which keys a queue may name")
struct QueueFilterTests {
    @Test(
        "A queue of many calls may name each of their keys, and of others hardly one",
        arguments: [1, 16, 17, 600, 5_000])
    func keys(count: Int) throws {
        var queue = QueueIndex()
        func mayName(_ name: String) -> Bool {
            unsafe PendingWrite.Extra.tombstone(ModelIdentifier(name)).storeKey.withUnsafeBytes {
                unsafe queue.mayName($0)
            }
        }
        for number in 0..<count {
            let call = PendingWrite(
                sequence: LocalNumber(rawValue: UInt64(number + 1)), extras: [.tombstone("Person:\(number)")])
            call.take(place: QueuePlace(rawValue: UInt64(number + 1)))
            queue.insert(call)
        }
        let before = queue
        #expect((0..<count).allSatisfy { mayName("Person:\($0)") })
        #expect((0..<1_000).count { mayName("Message:\($0)") } < 250)
        // Once all have left, and in a copy of before.
        _ = queue.forget(upTo: QueuePlace(rawValue: UInt64(count)))
        #expect((0..<count).allSatisfy { !mayName("Person:\($0)") })
        queue = before
        #expect((0..<count).allSatisfy { mayName("Person:\($0)") })
    }
}
