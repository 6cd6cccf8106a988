import Dispatch
public import GroveModel

/// What an application does before the system stops it, and after it goes on.
extension NormalizedCache {
    /// Commits what is queued and lets go of every file descriptor and lock of the store, until ``resume()-()``.
    ///
    /// ```swift
    /// try cache.suspend()  // the application goes to the background
    /// ```
    ///
    /// A system that stops applications ends one that still holds a lock on a shared file, so it is called before the
    /// application sleeps. All handles on the store in this process are suspended with it, and stay so until any of them
    /// resumes; suspending again does nothing. A cache in memory keeps its content.
    ///
    /// From the moment this begins calls throw `suspended`, but for ``close()``. What `setModel` and its kin bring
    /// meanwhile is not stored: it is reported, and after the resumption a miss rather than the value from before; a cache
    /// that is closed without one opens its store for a moment to see to that. Returns when reads and writes that were
    /// under way are done. A stream of changes stays, and goes on later.
    ///
    /// - Throws: ``CacheError`` with code `closed`, or `reentrant` inside a model's initialiser. A queued write that
    ///   failed is told by `flush()`, after the resumption too.
    public func suspend() throws(CacheError) {
        try checkOpen()
        core.followers.pass()
        try core.suspend()
    }

    /// Suspends as the synchronous form does, without blocking the caller's thread.
    ///
    /// ```swift
    /// try await cache.suspend()
    /// ```
    public func suspend() async throws(CacheError) {
        try checkOpen()
        await core.followers.pass()
        try core.beginSuspension()
        let failures = core.ledger.lockFailures
        await withCheckedContinuation { continuation in
            core.writer.async { [core] in
                core.finishSuspension(since: failures)
                continuation.resume()
            }
        }
    }

    /// Opens the store again after ``suspend()-()``; where the cache is not suspended, nothing happens.
    ///
    /// ```swift
    /// try cache.resume()  // the application is in front again
    /// ```
    ///
    /// What other processes did meanwhile shows. Where they emptied or replaced the store, nothing of the old content
    /// comes back.
    ///
    /// - Throws: ``CacheError`` as opening does, or with code `closed` or `reentrant`: the cache then stays suspended, and
    ///   this can be tried again.
    public func resume() throws(CacheError) {
        try checkOpen()
        try core.resume()
    }

    /// Resumes as the synchronous form does, without blocking the caller's thread.
    ///
    /// ```swift
    /// try await cache.resume()
    /// ```
    public func resume() async throws(CacheError) {
        try checkOpen()
        try core.checkReentrance()
        let failure: CacheError? = await withCheckedContinuation { continuation in
            core.writer.async { [core] in continuation.resume(returning: core.finishResumption()) }
        }
        if let failure { throw failure }
    }
}
