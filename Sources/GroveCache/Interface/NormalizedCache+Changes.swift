public import GroveModel

extension NormalizedCache {
    /// What happens to the model of `identifier` from this call on, whether or not it exists yet.
    ///
    /// It is told of the node of `identifier` alone: a child has an identifier and a stream of its own. When an element
    /// arrives, a read sees at least what it tells of. Whoever falls behind gets the last element only: that is enough to
    /// know what to do, which is to read again.
    ///
    /// Commits of other processes are not told, but where one of them empties the cache.
    ///
    /// ```swift
    /// for await change in cache.changes(of: "Message:34") {
    ///     show(try cache.model("Message:34", as: Message.self))
    /// }
    /// ```
    ///
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. That of a closed cache has no elements.
    public func changes(of identifier: ModelIdentifier) -> CacheChanges<CacheChange> {
        let subscription = core.audience.streams.subscribe(to: identifier, handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        return CacheChanges(subscription)
    }

    /// What happens to the model of type `M` whose identity is `id`; see ``changes(of:)``.
    ///
    /// ```swift
    /// for await _ in cache.changes(of: Message.self, id: 34) {
    ///     show(try cache.model(Message.self, id: 34))
    /// }
    /// ```
    public func changes<M: KeyedModel>(of type: M.Type, id: M.ModelID) -> CacheChanges<CacheChange> {
        changes(of: M.modelIdentifier(for: id))
    }

    /// What every commit changes from this call on: one element for each write that changed something, in order.
    ///
    /// ```swift
    /// for await changes in cache.changes() where changes.changedCollectionKeys.contains("inbox") {
    ///     show(try cache.collection("inbox", of: Message.self) ?? [])
    /// }
    /// ```
    ///
    /// Whoever falls behind by more than 256 change sets or 16,384 models gets one in their place that says no more than
    /// that something changed: ``ChangeSet/changesEverything``.
    ///
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. That of a closed cache has no elements.
    public func changes() -> CacheChanges<ChangeSet> {
        let subscription = core.audience.streams.subscribe(handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        return CacheChanges(subscription)
    }
}
