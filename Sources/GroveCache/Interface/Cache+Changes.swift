import Dispatch
public import GroveModel

extension Cache {
    /// A stream of the changes of the model of `identifier` from this call on, whether or not the model exists yet.
    ///
    /// The stream is about the node of `identifier` alone: a child has an identifier and a stream of its own. A cache
    /// key under which a model was set has a stream too: it gets a change when the key names another model. After a
    /// change arrives, reads see at least that change. A reader that falls behind gets only the last change, which is
    /// enough to know that it has to read again.
    ///
    /// If the cache keeps no history, a commit of another process gives ``CacheChange/unknown``; see
    /// ``noticeCommitsOfOtherProcesses()``.
    ///
    /// ```swift
    /// for await change in cache.changes(of: "Message:34") {
    ///     show(try cache.model("Message:34", as: Message.self))
    /// }
    /// ```
    ///
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. The stream of a closed cache has no elements.
    public func changes(of identifier: ModelIdentifier) -> CacheChanges<CacheChange> {
        let subscription = core.audience.streams.subscribe(to: identifier, handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        core.audience.begin(subscription)
        return CacheChanges(subscription)
    }

    /// A stream of the changes of every commit from this call on: one change set for each write that changed something.
    ///
    /// ```swift
    /// for await changes in cache.changes() where changes.changedCollectionKeys.contains("inbox") {
    ///     show(try cache.collection("inbox", of: Message.self) ?? [])
    /// }
    /// ```
    ///
    /// Change sets come in the order of the commits. If a reader falls behind by more than 256 change sets or 16,384
    /// models, it gets one change set in their place, with ``ChangeSet/changesEverything``. If the cache keeps no
    /// history, a commit of another process gives such a change set too; see ``noticeCommitsOfOtherProcesses()``.
    ///
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. The stream of a closed cache has no elements.
    public func changes() -> CacheChanges<ChangeSet> {
        let subscription = core.audience.streams.subscribe(handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        core.audience.begin(subscription)
        return CacheChanges(subscription)
    }

    /// A stream of the changes of every commit after `token`, by any process, even while this one did not run.
    ///
    /// Use it for data that an application derives from the whole cache and keeps elsewhere: a search index, a badge, a
    /// list of changes to upload. Keep the token of the last change set with that data, and go on from there after a
    /// relaunch.
    ///
    /// ```swift
    /// let cache = try MemoryCache(directory: nil, options: MemoryOptions(), history: 1_000)
    /// var token: ChangeToken? = nil  // or the token that was kept
    /// for await changes in cache.changes(since: token) {
    ///     print(changes.changesEverything ? "rebuild the index" : "index \(changes.changedModelIds)")
    ///     token = changes.token ?? token
    /// }
    /// ```
    ///
    /// Each change is told at least once. If the cache cannot tell what changed since `token`, the first change set has
    /// ``ChangeSet/changesEverything``, and the token to go on from. This happens if the token is `nil`, older than the
    /// history, or from another store. It also happens if a commit changed more than an entry of the history can name,
    /// or if a process without a history committed. If the cache was opened without `history`, or is suspended, the
    /// first change set is the same but has no token.
    ///
    /// - Parameter token: the token of the last change set that was dealt with; `nil` for none.
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. The stream of a closed cache has no elements.
    /// - Complexity: one read for each commit since `token`, on the cache's writer.
    public func changes(since token: ChangeToken?) -> CacheChanges<ChangeSet> {
        let subscription = core.audience.streams.subscribe(handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        core.writer.async { [core, weak subscription] in
            if let subscription { core.begin(subscription, after: token) }
        }
        return CacheChanges(subscription)
    }

    /// Checks if other processes have committed, and tells streams and data providers.
    ///
    /// ```swift
    /// while true {  // as long as the screen shows
    ///     try await Task.sleep(for: .seconds(1))
    ///     cache.noticeCommitsOfOtherProcesses()
    /// }
    /// ```
    ///
    /// Every read and every write of the cache checks too. Call this from a timer, or when the application becomes
    /// active, if the application is idle while it shows data that an extension or another server may change.
    ///
    /// If all processes open the cache with `history`, streams are told which models the other processes changed, and
    /// providers read those again. Otherwise streams get ``ChangeSet/changesEverything``, and providers read everything
    /// that they hold again. If a process is killed right after its commit, the commit is noticed with the next one of
    /// any process.
    ///
    /// - Complexity: a look at memory that the processes share; if that has changed, one read of the store's own
    ///   record.
    public func noticeCommitsOfOtherProcesses() { core.noticeCommitsOfOthers() }
}
