import Dispatch
public import GroveModel

extension NormalizedCache {
    /// What happens to the model of `identifier` from this call on, whether or not it exists yet.
    ///
    /// It is told of the node of `identifier` alone: a child has an identifier and a stream of its own. So does a cache key under which a
    /// model with another identifier was set: its stream tells when that is another model. When an element
    /// arrives, a read sees at least what it tells of. Whoever falls behind gets the last element only: that is enough to
    /// know what to do, which is to read again.
    ///
    /// Of what another process committed it says ``CacheChange/unknown`` where the cache keeps no history; see
    /// ``noticeCommitsOfOtherProcesses()``.
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
        core.audience.begin(subscription)
        return CacheChanges(subscription)
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
    /// So it is after a commit of another process where the cache keeps no history; see ``noticeCommitsOfOtherProcesses()``.
    ///
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. That of a closed cache has no elements.
    public func changes() -> CacheChanges<ChangeSet> {
        let subscription = core.audience.streams.subscribe(handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        core.audience.begin(subscription)
        return CacheChanges(subscription)
    }

    /// The same, beginning with what was committed after `token`, by whichever process, also while this one did not run.
    ///
    /// It is for what an application makes of the whole cache and keeps elsewhere: an index for searching, a badge, what is to be
    /// sent to a server. Keep the token of a change set with what was made of it, and go on from there after a relaunch.
    ///
    /// ```swift
    /// let cache = try MemoryCache(directory: nil, options: MemoryOptions(), history: 1_000)
    /// var token: ChangeToken? = nil  // or what was kept
    /// for await changes in cache.changes(since: token) {
    ///     print(changes.changesEverything ? "make the index anew" : "index \(changes.changedModelIds)")
    ///     token = changes.token ?? token
    /// }
    /// ```
    ///
    /// Each change is told at least once. What is not remembered is never guessed: where the token is `nil`, older than the history, or
    /// another store's, where a commit changed more than an entry of the history can name, or a process without a history committed,
    /// the stream begins with a change set that says ``ChangeSet/changesEverything``, and has the token to go on from. So it does, without a token, where the cache was opened
    /// without `history`, and where it is suspended.
    ///
    /// - Parameter token: the last change set's that was dealt with; `nil` for none.
    /// - Returns: a stream to be iterated once; see ``CacheChanges``. That of a closed cache has no elements.
    /// - Complexity: one read for each commit since `token`, on the cache's writer.
    public func changes(since token: ChangeToken?) -> CacheChanges<ChangeSet> {
        let subscription = core.audience.streams.subscribe(handle: handle)
        if (try? checkOpen()) == nil { subscription.finish() }
        core.writer.async { [core, weak subscription] in
            if let subscription { core.begin(subscription, after: token) }
        }
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
    /// that the processes share, and a read of the store's own record where that has changed. Where all processes
    /// open the cache with `history`, streams are told what others changed, and providers read that again if they hold it. Else streams are told
    /// ``ChangeSet/changesEverything``, and providers read again what they hold.
    ///
    /// A process that is killed between its commit and its count is noticed with the next commit of any process.
    public func noticeCommitsOfOtherProcesses() { core.noticeCommitsOfOthers() }
}
