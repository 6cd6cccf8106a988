public import GroveModel

extension NormalizedCache {
    /// What happens to the model of `identifier` from this call on, whether or not it exists yet.
    ///
    /// It is told of the node of `identifier` alone: a child has an identifier and a stream of its own. When an element
    /// arrives, a read sees at least what it tells of. Whoever falls behind gets the last element only: that is enough to
    /// know what to do, which is to read again.
    ///
    /// Of what another process committed it says ``CacheChange/unknown``; see ``noticeCommitsOfOtherProcesses()``.
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
    /// So it is after a commit of another process; see ``noticeCommitsOfOtherProcesses()``.
    ///
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. That of a closed cache has no elements.
    public func changes() -> CacheChanges<ChangeSet> {
        let subscription = core.audience.streams.subscribe(handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        return CacheChanges(subscription)
    }

    /// Looks whether other processes have committed, and tells streams and data providers so.
    ///
    /// ```swift
    /// while true {  // as long as the screen shows
    ///     try await Task.sleep(for: .seconds(1))
    ///     cache.noticeCommitsOfOtherProcesses()
    /// }
    /// ```
    ///
    /// Every read and every write of the cache looks too. So this is for an application that shows something, does nothing, and
    /// shares its cache with an extension or another server: by a timer, or when it becomes active. It costs a look at memory
    /// that the processes share, and a read of the store's own record where that has changed. What others changed is not known:
    /// streams are told ``ChangeSet/changesEverything``, and providers read again what they hold.
    ///
    /// A process that is killed between its commit and its count is noticed with the next commit of any process.
    public func noticeCommitsOfOtherProcesses() { core.noticeCommitsOfOthers() }
}
