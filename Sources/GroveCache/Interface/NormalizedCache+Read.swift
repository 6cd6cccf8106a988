import Dispatch
public import GroveModel

extension NormalizedCache: CacheReader {
    /// Begins the read of one tree.
    public func _beginTree(_ identifier: ModelIdentifier, maxAge: Double?) throws(CacheError) -> _TreeRead {
        try checkOpen()
        try identifier.check()
        let reader = try core.beginRead(maxAge: maxAge)
        return _TreeRead(reader: reader, decoder: reader.decoder(ofReferenceTo: identifier))
    }

    /// Ends the read of one tree.
    public func _endTree(_ read: borrowing _TreeRead, _ identifier: ModelIdentifier, _ outcome: _TreeOutcome) {
        switch outcome {
        case .again: core.endRead(read.reader)
        case .hit: if core.endRead(read.reader, isHit: true) { core.audience.tellHit(identifier) }
        case .miss(let miss):
            if core.endRead(read.reader, miss: miss.reason) { core.audience.tell { $0.cacheDidMiss(miss) } }
        case .failure(let error):
            let store = read.reader.store
            core.endRead(read.reader)
            core.noteFailure(ofRead: error, in: store)
        }
    }
}

extension Cache {
    /// Runs `body` on one consistent view of the cache, so that all its reads are of one moment, and returns its
    /// result.
    ///
    /// ```swift
    /// let (me, inbox) = try cache.read { view in
    ///     (try view.model(Person.self, id: 1), try view.collection("inbox", of: Message.self))
    /// }
    /// ```
    ///
    /// `body` runs once, on the calling thread. It does not wait for a writer. A write waits for it only if the budget
    /// leaves the write no room, and then for seconds at most. The view shows every write whose call returned before.
    /// Inside `body` use the view alone: any other call to this cache throws `reentrant`.
    ///
    /// Keep `body` short: while it runs, `wipe()`, `close()` and `suspend()` wait for it, and the engine keeps
    /// all records of the view.
    ///
    /// - Throws: the error of `body`, and ``CacheError`` with code `reentrant`, `suspended`, `closed` or `inputOutput`.
    public func read<Value>(_ body: (borrowing CacheView) throws -> Value) throws -> Value {
        try checkOpen()
        let reader = try core.beginRead()
        let number = core.readers.openViews.enter()
        let life = SnapshotLife()
        defer {
            life.isOver = true
            core.endRead(reader)
            core.readers.openViews.leave(number)
        }
        let value = try body(CacheView(_source: _SnapshotSource(core: core, reader: reader, life: life)))
        if let failure = reader.streamFailure { throw failure }
        return value
    }

    /// Runs `body` on one view as the synchronous form does, on a queue of the cache, without blocking the caller's
    /// thread.
    ///
    /// ```swift
    /// let drafts = try await cache.read { view in Array(try view.models(Draft.self)) }
    /// ```
    ///
    /// Cancellation is honoured when the call is made, with code `cancelled`, and not afterwards.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing CacheView) throws -> Value
    ) async throws -> Value {
        guard !Task.isCancelled else { throw CacheError.isCancelled }
        return try await withCheckedThrowingContinuation { continuation in
            core.readers.queue.async {
                continuation.resume(with: Result { try self.read(body) })
            }
        }
    }
}

extension CacheError {
    static var isCancelled: CacheError { CacheError(.cancelled, "The task was cancelled before the call began.") }
}
