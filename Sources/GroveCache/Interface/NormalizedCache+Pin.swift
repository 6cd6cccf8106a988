public import GroveModel

/// Keeping what must be there: what is reachable from a pin is not evicted.
///
/// A pin holds a model or a collection and everything below it, through whatever is stored now and whatever is written
/// later: it may be retained before it is there. It keeps nothing from being replaced, deleted or forgotten on purpose.
///
/// Pins are counted: what was retained twice must be released twice. They live as long as the handle on which they were made,
/// and hold against what this process evicts: an application retains again when it starts. ``wipe()-()`` lets go of everything.
/// A cache without a budget evicts nothing, and a pin does nothing there.
extension NormalizedCache {
    /// Keeps the tree of `identifier` from being evicted, until it is released.
    ///
    /// ```swift
    /// try cache.retain("Message:34")
    /// defer { try? cache.release("Message:34") }
    /// ```
    ///
    /// Where `identifier` is also a cache key under which another model was set, that is held too. Blocks the calling
    /// thread for a transaction, in which writes that were queued before are committed.
    ///
    /// - Complexity: O(*n*) reads for *n* nodes of the tree that were not pinned yet.
    /// - Throws: ``CacheError`` with code `overBudget` where more would be pinned than ``CacheUsage/pinnedLimit`` or the
    ///   budget's number of records: then everything is as before. `emptyIdentifier`, `tooLarge`, `full`, `inputOutput`,
    ///   `cancelled`, `reentrant`, `suspended`, `closed`.
    public func retain(_ identifier: ModelIdentifier) throws(CacheError) {
        try change(Namespace.node, identifier, isRetaining: true)
    }

    /// Keeps the collection under `key`, with the trees of its elements, from being evicted; see
    /// ``retain(_:)-(ModelIdentifier)``.
    ///
    /// ```swift
    /// try cache.retain(collection: "inbox")
    /// ```
    public func retain(collection key: String) throws(CacheError) {
        try change(Namespace.collection, ModelIdentifier(key), isRetaining: true)
    }

    /// Takes back one ``retain(_:)-(ModelIdentifier)`` with the same arguments; nothing happens where
    /// there is none.
    ///
    /// ```swift
    /// try cache.release("Message:34")
    /// ```
    ///
    /// What no other pin holds can be evicted afterwards. It counts in ``CacheUsage/pinnedEntries`` until something has to be.
    public func release(_ identifier: ModelIdentifier) throws(CacheError) {
        try change(Namespace.node, identifier, isRetaining: false)
    }

    /// Takes back one ``retain(collection:)-(String)`` with the same arguments.
    ///
    /// ```swift
    /// try cache.release(collection: "inbox")
    /// ```
    public func release(collection key: String) throws(CacheError) {
        try change(Namespace.collection, ModelIdentifier(key), isRetaining: false)
    }

    /// Retains as the synchronous form does, without blocking the caller's thread.
    ///
    /// ```swift
    /// try await cache.retain("Message:34")
    /// ```
    ///
    /// Cancellation is honoured before the call is queued, with code `cancelled`, and never afterwards.
    public func retain(_ identifier: ModelIdentifier) async throws(CacheError) {
        try await change(Namespace.node, identifier, isRetaining: true)
    }

    /// Retains as the synchronous form does, without blocking the caller's thread.
    ///
    /// ```swift
    /// try await cache.retain(collection: "inbox")
    /// ```
    public func retain(collection key: String) async throws(CacheError) {
        try await change(Namespace.collection, ModelIdentifier(key), isRetaining: true)
    }

    /// Releases as the synchronous form does, without blocking the caller's thread.
    ///
    /// ```swift
    /// try await cache.release("Message:34")
    /// ```
    public func release(_ identifier: ModelIdentifier) async throws(CacheError) {
        try await change(Namespace.node, identifier, isRetaining: false)
    }

    /// Releases as the synchronous form does, without blocking the caller's thread.
    ///
    /// ```swift
    /// try await cache.release(collection: "inbox")
    /// ```
    public func release(collection key: String) async throws(CacheError) {
        try await change(Namespace.collection, ModelIdentifier(key), isRetaining: false)
    }

    private func change(
        _ namespace: UInt8, _ name: ModelIdentifier, isRetaining: Bool
    ) throws(CacheError) {
        guard let content = try content(namespace, name, isRetaining) else { return }
        try perform { () throws(CacheError) in content }
    }

    private func change(
        _ namespace: UInt8, _ name: ModelIdentifier, isRetaining: Bool
    ) async throws(CacheError) {
        guard let content = try content(namespace, name, isRetaining) else { return }
        try await performAsync { () throws(CacheError) in content }
    }

    /// What the call asks of the writer; `nil` where that is nothing.
    private func content(
        _ namespace: UInt8, _ name: ModelIdentifier, _ isRetaining: Bool
    ) throws(CacheError) -> PendingWrite.Content? {
        try name.check()
        try checkOpen()
        try core.checkReentrance()
        guard core.evictor != nil else {
            try core.state.withLock { (state) throws(CacheError) in try state.life.checkUsable() }
            return nil
        }
        let root = [namespace] + Array(name.rawValue.utf8)
        let pin = PinChange(root: root, isRetaining: isRetaining, handle: handle)
        return PendingWrite.Content(extras: [.pin(pin)])
    }
}
