import GroveCoding
import GroveModel

/// A user's transaction while its body runs: the engine's transaction, a reader of it, and the changes so far.
///
/// It is the innermost read of its thread, so that any other call to the cache is refused there.
@safe
// SAFETY: the one thread that has the writer's turn uses it, and others only while that one waits for them.
final class TransactionScope: CurrentRead, @unchecked Sendable {
    let core: CacheCore
    let reader: Reconstructor
    /// The changes of the body, as one change set.
    private(set) var changes: ChangeSetUnion
    private(set) var durability = Durability.standard
    /// The types of which the body deleted all models; that ends calls under way as a wipe does.
    var deletedTypes: Set<ObjectIdentifier> = []
    let life = SnapshotLife()
    /// The writes of the body, kept if keys were lost before or there is a budget: they make keys good, or are written
    /// again with more room.
    private(set) var writes: [PendingWrite] = []
    /// The error that keeps the transaction from being committed, whatever the body does next.
    private(set) var failure: CacheError?
    private let commit: UnsafeMutablePointer<WriteTransaction>
    private let limit: TransactionLimit
    private let time: UInt32

    init(_ core: CacheCore, _ commit: UnsafeMutablePointer<WriteTransaction>, _ limit: TransactionLimit) {
        self.core = core
        unsafe self.commit = unsafe commit
        self.limit = limit
        time = core.ages.clock.ofCall
        changes = ChangeSetUnion(sequence: .zero)
        reader = Reconstructor(owner: ObjectIdentifier(core), keepsTouches: false)
        super.init(owner: ObjectIdentifier(core))
    }

    /// Begins to read the transaction; keys that were lost, as `pending` says, are missing until the body writes them.
    func begin(_ pending: PendingReads?) {
        enterThread()
        reader.begin(unsafe commit.pointee.transaction, keepsBytes: false, pending: pending)
    }

    /// Ends the scope: code that still has it cannot use it.
    func end() {
        life.isOver = true
        // The engine ends its transaction itself.
        unsafe reader.state.pointee.basis.dropView()
        reader.end()
        leaveThread()
    }

    /// Performs one call of the body.
    func perform(_ durability: Durability, _ content: PendingWrite.Content) throws(CacheError) -> ChangeSet {
        if let failure { throw failure }
        if let asOf = content.asOf, core.state.withLock({ $0.wipes.life }) != asOf.life {
            throw CacheError.isOfAnotherLife
        }
        if durability == .durable { self.durability = .durable }
        let write = PendingWrite(
            content, sequence: core.takeNumber(), time: content.isConfirmed ? content.asOf?.time ?? time : 0)
        do throws(CacheError) {
            let set = try unsafe commit.pointee.stage(write)
            if let buffer = unsafe commit.pointee.buffer { try limit.check(buffer) }
            changes.add(set)
            if reader.settle(by: write) || limit.isLimited { writes.append(write) }
            return set
        } catch {
            // A part of the call may be in the engine's transaction.
            failure = error
            throw error
        }
    }
}

/// The most that one transaction of a user may put; each record that changes counts once.
struct TransactionLimit {
    /// The part of the capacity that a transaction may change: one in this many.
    private static let share = 2

    var entries = Int.max
    var bytes = Int.max

    init() {}

    init(_ evictor: Evictor) {
        entries = evictor.budget.nodes ?? .max
        bytes = evictor.budget.bytes == nil ? .max : evictor.capacity / TransactionLimit.share
    }

    /// Whether there is a budget.
    var isLimited: Bool { entries < .max || bytes < .max }

    /// Checks the writes so far.
    ///
    /// - Throws: ``CacheError`` with code `overBudget`.
    func check(_ buffer: BufferedTransaction) throws(CacheError) {
        guard buffer.putBytes > bytes || buffer.putCount > entries else { return }
        let most = bytes < .max ? "\(bytes) bytes" : "\(entries) records"
        throw CacheError(
            .overBudget,
            "The transaction changes \(buffer.putCount) records and \(buffer.putBytes) bytes, and within this budget one may "
                + "change \(most); write less at once.")
    }
}
