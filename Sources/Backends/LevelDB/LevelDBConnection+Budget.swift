import GroveCache
import GroveModel

/// The measures and notes that a budget needs of the files and of the handle.
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

    /// Throws if a compaction waited for readers in vain less than a second ago.
    func refuseWhileHeldUp() throws(CacheError) {
        let isHeldUp = state.withLock { state in
            state.heldUp.map { ContinuousClock.now - $0 < .seconds(1) } ?? false
        }
        if isHeldUp { throw .heldUp }
    }

    /// Notes that a compaction waited for readers in vain, and returns the error for that.
    func noteHeldUp() -> CacheError {
        state.withLock { $0.heldUp = .now }
        return .heldUp
    }

    /// Bytes of all tables on disk, in use or not.
    func tableBytes() throws(CacheError) -> Int {
        try files().allocatedBytes { $0.hasSuffix(".ldb") }
    }

    /// An upper bound of the bytes that LevelDB writes for each byte of a batch.
    ///
    /// They are the log, a table, four tables with all of level 1, and a table with twelve of level 2 (`db/version_set.cc`,
    /// `MaxBytesForLevel`). Level 1 has 10 MB, and tables are taken to be as small as buffers can be. A view that stays open
    /// keeps all of it.
    private static var amplification: Int { 64 }

    /// Notes that the files may grow by `bytes`: batches may take a part of these before the files are looked at again.
    func noteRoom(_ bytes: Int) { state.withLock { $0.room = max(bytes, 0) / Self.amplification } }

    /// Whether a batch of `bytes` may be written without a look at the files; its commit reduces the room.
    func hasRoom(_ bytes: Int) -> Bool {
        state.withLock { $0.handle != nil && $0.failure == nil && bytes > 0 && bytes <= $0.room }
    }

    /// Notes a call that found no room, and returns whether it is to compact: the first such call, and every eighth after
    /// a compaction that did not help.
    func noteRefusal() -> Bool {
        state.withLock { state in
            guard state.refusals > 0 else { return true }
            state.refusals += 1
            return state.refusals % 8 == 0
        }
    }

    /// Notes whether there was room, with or without a compaction.
    func hadRoom(_ hasRoom: Bool) { state.withLock { $0.refusals = hasRoom ? 0 : 1 } }

    /// The bytes of tables for each byte of keys and values, of which there are `payload`; `nil` before a compaction.
    func density(holding payload: Int) -> Double? {
        state.withLock { state in
            state.payload = payload
            return state.density
        }
    }

    /// Notes the bytes of the tables after a compaction.
    func noteDensity(_ tableBytes: Int) {
        state.withLock { state in
            // The tables of few records say little about the density.
            guard state.payload > 256 << 10, tableBytes > 0 else { return }
            state.density = Double(tableBytes) / Double(state.payload)
        }
    }
}

extension CacheError {
    fileprivate static var heldUp: CacheError {
        CacheError(.full, "A read that does not end keeps files that were replaced.")
    }
}
