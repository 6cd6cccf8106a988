import GroveCache
import GroveModel

/// The measures that a budget needs of the files and of the handle.
extension LevelDBConnection {
    /// Bytes of LevelDB's own files as `du` counts them.
    func engineBytes() throws(CacheError) -> Int {
        try files().engineBytes()
    }

    /// Looks up the log again, as LevelDB may have begun another one.
    func logMayBeNew() {
        state.withLock { state in
            if state.failure == nil, state.log != nil { state.log = state.directory?.newestLog() }
        }
    }

    /// Replaces LevelDB's manifest and its log of events if they have grown: LevelDB itself never does while it is
    /// open.
    ///
    /// Opening again takes a millisecond or two, for which views wait; it happens once in hundreds of compactions.
    func trim(_ shares: LevelDBShares) throws(CacheError) {
        try state.withLock { (state) throws(CacheError) in
            guard let notes = try state.directory?.notes() else { throw .closedStore }
            if notes.events > shares.notes { state.directory?.emptyEvents() }
            // Opening writes a new manifest. It needs the handle unused; if a view is open, a later call does it.
            guard notes.manifest > shares.notes, state.users == 0, state.failure == nil, state.isHandleUnused else {
                return
            }
            // Opening writes, so it waits until there is room; the open handle can be read without.
            guard (try? state.directory?.tryRoom()) != nil else { return }
            state.handle = nil
            _ = try state.open(options)
        }
    }

    /// The directory's files, which can be looked at while other threads use the handle.
    private func files() throws(CacheError) -> StoreFiles {
        try state.withLock { (state) throws(CacheError) in
            guard let files = state.directory?.files else { throw .closedStore }
            return files
        }
    }

    /// Bytes of all tables on disk, in use or not.
    func tableBytes() throws(CacheError) -> Int {
        try files().allocatedBytes { $0.hasSuffix(".ldb") }
    }

    /// Whether a batch of `bytes` may be written without a look at the files; its commit reduces the room.
    func hasRoom(_ bytes: Int) -> Bool {
        state.withLock { $0.handle != nil && $0.failure == nil && bytes > 0 && bytes <= $0.room.bytes }
    }
}
