import Dispatch
package import GroveCoding
public import GroveModel

extension NormalizedCache: CacheWriter {
    /// Performs one call that writes, on this thread.
    public func _perform(
        _ durability: Durability, _ content: () throws(CacheError) -> _WriteContent
    ) throws(CacheError) -> ChangeSet {
        try perform(durability) { () throws(CacheError) in try content().content }
    }

    /// Writes `tree`, and a collection of one element, which is encoded as `root`, as
    /// ``writeCollection(_:as:durability:asOf:confirmed:)`` does.
    package func write(
        _ tree: NodeTree, root: [UInt8], asCollection key: String
    ) throws(CacheError) -> ChangeSet {
        try perform(.standard) { () throws(CacheError) in
            PendingWrite.Content(
                tree: tree, extras: [.collection(key: Array(key.utf8), body: EncodedRoots.list(root, count: 1))])
        }
    }
}

extension Cache {
    /// Runs `body` in one transaction: its writes are committed together or not at all, and its reads see its writes.
    ///
    /// ```swift
    /// try cache.write { tx in
    ///     try tx.write(message)
    ///     var count = try tx.model(Counter.self, id: "unread")?.value ?? 0
    ///     count += 1
    ///     try tx.write(Counter(id: "unread", value: count))
    /// }
    /// ```
    ///
    /// `body` runs exactly once, on the calling thread, after all writes that were queued before are committed. While
    /// it runs, other writes, `wipe()`, `close()` and `suspend()` wait for it. So do not run a long `body` on the
    /// main thread. Reads elsewhere go on, and see nothing of the transaction before the commit. Inside `body` use the
    /// transaction alone: any other call to this cache throws `reentrant`. Only `setModel` and similar calls are queued
    /// behind the transaction.
    ///
    /// If `body` throws, nothing is stored. If a call inside `body` fails while it stores, the transaction cannot be
    /// committed, whatever `body` does next. Observers and streams get one change set. The commit does not evict
    /// records that the transaction wrote.
    ///
    /// Within a budget, a transaction may change at most half of the payload that fits, and at most as many records as
    /// the budget has. Unchanged records do not count, and a record that is written twice counts once.
    /// ``BackendProfile/transactionShare`` says how much of a full store a transaction can change at least.
    ///
    /// - Parameter durability: whether the commit has to survive loss of power.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`, and ``CacheError`` with code `overBudget` if the transaction changes more than it
    ///   may. With code `full` if there is no room. With code `cancelled` if the store was replaced, or if another
    ///   process wrote while room was made for a large transaction. With code `inputOutput`, `reentrant`, `suspended`
    ///   or `closed`.
    @discardableResult
    public func write<Value>(
        durability: Durability = .standard, _ body: (borrowing CacheTransaction) throws -> Value
    ) throws -> Value {
        try checkOpen()
        try core.checkReentrance()
        core.followers.line.pass()
        let failures = core.ledger.lockFailures
        return try core.writer.sync {
            try core.runTransaction(durability, since: failures) { scope in try body(CacheTransaction(scope: scope)) }
        }
    }

    /// Empties the cache: afterwards no file of the store holds a byte of the old content.
    ///
    /// ```swift
    /// try cache.wipe()  // the user has signed out
    /// ```
    ///
    /// Writes whose calls were made before the wipe are not stored after it. Neither is the answer to an earlier
    /// request, if you write it with the place that you took before the request; see ``place()``.
    public func wipe() throws(CacheError) {
        try perform(isWipe: true) { () throws(CacheError) in PendingWrite.Content() }
    }

    /// Returns when all writes that were queued before are committed, with the `durability` that is asked for.
    ///
    /// ```swift
    /// for message in messages { cache.setModel(message, forKey: "Message:\(message.id)", context: nil) }
    /// try cache.flush()
    /// ```
    ///
    /// - Throws: the first ``CacheError`` of a queued write that failed since the last `flush()`, once.
    public func flush(_ durability: Durability = .standard) throws(CacheError) {
        let outcome = Result { () throws(CacheError) in
            try perform(durability) { () throws(CacheError) in PendingWrite.Content() }
        }
        // An earlier failure in the queue is the cause, and is told once, even if the flush's own commit fails.
        if let failure = core.ledger.takeFailure() { throw failure }
        _ = try outcome.get()
    }

