import GroveCache
import GroveModel
import GrovePlatform

/// The state that a store and its views share: the directory, the handle, and the number of users of the handle.
///
/// The handle is released, for a wipe or after a failed write, only while nothing uses it.
final class LevelDBConnection: Sendable {
    let options: LevelDBOptions
    let state: Lock<State>

    struct State: ~Copyable {
        /// The directory; `nil` once the store is closed.
        var directory: LevelDBDirectory?
        /// The open database; `nil` if opening it again failed, which the next use tries again.
        var handle: LevelDBHandle?
        /// Whether a wipe has begun that must be finished before the files are opened.
        var isWiping = false
        /// The number of views and of calls that need the handle.
        var users = 0
        var spareOptions: [LevelDBReadOptions] = []
        /// The failure after which the handle may not be written to.
        var failure: CacheError?
        /// The log as it was after the last commit, if commits are synchronised.
        var log: LevelDBDirectory.Log?
        /// Whether the batch of a failed write is still in the log; the log must not be opened then.
        var mustCut = false
        var commits = 0
        var room: LevelDBRoom
        var counted: (commits: Int, entries: Int, payloadBytes: Int)?

        /// The handle, which is opened again if there is none.
        mutating func open(_ options: LevelDBOptions) throws(CacheError) -> LevelDBHandle {
            if let handle { return handle }
            guard let path = directory?.files.path else { throw .closedStore }
            try directory?.checkPath()
            if isWiping {
                try directory?.removeContent()
                (mustCut, isWiping) = (false, false)
            }
            try cutLog()
            let opened = try LevelDBHandle(directory: path, options: room.options ?? options)
            handle = opened
            room.bytes = 0
            failure = nil
            log = directory?.newestLog()
            return opened
        }

        /// Whether no view has the handle; an ended view releases it a moment later.
        var isHandleUnused: Bool {
            mutating get {
                guard var last = handle.take() else { return true }
                let isUnused = isKnownUniquelyReferenced(&last)
                handle = last
                return isUnused
            }
        }

        /// Removes a failed write from the log, if that was not possible when the write failed.
        mutating func cutLog() throws(CacheError) {
            guard mustCut, let log else { return }
            guard directory?.cut(backTo: log) == true else {
                throw failure ?? CacheError(.inputOutput, "A failed write cannot be taken out of LevelDB's log.")
            }
            mustCut = false
        }
    }

    /// Checks, locks and opens `path`, within `budget` if one is known to follow.
    init(_ path: String?, options: LevelDBOptions, budget: Int? = nil) throws(CacheError) {
        self.options = options
        let directory = try LevelDBDirectory(try StoreFiles(path))
        let budgetOptions = budget.map(options.limited)
        let handle: LevelDBHandle
        do throws(CacheError) {
            handle = try LevelDBHandle(directory: directory.files.path, options: budgetOptions ?? options)
        } catch {
            // If each commit is synchronised, at most one record was being written when the power failed.
            guard error.code == .corrupted, options.syncsEachCommit, directory.cutTornTail() else { throw error }
            handle = try LevelDBHandle(directory: directory.files.path, options: budgetOptions ?? options)
        }
        let log = directory.newestLog()
        state = Lock(State(directory: directory, handle: handle, log: log, room: LevelDBRoom(budgetOptions)))
    }

    /// The handle and read options for a new view; ``ended(_:)`` gives them back.
    func begin() throws(CacheError) -> (LevelDBHandle, LevelDBReadOptions) {
        try state.withLock { (state) throws(CacheError) in
            let handle = try state.open(options)
            if let spare = state.spareOptions.popLast() {
                state.users += 1
                return (handle, spare)
            }
            let readOptions = try LevelDBReadOptions()
            state.users += 1
            return (handle, readOptions)
        }
    }

    /// Takes back the read options from ``begin()``.
    func ended(_ options: LevelDBReadOptions) {
        state.withLock { state in
            state.users -= 1
            if state.spareOptions.count < 16 { state.spareOptions.append(options) }
        }
    }

