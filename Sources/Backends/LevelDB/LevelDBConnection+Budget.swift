import GroveCache
import GroveModel

/// The functions that a budget needs of the files and of the handle.
extension LevelDBConnection {
    /// Bytes of LevelDB's own files as `du` counts them.
    func engineBytes() throws(CacheError) -> Int {
        try files().engineBytes()
    }

    /// Notes that LevelDB may have begun another log.
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
            // Opening writes a new manifest, and has to wait for views: later, if there are any.
            guard notes.manifest > shares.notes, state.users == 0, state.failure == nil, state.isHandleUnused else {
                return
            }
            // Opening writes; what is open can be read whether there is room or not.
            guard (try? state.directory?.tryRoom()) != nil else { return }
            state.handle = nil
            _ = try state.open(options)
        }
    }

    /// The directory, whose files can be looked at while others use the handle.
    private func files() throws(CacheError) -> StoreFiles {
        try state.withLock { (state) throws(CacheError) in
            guard let files = state.directory?.files else { throw .closedStore }
            return files
        }
    }

    /// Refuses what needs a compaction for a second after one was waited for in vain.
    func refuseWhileHeldUp() throws(CacheError) {
        let isHeldUp = state.withLock { state in
            state.heldUp.map { ContinuousClock.now - $0 < .seconds(1) } ?? false
        }
        if isHeldUp { throw .heldUp }
    }

    /// Notes that a compaction was waited for in vain, and returns what to say of it.
    func noteHeldUp() -> CacheError {
        state.withLock { $0.heldUp = .now }
        return .heldUp
    }

    /// Bytes of the tables that there are, in use or not.
    func tableBytes() throws(CacheError) -> Int {
        try files().allocatedBytes { $0.hasSuffix(".ldb") }
    }

    /// How many bytes LevelDB is taken to write for each byte of a batch, or more.
    ///
    /// That is the log and a table; four tables, if they are as small as buffers get, with the whole of level 1, of 10 MB;
    /// and a table with twelve of level 2 (`db/version_set.cc`, `MaxBytesForLevel`). A view that stays open keeps all of it.
    private static var amplification: Int { 64 }

    /// Notes that the files may grow by `bytes`: batches may take a part of it before the files are looked at again.
    func noteRoom(_ bytes: Int) { state.withLock { $0.room = max(bytes, 0) / Self.amplification } }

    /// Whether a batch of `bytes` may be written without a look at the files; what is written is taken off by its commit.
    func hasRoom(_ bytes: Int) -> Bool {
        state.withLock { $0.handle != nil && $0.failure == nil && bytes > 0 && bytes <= $0.room }
    }

    /// Notes a call for room if there is none, and returns whether it is to compact: the first, and every eighth after
    /// one that did not help.
    func noteRefusal() -> Bool {
        state.withLock { state in
            guard state.refusals > 0 else { return true }
            state.refusals += 1
            return state.refusals % 8 == 0
        }
    }

    /// Notes whether there was room, after a compaction or without.
    func hadRoom(_ hasRoom: Bool) { state.withLock { $0.refusals = hasRoom ? 0 : 1 } }

    /// The bytes of tables for each byte of keys and values, of which there are `payload`; `nil` before a compaction.
    func density(holding payload: Int) -> Double? {
        state.withLock { state in
            state.payload = payload
            return state.density
        }
    }

    /// Notes what the tables take after a compaction.
    func noteDensity(_ tableBytes: Int) {
        state.withLock { state in
            // The tables of a few records tell little.
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