    /// Takes the call's number, makes its content, queues it and commits on this thread.
    @discardableResult
    func perform(
        _ durability: Durability = .standard, isWipe: Bool = false,
        _ content: () throws(CacheError) -> PendingWrite.Content
    ) throws(CacheError) -> ChangeSet {
        try checkOpen()
        try core.checkReentrance()
        core.followers.line.pass()
        let outcome = Lock<Result<ChangeSet, CacheError>?>(nil)
        try enqueue(durability, isWipe: isWipe, schedulingDrain: false, content) { result in
            outcome.withLock { $0 = result }
        }
        core.drainNow()
        guard let result = outcome.withLock({ $0 }) else {
            throw CacheError(.other, "The write was lost; this is a defect of Grove.")
        }
        return try result.get()
    }

    /// Takes the number of a call that waits for its outcome, makes its content and queues it.
    func enqueue(
        _ durability: Durability, isWipe: Bool, schedulingDrain: Bool,
        _ content: () throws(CacheError) -> PendingWrite.Content,
        completion: @escaping @Sendable (Result<ChangeSet, CacheError>) -> Void
    ) throws(CacheError) {
        let sequence = try core.takeSequence()
        let made = try content()
        let write = PendingWrite(
            made, sequence: sequence, time: core.time(of: made), kind: isWipe ? .wipe : .change,
            isDurable: durability == .durable, completion: completion)
        try core.enqueue(write, schedulingDrain: schedulingDrain)
    }

    /// Takes the call's number, makes its content, queues it and returns.
    ///
    /// A failure is reported, with `key` if the error names nothing.
    ///
    /// - Parameter settled: called once with the outcome.
    @discardableResult
    func enqueue(
        _ key: String?, origin: FollowerID = .none, settled: FollowedCache.Settled? = nil,
        _ content: () throws(CacheError) -> PendingWrite.Content
    ) -> Bool {
        var place: StoredPlace?
        do throws(CacheError) {
            try checkOpen()
            let sequence = try core.takeSequence(isAwaited: false)
            if settled != nil { place = core.place(ofCall: sequence) }
            let made = try content()
            if let asOf = made.asOf { place = asOf.unconfirmed }
            try core.enqueue(
                PendingWrite(
                    made, sequence: sequence, time: core.time(of: made), origin: origin,
                    settled: SaveOutcome.telling(settled, place)),
                schedulingDrain: true)
            return true
        } catch {
            SaveOutcome.telling(settled, place)?(.failure(error))
            // A wipe that overtook the call has removed what it would have stored: that is no failure to report.
            guard error.code != .cancelled else { return false }
            // A closed handle's observer has left the core, but is still told of a write that comes too late.
            core.reportFailure(
                key.map { error.concerning(ModelIdentifier($0)) } ?? error,
                to: error.code == .closed ? _handle.observer : nil)
            return false
        }
    }

    /// The moment of this call, between calls made before and calls made later: take it before you send a request.
    ///
    /// ```swift
    /// let asked = cache.place()
    /// let people = try await server.people()
    /// try await cache.write(contentsOf: people, asOf: asked)
    /// ```
    ///
    /// A model that any process changed or deleted after the place was taken stays as it is. After a wipe by any
    /// process, the write throws `cancelled`.
    public func place() -> Place {
        core.followers.line.pass()
        return Place(stored: core.place())
    }
}

extension CacheCore {
    /// The time at which `content` was confirmed: when it was asked for, or now; 0 if it confirms nothing.
    func time(of content: PendingWrite.Content) -> UInt32 {
        guard content.isConfirmed else { return 0 }
        return content.asOf?.time ?? ages.clock.ofCall
    }
}

extension SaveOutcome {
    /// A closure that tells `settled` the outcome of a call that was made at `place`.
    fileprivate static func telling(
        _ settled: FollowedCache.Settled?, _ place: StoredPlace?
    ) -> (@Sendable (Result<Bool, CacheError>) -> Void)? {
        guard let settled else { return nil }
        let place = place ?? StoredPlace(life: .none, time: 0)
        return { outcome in
            switch outcome {
            case .success(let isWhole): settled(.stored(isWhole: isWhole, place))
            case .failure(let error): settled(.refused(error, place))
            }
        }
    }
}
