import GroveCoding
public import GroveModel

/// Pins: models and collections that are kept from being evicted.
///
/// A pin keeps a model or a collection with everything below it, as it is stored now and as it is written later. A
/// model may be retained before it is stored. A pinned record can still be replaced, deleted, or evicted by a call.
///
/// Pins are counted: a model that was retained twice must be released twice. A pin lives as long as the handle on which
/// it was made, so an application retains again when it starts. Pins have no effect on what other processes evict.
/// ``wipe()`` releases every pin. A cache without a budget evicts nothing, so a pin does nothing there.
extension Cache {
    /// Keeps the tree of `identifier` from being evicted, until it is released.
    ///
    /// ```swift
    /// try cache.retain("Message:34")
    /// defer { try? cache.release("Message:34") }
    /// ```
    ///
    /// If `identifier` is also a cache key under which another model was set, that model is kept too. Blocks the
    /// calling thread for a transaction, in which writes that were queued before are committed.
    ///
    /// - Complexity: O(*n*) reads for *n* nodes of the tree that were not pinned yet.
    /// - Throws: ``CacheError`` with code `overBudget` if more would be pinned than ``CacheUsage/pinnedLimit`` or the
    ///   budget's number of records: then no pin is made. `emptyIdentifier`, `tooLarge`, `full`, `inputOutput`,
    ///   `cancelled`, `reentrant`, `suspended`, `closed`.
    public func retain(_ identifier: ModelIdentifier) throws(CacheError) {
        try change(Namespace.node, identifier, isRetaining: true)
    }

    /// Keeps the collection under `key`, with the trees of its elements, from being evicted; see
    /// ``retain(_:)``.
    ///
    /// ```swift
    /// try cache.retain(collection: "inbox")
    /// ```
    public func retain(collection key: String) throws(CacheError) {
        try change(Namespace.collection, ModelIdentifier(key), isRetaining: true)
    }

    /// Takes back one ``retain(_:)`` with the same argument; does nothing if there is none.
    ///
    /// ```swift
    /// try cache.release("Message:34")
    /// ```
    ///
    /// Records that no other pin keeps can be evicted afterwards. They count in ``CacheUsage/pinnedEntries`` until the
    /// cache next has to evict.
    public func release(_ identifier: ModelIdentifier) throws(CacheError) {
        try change(Namespace.node, identifier, isRetaining: false)
    }

    /// Takes back one ``retain(collection:)`` with the same arguments.
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

    /// The content of the call for the writer; `nil` if there is nothing to do.
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