    /// The handle for a transaction; after a failed write, it is a new one.
    ///
    /// A write that failed halfway leaves half a record in LevelDB's log, after which no other may be written. After a
    /// failed sync or compaction LevelDB refuses all writes. Opening again begins a new log. It waits up to a second
    /// for open views. It throws if the disk has no room, so that readers keep the open store.
    func writable() throws(CacheError) -> LevelDBHandle {
        for _ in 0..<2_000 {
            let handle: LevelDBHandle? = try state.withLock { (state) throws(CacheError) in
                guard state.failure != nil, state.handle != nil else { return try state.open(options) }
                guard state.users == 0, state.isHandleUnused else { return nil }
                try state.directory?.tryRoom()
                state.handle = nil
                return try state.open(options)
            }
            if let handle { return handle }
            usleep(500)
        }
        throw failure ?? CacheError(.other, "Views stay open, so that the store cannot be opened again.")
    }

    /// The failure after which nothing is written until the database is opened again.
    var failure: CacheError? { state.withLock { $0.failure } }

    /// Notes that a write failed, and removes it from the log.
    func failed(_ error: CacheError) {
        state.withLock { state in
            state.failure = error
            guard options.syncsEachCommit, state.log != nil else { return }
            state.mustCut = true
            try? state.cutLog()
        }
    }

    /// Notes a commit of a batch of `bytes`.
    func committed(bytes: Int) {
        state.withLock { state in
            state.commits += 1
            state.room.bytes -= bytes
            if options.syncsEachCommit { state.log = state.directory?.log(after: state.log) }
        }
    }

    /// The number of commits, and the last count if none has been made since.
    func counts() -> (commits: Int, last: (entries: Int, payloadBytes: Int)?) {
        state.withLock { state in
            guard let counted = state.counted, counted.commits == state.commits else { return (state.commits, nil) }
            return (state.commits, (counted.entries, counted.payloadBytes))
        }
    }

    /// Notes a count of the state after `commits` commits.
    func counted(after commits: Int, entries: Int, payloadBytes: Int) {
        state.withLock { $0.counted = (commits, entries, payloadBytes) }
    }

    /// Bytes of the directory's files as `du` counts them.
    func bytesOnDisk() throws(CacheError) -> Int {
        try state.withLock { (state) throws(CacheError) in
            guard let bytes = try state.directory?.files.allocatedBytes() else { throw .closedStore }
            return bytes
        }
    }

    /// Makes LevelDB keep its files within `bytes`, and returns the division of these.
    ///
    /// It opens LevelDB again unless it was opened with the options for that budget.
    func limit(to bytes: Int) throws(CacheError) -> LevelDBShares {
        let shares = LevelDBShares(bytes)
        try state.withLock { (state) throws(CacheError) in
            guard state.users == 0 else {
                throw CacheError(.locked, "A view is open, so that the store cannot be limited.")
            }
            let limited = options.limited(to: bytes)
            let isOpenSo = state.handle != nil && state.room.options ?? options == limited
            if !isOpenSo { try state.directory?.checkPath() }
            (state.room.shares, state.room.options, state.room.bytes) = (shares, limited, 0)
            if isOpenSo { return }
            state.handle = nil
            _ = try state.open(options)
        }
        return shares
    }

    /// Whether `CURRENT` and a log are in the directory, as they are while LevelDB has it open.
    var isComplete: Bool { state.withLock { $0.directory?.hasCurrent == true && $0.directory?.newestLog() != nil } }

    /// The division of the budget, if there is one.
    var shares: LevelDBShares? { state.withLock { $0.room.shares } }

    /// Closes the handle, removes its files and opens it again; calls that open views wait meanwhile.
    func wipe() throws(CacheError) {
        try state.withLock { (state) throws(CacheError) in
            guard state.directory != nil else { throw .closedStore }
            guard state.users == 0 else {
                throw CacheError(.locked, "A view is open, so that the store cannot be wiped.")
            }
            try state.directory?.checkPath()
            state.handle = nil
            state.counted = nil
            state.room.wipe()
            state.commits += 1
            state.isWiping = true
            _ = try state.open(options)
        }
    }

    /// Closes the handle and releases the directory.
    func close() {
        state.withLock { state in
            state.handle = nil
            try? state.cutLog()
            state.spareOptions = []
            state.directory = nil
        }
    }
}
