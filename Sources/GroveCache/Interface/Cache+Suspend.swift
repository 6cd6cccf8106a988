import Dispatch
public import GroveModel

/// Calls for an application that the system is about to suspend, or has resumed.
extension Cache {
    /// Commits the queued writes and releases every file descriptor and lock of the store, until ``resume()``.
    ///
    /// ```swift
    /// try cache.suspend()  // the application goes to the background
    /// ```
    ///
    /// Call it before the application goes to sleep: the system may kill an application that still holds a lock on a
    /// shared file. All handles on the store in this process are suspended together, until any of them resumes.
    /// Suspending again does nothing. A cache in memory keeps its content. The call returns when all reads and writes
    /// under way are done. Streams of changes stay open, and go on after ``resume()``.
    ///
    /// From the moment this begins, every call but ``close()`` throws `suspended`. Writes made with `setModel` and
    /// similar calls while suspended are not stored. They are reported to the observer, and reading those keys is a
    /// miss after ``resume()``. If the cache is closed without a resumption, it opens the store for a moment to
    /// record those keys.
    ///
    /// - Throws: ``CacheError`` with code `closed`, or `reentrant` inside a model's initialiser. If a queued write
    ///   failed, the next `flush()` throws its error, even after the resumption.
    public func suspend() throws(CacheError) {
        try checkOpen()
        core.followers.line.pass()
        try core.suspend()
    }

    /// Suspends as the synchronous form does, without blocking the caller's thread.
    ///
    /// ```swift
    /// try await cache.suspend()
    /// ```
    public func suspend() async throws(CacheError) {
        try checkOpen()
        await core.followers.line.pass()
        try core.beginSuspension()
        let failures = core.ledger.lockFailures
        await withCheckedContinuation { continuation in
            core.writer.async { [core] in
                core.finishSuspension(since: failures)
                continuation.resume()
            }
        }
    }

    /// Opens the store again after ``suspend()``; does nothing if the cache is not suspended.
    ///
    /// ```swift
    /// try cache.resume()  // the application is in front again
    /// ```
    ///
    /// Reads see the commits that other processes made meanwhile. If a process emptied or replaced the store, nothing
    /// of the old content comes back.
    ///
    /// - Throws: ``CacheError`` as opening does, or with code `closed` or `reentrant`. The cache then stays suspended,
    ///   and the caller may try again.
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
