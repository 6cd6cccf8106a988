import Dispatch
@testable import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Synchronization
import Testing

/// What calls that overlap, wait and fail leave behind.
///
/// Most tests queue by hand, so that nothing depends on time.
@Suite("The queue of writes")
struct QueueTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk
    let cache: Cache
    let ann = Person(id: "1", name: "Ann", age: 30)
    let older = Person(id: "1", name: "Ann", age: 31)
    let ben = Person(id: "2", name: "Ben", age: 40)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk))
    }

    private func tree(_ model: some CacheableModel) throws -> NodeTree {
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        encoder.beginRoot()
        try model.encodeValue(to: &encoder)
        return tree
    }

    /// Queues a call for which no caller waits, and commits nothing.
    private func queue(
        _ model: (some CacheableModel)? = Person?.none, _ extras: [PendingWrite.Extra] = [],
        at sequence: LocalNumber? = nil
    ) throws {
        try cache.core.enqueue(
            PendingWrite(
                sequence: try sequence ?? cache.core.takeSequence(), tree: try model.map { try tree($0) },
                extras: extras), schedulingDrain: false)
    }

    private func forget(_ identifier: String) -> PendingWrite.Extra {
        .remove(storeKey: SharedStore.Disk.key(identifier))
    }

    @Test("What only fills gaps does not hide what is queued before it")
    func fillsGaps() throws {
        try cache.write(ann)
        try queue(older)
        try cache.core.enqueue(
            PendingWrite(sequence: try cache.core.takeSequence(), tree: try tree(ann), fillsOnly: true),
            schedulingDrain: false)
        #expect(try cache.model("Person:1", as: Person.self) == older)
        cache.core.drainNow()
        #expect(try cache.model("Person:1", as: Person.self) == older)
    }

    // MARK: Invalidations

    @Test("A wipe that comes while what failed is being forgotten is no trap")
    func wipeDuringSettling() throws {
        try cache.write(ann)
        disk.faults.withLock { $0.refusesWrites = true }
        try queue(older)
        #expect(throws: CacheError.self) { try cache.flush() }
        let core = cache.core
        disk.faults.withLock { faults in
            faults.refusesWrites = false
            faults.beforeWrite = {
                _ = try? core.enqueue(
                    PendingWrite(sequence: try core.takeSequence(), isWipe: true), schedulingDrain: false)
            }
        }
        try queue(ben)
        core.drainNow()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    @Test("What a wipe overtook is a miss, not the value from before, where the wipe fails")
    func overtakenByFailedWipe() throws {
        try cache.write(ann)
        let early = try cache.core.takeSequence()
        disk.faults.withLock { $0.refusesWipes = true }
        try cache.core.enqueue(
            PendingWrite(sequence: try cache.core.takeSequence(), isWipe: true), schedulingDrain: false)
        let error = #expect(throws: CacheError.self) { try queue(older, at: early) }
        #expect(error?.code == .cancelled)
        cache.core.drainNow()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        disk.faults.withLock { $0.refusesWipes = false }
        try cache.write(ben)
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        try cache.write(ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }

    @Test("What somebody waits for shows when it is committed, and never where it fails")
    func awaitedWrites() throws {
        try cache.write(ann)
        let seen = Mutex<[Int?]>([])
        disk.faults.withLock { faults in
            faults.refusesWrites = true
            faults.beforeWrite = { [cache] in
                let age = try? cache.model("Person:1", as: Person.self)?.age
                seen.withLock { $0.append(age) }
            }
        }
        #expect(throws: CacheError.self) { try cache.write(older) }
        #expect(seen.withLock { $0 } == [30])
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(older)
        #expect(seen.withLock { $0 } == [30, 30])
        #expect(try cache.model("Person:1", as: Person.self) == older)
    }

    @Test("What failed stays forgotten where a wipe fails too")
    func failedWipe() throws {
        try cache.write(ann)
        disk.faults.withLock { faults in
            faults.refusesWrites = true
            faults.refusesWipes = true
        }
        try queue(older)
        #expect(throws: CacheError.self) { try cache.flush() }
        #expect(throws: CacheError.self) { try cache.wipe() }
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    @Test("A write that failed does not take a later one of its group with it")
    func laterWriteOfTheGroup() throws {
        try cache.write(ann)
        disk.faults.withLock { $0.refusedKeys = [SharedStore.Disk.key("Person:2")] }
        try queue(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        try queue(older)
        #expect(throws: CacheError.self) { try cache.flush() }
        #expect(try cache.model("Person:1", as: Person.self) == older)
        try cache.write(Person(id: "3", name: "Cid", age: 1))
        #expect(try cache.model("Person:1", as: Person.self) == older)
    }

    @Test("What cannot be forgotten in the store hides nothing that was written later")
    func laterWriteOverFailed() throws {
        try cache.write(ann)
        try cache.write(ben)
        disk.faults.withLock { faults in
            faults.refusesWrites = true
            faults.keptKeys = [SharedStore.Disk.key("Person:2")]
        }
        try queue(older)
        try queue(Person(id: "2", name: "Ben", age: 41))
        #expect(throws: CacheError.self) { try cache.flush() }
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(older)
        #expect(try cache.model("Person:1", as: Person.self) == older)
        #expect(try cache.model("Person:2", as: Person.self) == nil)
    }

    @Test("A record of a later version does not keep others from being forgotten")
    func futureRecord() throws {
        try cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        try disk.makeFuture("Person:2")
        try queue(Message(id: "34", text: "Bye", sender: older, editor: ben))
        #expect(throws: CacheError.self) { try cache.flush() }
        try cache.write(Person(id: "3", name: "Cid", age: 1))
        #expect(cache.core.state.withLock { !$0.overlay.hasLost })
        #expect(try cache.read("Message:34", as: Message.self) == .miss(CacheMiss(.absent, "Message:34")))
        try cache.write(older)
        #expect(try cache.model("Person:1", as: Person.self) == older)
        let error = #expect(throws: CacheError.self) { try cache.read("Person:2", as: Person.self) }
        #expect(error?.code == .unsupportedFormat)
    }

    @Test("A deletion that the queue has no room for is not forgotten by holders")
    func refusedDeletion() throws {
        let cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk), queueLimit: 0)
        let message = Message(id: "34", text: "Hello", sender: ann, editor: ben)
        try cache.write(message)
        cache.deleteModel(ben, forKey: nil, context: nil)
        #expect(throws: CacheError.self) { try cache.flush() }
        try cache.write(ben)
        #expect(try cache.model("Message:34", as: Message.self)?.editor == nil)
        try cache.write(message)
        #expect(try cache.model("Message:34", as: Message.self) == message)
    }

    @Test("A store whose own record is damaged is still read, whatever could not be written")
    func damagedState() throws {
        try cache.write(ann)
        try cache.write(ben)
        try disk.damageState()
        try queue(older)
        #expect(throws: CacheError.self) { try cache.flush() }
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(try cache.model("Person:2", as: Person.self) == ben)
    }

    // MARK: Place in time

    @Test("A queued write over a tombstone that is queued to be forgotten remembers the deletion")
    func queuedForgetting() throws {
        try cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        try cache.delete("Person:2")
        try queue(Person?.none, [forget("Person:2")])
        try queue(ben)
        let queued = try cache.read("Message:34", as: Message.self)
        try cache.flush()
        let committed = try cache.read("Message:34", as: Message.self)
        #expect(queued == committed)
        #expect(committed.value == nil)
    }

    @Test("Forgetting a damaged tombstone does not bring the deleted child back to its holder")
    func damagedTombstone() throws {
        try cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        try cache.delete("Person:2")
        try disk.damage("Person:2")
        try cache.evict("Person:2")
        try cache.write(ben)
        #expect(try cache.model("Message:34", as: Message.self) == nil)
    }

    @Test("A write called before a deletion does not land after it, also where the tombstone was evicted")
    func lateWriteAfterEvictedTombstone() throws {
        try cache.write(ben)
        let late = try cache.core.takeSequence()
        try cache.delete("Person:2")
        try cache.evict("Person:2")
        try queue(ben, at: late)
        try cache.flush()
        #expect(try cache.model("Person:2", as: Person.self) == nil)
    }

    @Test("A write called between two deletions does not land after the second")
    func lateWriteBetweenDeletions() throws {
        try cache.delete("Person:2")
        let late = try cache.core.takeSequence()
        #expect(try cache.delete("Person:2").deletedModelIds.isEmpty)
        try queue(ben, at: late)
        try cache.flush()
        #expect(try cache.model("Person:2", as: Person.self) == nil)
    }

    @Test("A deletion that a later call overtook still shows in holders from before it")
    func overtakenDeletion() throws {
        try cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        let late = try cache.core.takeSequence()
        try cache.write(Person(id: "2", name: "Ben", age: 41))
        try queue(Person?.none, [.tombstone("Person:2")], at: late)
        for _ in 0..<2 {
            #expect(try cache.model("Person:2", as: Person.self)?.age == 41)
            #expect(try cache.model("Message:34", as: Message.self)?.editor == nil)
            try cache.flush()
        }
    }

    @Test("A deletion that a projection's write overtook takes the projections from before it along")
    func overtaken() throws {
        try cache.write(ForkLink(id: "a", left: ForkStub(id: "l")))
        let late = try cache.core.takeSequence()
        try cache.write(ForkStub(id: "a"))
        try queue(Person?.none, [.tombstone("Fork:a")], at: late)
        for _ in 0..<2 {
            #expect(try cache.model("Fork:a", as: ForkStub.self) == ForkStub(id: "a"))
            #expect(try cache.read("Fork:a", as: ForkLink.self) == .miss(CacheMiss(.incomplete, "Fork:a")))
            try cache.flush()
        }
    }

    @Test("A late call that changes nothing does not put a holder back in time")
    func lateRefresh() throws {
        let message = Message(id: "34", text: "Hello", sender: ann, editor: ben)
        let late = try cache.core.takeSequence()
        try cache.delete("Person:2")
        try cache.write(message)
        try queue(message, at: late)
        for _ in 0..<2 {
            #expect(try cache.model("Message:34", as: Message.self) == message)
            try cache.flush()
        }
    }

    @Test("Writing a projection without references does not bring a deleted child back")
    func projectionOverDeletion() throws {
        try cache.write(ForkLink(id: "a", left: ForkStub(id: "b")))
        try cache.delete("Fork:b")
        try cache.write(ForkStub(id: "b"))
        #expect(try cache.model("Fork:a", as: ForkLink.self) == ForkLink(id: "a"))
        try queue(ForkStub(id: "a"))
        for _ in 0..<2 {
            #expect(try cache.model("Fork:a", as: ForkLink.self) == ForkLink(id: "a"))
            try cache.flush()
        }
        try cache.write(ForkStub(id: "a"))
        #expect(try cache.model("Fork:a", as: ForkLink.self) == ForkLink(id: "a"))
    }

    @Test("Writing a projection with references does not bring back a deleted child of another projection")
    func projectionWithReferencesOverDeletion() throws {
        let left = ForkStub(id: "l")
        try cache.write(ForkLink(id: "a", left: left, right: ForkStub(id: "b")))
        try cache.delete("Fork:b")
        try cache.write(ForkStub(id: "b"))
        try cache.write(ForkHalf(id: "a", left: left))
        #expect(try cache.model("Fork:a", as: ForkLink.self) == ForkLink(id: "a", left: left))
    }

    // MARK: Other processes

    @Test("A read sees its own process's queued write over another process's deletion")
    func foreignDeletion() throws {
        let other = try Cache(directory: nil, options: SharedStore.Options(disk: disk))
        for _ in 0..<5 { try other.write(ann) }
        try other.delete("Person:1")
        try queue(older)
        #expect(try cache.model("Person:1", as: Person.self) == older)
        try cache.flush()
        #expect(try cache.model("Person:1", as: Person.self) == older)
        #expect(try other.model("Person:1", as: Person.self) == older)
    }

    @Test("A queued write does not bring back what another process deleted and forgot")
    func foreignForgottenDeletion() throws {
        let message = Message(id: "34", text: "Hello", sender: ann, editor: ben)
        try cache.write(message)
        let other = try Cache(directory: nil, options: SharedStore.Options(disk: disk))
        try other.delete("Person:2")
        try other.evict("Person:2")
        try queue(ben)
        for _ in 0..<2 {
            #expect(try cache.model("Message:34", as: Message.self) == nil)
            try cache.flush()
        }
    }

    @Test("A transaction that waited while another one waited for the lock in vain fails with it")
    func waiting() throws {
        let since = cache.core.ledger.lockFailures
        disk.faults.withLock { $0.isLocked = true }
        #expect(throws: CacheError.self) { try cache.write(ann) }
        let tried = disk.faults.withLock { $0.attempts }
        #expect {
            try cache.core.writer.sync { try cache.core.runTransaction(.standard, since: since) { _ in } }
        } throws: { ($0 as? CacheError)?.code == .locked }
        #expect(disk.faults.withLock { $0.attempts } == tried)
        #expect(throws: CacheError.self) { try cache.write { tx in try tx.write(ben) } }
        #expect(disk.faults.withLock { $0.attempts } == tried + 1)
    }

    @Test("A call that is refused behind one that waits is forgotten behind that one")
    func behindQueued() throws {
        let newest = Person(id: "1", name: "Ann", age: 32)
        try cache.write(ann)
        try cache.whileWriterRests { () throws in
            cache.setModel(older, forKey: "Person:1", context: nil)
            try cache.core.beginSuspension()
            cache.setModel(newest, forKey: "Person:1", context: nil)
        }
        cache.core.writer.sync { cache.core.finishSuspension(since: cache.core.ledger.lockFailures) }
        try cache.resume()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    // MARK: Bounds and ends

    @Test("A collection of models without identifiers counts towards the queue's bound")
    func collectionBytes() throws {
        let cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk), queueLimit: 10_000)
        cache.setCollection(Array(repeating: Note(text: "a note"), count: 10_000), forKey: "notes", context: nil)
        let error = #expect(throws: CacheError.self) { try cache.flush() }
        #expect(error?.code == .queueFull)
    }

    @Test("If there is no room even for what is forgotten, everything is, but for what is kept")
    func forgetsAllButKept() throws {
        let cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk), queueLimit: 0)
        try cache.write(ann)
        try cache.write { tx in try tx.keep([3, 4], as: "pending") }
        for number in 0..<200 {
            let content = try PendingWrite.Content.alias(String(repeating: "k", count: 7_900) + "\(number)", of: ann)
            let write = PendingWrite(
                sequence: try cache.core.takeSequence(), tree: content.tree, extras: content.extras)
            #expect(throws: CacheError.self) { try cache.core.enqueue(write, schedulingDrain: false) }
        }
        try cache.flush()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(try cache.kept("pending") == [3, 4])
        try cache.write { tx in try tx.keep(nil, as: "pending") }
        #expect(try cache.size().entries == 1)
    }

    @Test("A large write that its caller waits for takes no room from those that are not waited for")
    func separateRoom() throws {
        let cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk), queueLimit: 10_000)
        let core = cache.core
        let large = Person(id: "2", name: String(repeating: "x", count: 20_000), age: 1)
        let content = try PendingWrite.Content.alias("large", of: large)
        try core.enqueue(
            PendingWrite(
                sequence: try core.takeSequence(), tree: content.tree, extras: content.extras, completion: { _ in }),
            schedulingDrain: false)
        #expect(core.state.withLock { $0.queue.awaitedByteCount > 10_000 && !core.hasRoom($0) })
        cache.setModel(ann, forKey: "Person:1", context: nil)
        try cache.flush()
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        #expect(core.state.withLock { $0.queue.byteCount } == 0)
    }

    @Test("A task that is cancelled while it waits for room writes nothing")
    func cancelledWhileWaiting() async throws {
        let cache = try Cache(directory: nil, options: SharedStore.Options(disk: disk), queueLimit: 0)
        let core = cache.core
        try core.enqueue(
            PendingWrite(sequence: try core.takeSequence(), completion: { _ in }), schedulingDrain: false)
        let executor = StepExecutor()
        let task = Task(executorPreference: executor) { [ann] () -> CacheError? in
            do throws(CacheError) { try await cache.write(ann) } catch { return error }
            return nil
        }
        executor.run()
        #expect(core.state.withLock { !$0.waiting.isEmpty })
        task.cancel()
        // It does not wait for the queue to move.
        executor.run()
        #expect(await task.value?.code == .cancelled)
        #expect(core.state.withLock { $0.waiting.isEmpty && $0.queue.calls.count == 1 })
        core.drainNow()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    @Test("A closed store is left alone, whatever could not be forgotten in it")
    func drainAfterClose() throws {
        disk.faults.withLock { $0.refusesWrites = true }
        try queue(ann)
        cache.close()
        disk.faults.withLock { $0.beforeWrite = { Issue.record("The store was closed.") } }
        cache.core.drainNow()
    }

    @Test("A wipe does not wait for reads that came after it")
    func wipeUnderReads() throws {
        let core = cache.core
        try core.enqueue(PendingWrite(sequence: try core.takeSequence(), isWipe: true), schedulingDrain: false)
        let reader = try core.beginRead()
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            core.drainNow()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 20) == .success)
        core.endRead(reader)
    }
}

/// A model without an identifier.
struct Note: SimpleModel, CacheableModel, Equatable {
    var text: String

    var modelIdentifier: ModelIdentifier? { nil }
    static let fields = FieldTable("text")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(text, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Note {
        let text = try node.scan(String.self, at: 0)
        return Note(text: try node.finish(text))
    }
}

/// Runs a task on the thread that asks for it, until the task waits.
private final class StepExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
