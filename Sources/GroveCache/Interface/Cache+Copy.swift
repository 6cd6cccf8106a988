import Dispatch
public import GroveModel
import Synchronization

extension Cache {
    /// Copies the whole store to a new store of the same backend in `directory`, while the cache is in use.
    ///
    /// ```swift
    /// try await cache.copy(to: "/backups/feed")
    /// ```
    ///
    /// The copy is of one moment, and has every write whose call returned before. Reads and writes go on meanwhile, in
    /// this process and in others. When this call returns, the copy is on the disk, and a cache of this type can open
    /// it. If the process is killed before that, opening the copy throws `notAStore`; remove its directory.
    ///
    /// Until the copy ends, the engine keeps everything that was stored at its moment, so the files may grow.
    /// ``wipe()``, ``close()`` and ``suspend()`` wait for it. If the task is cancelled, the copy is removed. The budget
    /// and the pins are not copied, as they belong to this cache.
    ///
    /// - Complexity: O(*n*) for *n* stored bytes; some megabytes of memory, and on SQLite the memory for all keys.
    /// - Parameter directory: the path of an empty directory, or one at which there is nothing. The directory is made
    ///   with mode 0700.
    /// - Throws: ``CacheError`` with code `notAStore` if the directory is not empty; `unsupported` if the cache is in
    ///   memory; `cancelled`, `full`, `permissionDenied`, `inputOutput`, `corrupted`, `suspended`, `closed` or
    ///   `reentrant`. Then no part of the copy is left.
    public func copy(to directory: String) async throws(CacheError) {
        guard core.source.isPersistent else {
            throw CacheError(.unsupported, "A cache in memory has no files; it cannot be copied to a directory.")
        }
        // Writes that were queued before are committed, so that the view alone shows them.
        _ = try await performAsync { () throws(CacheError) in PendingWrite.Content() }
        let isCancelled = Atomic(false)
        let outcome: Result<Void, CacheError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                core.readers.queue.async { [core] in
                    continuation.resume(
                        returning: Result { () throws(CacheError) in
                            try core.copy(to: directory) { () throws(CacheError) in
                                guard !isCancelled.load(ordering: .relaxed) else {
                                    throw CacheError(.cancelled, "The task was cancelled; the copy was removed.")
                                }
                            }
                        })
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
        try outcome.get()
    }
}

extension CacheCore {
    /// Copies the records in a view to a new store in `directory`, on this thread.
    ///
    /// - Parameter check: called again and again; an error that it throws ends the copy.
    fileprivate func copy(to directory: String, _ check: @escaping () throws(CacheError) -> Void) throws(CacheError) {
        let reader = try beginRead()
        let number = readers.openViews.enter()
        defer {
            endRead(reader)
            readers.openViews.leave(number)
        }
        guard let view = unsafe reader.state.pointee.basis.view else {
            throw CacheError(.cancelled, "The cache was emptied while the copy began.")
        }
        try source.copy(view, to: directory, check)
    }
}
