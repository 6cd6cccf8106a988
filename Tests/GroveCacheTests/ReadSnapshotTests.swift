import Dispatch
import Foundation
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

@testable import GroveCache

@Suite("Reads without the lock of the state")
struct ReadSnapshotTests {
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
    private func snapshot() throws -> ReadSnapshot {
        let core = cache.core
        let snapshot = try core.state.withLock { (state) throws(CacheError) in try state.enterSnapshot(core) }
        _ = try #require(snapshot).leave()
        return try #require(snapshot)
    }

    /// Whether `snapshot` stands.
    private func stands(_ snapshot: ReadSnapshot) -> Bool {
        guard snapshot.enter() else { return false }
        _ = snapshot.leave()
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
        let idle = try snapshot()
        #expect(stands(idle))
        // Queued, and then committed.
        try queue(2)
        #expect(!stands(idle))
        #expect(try age == 2)
        let queued = try snapshot()
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
        let failing = try snapshot()
        core.drainNow()
        #expect(!stands(failing))
        #expect(try age == nil)
        let failed = try snapshot()
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(ann)
        #expect(!stands(failed))
        #expect(try age == 1)
        #expect(core.state.withLock { $0.isPlain })
        // Suspended: the lock is needed for the error.
        let last = try snapshot()
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

    /// Queues a call that sets Ann's age; returns whether anything still holds that.
    private func queueHeld(_ age: Int) throws -> () -> Bool {
        let call = try call(age)
        try cache.core.enqueue(call, schedulingDrain: false)
        return { [weak call] in call != nil }
    }

    @Test("A view shows what was queued when it began, while calls fail, are overwritten and leave; then nothing stays")
    func view() throws {
        let core = cache.core
        let ben = try EncodedRoots([Person(id: "2", name: "Ben", age: 2)], mustBeIdentified: true)
        try queue(2)
        try core.enqueue(PendingWrite(sequence: try core.takeSequence(), tree: ben.tree), schedulingDrain: false)
        disk.faults.withLock { $0.refusedKeys = [SharedStore.Disk.key("Person:2")] }
        try cache.read { view in
            // One overwrites what the view needs, the other one what no view does.
            let isHeld = [try queueHeld(3), try queueHeld(4)]
            core.drainNow()
            #expect(isHeld.allSatisfy { !$0() })
            let ages = try ["Person:1", "Person:2"].map { try view.model(ModelIdentifier($0), as: Person.self)?.age }
            #expect(ages == [2, 2])
        }
        #expect(try age == 4)
        #expect(try cache.model("Person:2", as: Person.self) == nil)
        disk.faults.withLock { $0.refusedKeys = [] }
        core.drainNow()
        #expect(core.state.withLock { $0.isPlain })
        #expect(core.overlay.calls.isEmpty)
    }

    @Test("What comes and leaves while a read goes on stays no longer than other reads need it")
    func longRead() throws {
        let core = cache.core
        /// A snapshot as a read has it that goes on.
        func begin() throws -> ReadSnapshot {
            try #require(core.state.withLock { (state) throws(CacheError) in try state.enterSnapshot(core) })
        }
        func end(_ snapshot: ReadSnapshot) { if snapshot.leave() { core.sweep() } }
        let isFirstHeld = try queueHeld(2)
        let long = try begin()
        for age in 3..<50 {
            let isHeld = try queueHeld(age)
            let short = try begin()
            core.drainNow()
            #expect(isHeld())
            end(short)
            #expect(!isHeld())
        }
        #expect(isFirstHeld())
        #expect(core.overlay.calls.count == 1)
        end(long)
        #expect(!isFirstHeld())
        #expect(core.overlay.calls.isEmpty)
    }

    @Test("Of the reads beside which a snapshot falls one is told that it is the last, and none enters any more")
    func falling() throws {
        for _ in 0..<300 {
            let pending = PendingReads(ofTransaction: cache.core, at: .zero)
            let snapshot = ReadSnapshot(
                try #require(cache.core.state.withLock { $0.life.currentStore }), showsStore: true,
                epoch: cache.core.readers.epoch.current, word: nil, commitCount: .zero, pending: pending)
            let begun = Atomic(0)
            let last = Atomic(0)
            let group = DispatchGroup()
            for _ in 0..<3 {
                group.enter()
                Thread.detachNewThread {
                    begun.add(1, ordering: .relaxed)
                    while snapshot.enter() {
                        if snapshot.leave() { last.add(1, ordering: .relaxed) }
                    }
                    group.leave()
                }
            }
            while begun.load(ordering: .relaxed) < 2 { sched_yield() }
            let isUsed = snapshot.fall()
            group.wait()
            let lastCount = last.load(ordering: .relaxed)
            #expect(!isUsed || lastCount > 0)
            #expect(!snapshot.isUsed && !stands(snapshot))
        }
    }
}

@Suite("Which entries a reader finds under a key")
struct OverlayTests {
    @Test("A queue of many calls has each of their keys, and no other", arguments: [1, 16, 600, 5_000])
    func keys(count: Int) throws {
        var overlay = Overlay()
        let begin = overlay.lastPlace
        func names(_ name: String, at place: QueuePlace? = nil) -> Bool {
            let key = PendingWrite.Extra.tombstone(ModelIdentifier(name)).storeKey
            return unsafe key.withUnsafeBytes { key in
                unsafe !overlay.table.entries(under: key, at: place ?? overlay.lastPlace, behind: .zero).isEmpty
            }
        }
        var calls: [PendingWrite] = []
        for number in 0..<count {
            let call = PendingWrite(
                sequence: LocalNumber(rawValue: UInt64(number + 1)), extras: [.tombstone("Person:\(number)")])
            call.take(place: overlay.nextPlace())
            overlay.insert(call)
            calls.append(call)
        }
        #expect((0..<count).allSatisfy { names("Person:\($0)") && !names("Person:\($0)", at: begin) })
        #expect((0..<1_000).allSatisfy { !names("Message:\($0)") })
        let full = overlay.lastPlace
        for call in calls.prefix(count / 2) { overlay.leave(call) }
        for call in calls.dropFirst(count / 2) { overlay.remove(call) }
        #expect((0..<count).allSatisfy { names("Person:\($0)", at: full) })
        #expect((count / 2..<count).allSatisfy { !names("Person:\($0)") })
        overlay.table.remove(overlay.takeUnneeded())
        #expect(overlay.table.calls.isEmpty)
    }
}
