import Dispatch
public import GroveModel
import Synchronization

extension NormalizedCache {
    /// Copies everything that is stored to a new store of the same backend in `directory`, while the cache is in use.
    ///
    /// ```swift
    /// try await cache.copy(to: "/backups/feed")
    /// ```
    ///
    /// The copy shows one moment, with every write whose call returned before. Reads and writes go on meanwhile, in this
    /// process and in others. The copy is on the disk when this returns, and a cache of this type opens it. If the process is
    /// killed before, opening what is there throws `notAStore`; remove it.
    ///
    /// Until it ends, the engine keeps what the copy shows, so that its files may grow, and ``wipe()``, ``close()`` and
    /// ``suspend()`` wait for it. If the task is cancelled, the copy is removed. A budget and pins belong to a cache and are not copied.
    ///
    /// - Complexity: O(*n*) for *n* bytes that are stored; some megabytes of memory, on SQLite all keys as well.
    /// - Parameter directory: a path at which nothing is, or an empty directory. It is made with mode 0700.
    /// - Throws: ``CacheError`` with code `notAStore` if the directory holds something; `unsupported` if the cache is in memory;
    ///   `cancelled`, `full`, `permissionDenied`, `inputOutput`, `corrupted`, `suspended`, `closed` or `reentrant`. What was made is
    ///   removed then.
    public func copy(to directory: String) async throws(CacheError) {
        guard core.source.isPersistent else {
            throw CacheError(.unsupported, "A cache in memory has no files; it cannot be copied to a directory.")
        }
        // What was queued before is committed, so that the view alone shows it.
        _ = try await performAsync { () throws(CacheError) in PendingWrite.Content() }
        let isCancelled = Atomic(false)
        let outcome: Result<Void, CacheError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                core.readQueue.async { [core] in
                    do throws(CacheError) {
                        try core.copy(to: directory) { () throws(CacheError) in
                            guard !isCancelled.load(ordering: .relaxed) else {
                                throw CacheError(.cancelled, "The task was cancelled; the copy was removed.")
                            }
                        }
                        continuation.resume(returning: .success(()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
        try outcome.get()
    }
}

extension CacheCore {
    /// Copies what a view shows to a new store in `directory`, on this thread.
    ///
    /// - Parameter check: called again and again; what it throws ends the copy.
    fileprivate func copy(to directory: String, _ check: @escaping () throws(CacheError) -> Void) throws(CacheError) {
        let reader = try beginRead()
        let number = openViews.enter()
        defer {
            openViews.leave(number)
            endRead(reader)
        }
        guard let view = unsafe reader.state.pointee.view else {
            throw CacheError(.cancelled, "The cache was emptied while the copy began.")
        }
        try source.copy(view, to: directory, check)
    }
}
