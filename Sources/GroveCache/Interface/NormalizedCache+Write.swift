import Dispatch
public import GroveCoding
public import GroveModel
import Synchronization

extension NormalizedCache {
    /// Writes `model` and every identified model in its tree, and returns when the commit is visible.
    ///
    /// All or nothing. Blocks the calling thread for the commit; in a task, the `async` form of the same name is used.
    ///
    /// - Complexity: O(*n*) store operations for *n* distinct nodes; unchanged nodes are read and not written.
    /// - Returns: the identifiers whose stored bytes changed.
    /// - Throws: ``CacheError`` with code `unidentified`, `emptyIdentifier`, `tooDeep`, `tooManyPaths`, `unencodable`,
    ///   `tooLarge`, `full`, `inputOutput`, `cancelled`, `reentrant`, `suspended` or `closed`. Then nothing was stored, but
    ///   where only the sync of a durable write failed: see ``Durability/durable``.
    @discardableResult
    public func write<M: CacheableModel>(
        _ model: M
    ) throws(CacheError) -> ChangeSet {
        try write(model, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func write<M: CacheableModel>(
        _ model: M, durability: Durability
    ) throws(CacheError) -> ChangeSet {
        try write(contentsOf: CollectionOfOne(model), durability: durability)
    }

    /// Writes `models` in one transaction, in order; see ``write(_:)-(M)``.
    @discardableResult
    public func write<M: CacheableModel>(
        contentsOf models: some Collection<M>
    ) throws(CacheError) -> ChangeSet {
        try write(contentsOf: models, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func write<M: CacheableModel>(
        contentsOf models: some Collection<M>, durability: Durability
    ) throws(CacheError) -> ChangeSet {
        try perform(durability) { (sequence) throws(CacheError) in
            let encoded = try EncodedRoots(models, mustBeIdentified: true)
            return PendingWrite.Content(tree: encoded.tree)
        }
    }

    /// Writes `elements` as the collection under `key`, in order, duplicates kept, and every identified model in it.
    ///
    /// All or nothing; see ``write(_:)-(M)``. An element without an identifier is kept inside the collection's record.
    @discardableResult
    public func writeCollection<M: CacheableModel>(
        _ elements: some Collection<M>, forKey key: String
    ) throws(CacheError) -> ChangeSet {
        try writeCollection(elements, forKey: key, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func writeCollection<M: CacheableModel>(
        _ elements: some Collection<M>, forKey key: String, durability: Durability
    ) throws(CacheError) -> ChangeSet {
        try NormalizedCache.check(ModelIdentifier(key))
        return try perform(durability) { (sequence) throws(CacheError) in
            let encoded = try EncodedRoots(elements, mustBeIdentified: false)
            return PendingWrite.Content(tree: encoded.tree, extras: [encoded.collection(key)])
        }
    }

    /// Forgets the collection under `key`; its elements stay.
    public func removeCollection(forKey key: String) throws(CacheError) {
        try NormalizedCache.check(ModelIdentifier(key))
        try perform { (sequence) throws(CacheError) in
            PendingWrite.Content(extras: [.remove(Namespace.collection, key)])
        }
    }

    /// Deletes the model of `identifier`: it stays deleted, everywhere, until it is written again.
    ///
    /// Whoever held it reads `nil` where it was optional and a list without it; where it was required, the holder
    /// reads as deleted too. Deleting what is not there is remembered all the same. Its children stay.
    @discardableResult
    public func delete(
        _ identifier: ModelIdentifier
    ) throws(CacheError) -> ChangeSet {
        try delete(identifier, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func delete(
        _ identifier: ModelIdentifier, durability: Durability
    ) throws(CacheError) -> ChangeSet {
        try NormalizedCache.check(identifier)
        return try perform(durability) { (sequence) throws(CacheError) in
            PendingWrite.Content(extras: [.tombstone(identifier)])
        }
    }

    /// Forgets the node of `identifier`, or its tombstone, as eviction would: every tree that needs it is a miss.
    public func evict(_ identifier: ModelIdentifier) throws(CacheError) {
        try NormalizedCache.check(identifier)
        try perform { (sequence) throws(CacheError) in
            PendingWrite.Content(extras: [.remove(Namespace.node, identifier.rawValue)])
        }
    }

    /// Empties the cache: afterwards no file of the store holds a byte of the old content.
    ///
    /// Writes whose calls were made before it never land after it.
    public func wipe() throws(CacheError) {
        try perform(isWipe: true) { (sequence) throws(CacheError) in PendingWrite.Content() }
    }

    /// Returns when everything that was queued before is committed, as durably as asked for.
    ///
    /// - Throws: the first ``CacheError`` of a queued write that failed since the last `flush()`, once.
    public func flush() throws(CacheError) {
        try flush(.standard)
    }

    /// Flushes as ``flush()`` does, as durably as asked for.
    public func flush(_ durability: Durability) throws(CacheError) {
        var failure: CacheError?
        do throws(CacheError) {
            _ = try perform(durability) { (sequence) throws(CacheError) in PendingWrite.Content() }
        } catch {
            failure = error
        }
        // What failed in the queue is the cause, and is told once, also where the flush's own commit fails.
        if let failure = core.ledger.takeFailure() ?? failure { throw failure }
    }

    /// Takes the call's number, makes its content, queues it and commits on this thread.
    @discardableResult
    func perform(
        _ durability: Durability = .standard, isWipe: Bool = false,
        _ content: (UInt64) throws(CacheError) -> PendingWrite.Content
    ) throws(CacheError) -> ChangeSet {
        try checkOpen()
        try core.checkReentrance()
        let time = core.clock.ofCall
        let sequence = try core.takeSequence()
        let made = try content(sequence)
        let outcome = WriteOutcome()
        let write = PendingWrite(
            sequence: sequence, time: time, tree: made.tree, extras: made.extras, isWipe: isWipe,
            isDurable: durability == .durable, completion: { outcome.store($0) })
        try core.enqueue(write, schedulingDrain: false)
        core.drainNow()
        return try outcome.take().get()
    }

    /// Takes the call's number, makes its content, queues it and returns; a failure is reported, with `key` where it names
    /// nothing.
    func enqueue(_ key: String?, _ content: () throws(CacheError) -> PendingWrite.Content) {
        do throws(CacheError) {
            try checkOpen()
            let time = core.clock.ofCall
            let sequence = try core.takeSequence(isAwaited: false)
            let made = try content()
            try core.enqueue(
                PendingWrite(sequence: sequence, time: time, tree: made.tree, extras: made.extras),
                schedulingDrain: true)
        } catch {
            // A wipe that overtook the call has had its way with what the call would have stored.
            guard error.code != .cancelled else { return }
            // A closed handle's observer has left the core, and a write that comes too late is told all the same.
            core.reportFailure(
                key.map { error.concerning(ModelIdentifier($0)) } ?? error,
                to: error.code == .closed ? observer : nil)
        }
    }
}
