import CLMDB
import GroveCache
import GroveModel
import GrovePlatform
import Synchronization

/// The open environment of a store, and its views at rest.
///
/// A view at rest keeps its slot in the reader table and its memory, so that opening a view is a pop and a renewal.
final class LMDBPool: Sendable {
    private struct State {
        var environment: LMDBEnvironment?
        var isClosed = false
        /// The size of the map if there is a budget, beyond which the file cannot grow.
        var mapLimit: Int?

        /// Closes the environment once no view holds it.
        mutating func letGo() {
            environment?.isLetGo.store(true, ordering: .relaxed)
            environment = nil
        }
    }

    /// The views of some threads.
    private struct Pool {
        var resting: [LMDBView] = []
        /// The number of views, writes and other uses of the map that began in this pool, less those that ended in it.
        var open = 0
    }

    /// The most views at rest for each core; more are ended, because each takes a reader slot that other processes
    /// might need.
    private static let restingLimit = PoolCount.share(of: 16)

    /// The number of checks whether all views have ended, and the time between two checks; together they take a second.
    private static let looks = 5_000
    private static let microsecondsBetweenLooks: UInt32 = 200

    private let directory: StoreFiles
    private let options: LMDBOptions
    private let hashMask: UInt64
    /// The state; its lock is taken before the locks of ``pools``, if both are.
    private let state: Lock<State>
    private let pools = Pools { Pool() }
    /// Whether half of the slots of readers are taken, or were.
    ///
    /// Then no view rests in a slot, so that later processes find the other half free.
    private let isCrowded = Atomic<Bool>(false)

    /// Opens the environment, with a map of at most `mapLimit` bytes unless its file is longer already.
    init(
        _ directory: StoreFiles, _ options: LMDBOptions, hashMask: UInt64, mapLimit: Int? = nil
    ) throws(CacheError) {
        self.directory = directory
        self.options = options
        self.hashMask = hashMask
        // Otherwise wrong options would be refused only on the day on which the budget becomes smaller.
        try options.check()
        let environment = try LMDBEnvironment(directory, options.limited(to: mapLimit), hashMask: hashMask)
        state = Lock(State(environment: environment, mapLimit: mapLimit))
    }

    /// Opens a view of the newest commit.
    func view() throws(CacheError) -> LMDBView {
        do throws(CacheError) {
            return try beginView()
        } catch {
            guard error.engineCode == Int(MDB_MAP_RESIZED) else { throw error }
        }
        try adoptMapSize()
        return try beginView()
    }

    private func beginView() throws(CacheError) -> LMDBView {
        let own = pools.own
        let rested = pools.withLock(of: own) { pool in
            pool.open += 1
            return pool.resting.popLast()
        }
        // A view that cannot be renewed is dropped with its slot; if a new view fails too, its error says why.
        if let view = rested ?? pools.first(outside: own, { $0.resting.popLast() }), view.renew() == MDB_SUCCESS {
            return view
        }
        do throws(CacheError) {
            let environment = try environment()
            let view = try LMDBView(environment, self)
            if environment.isHalfFullOfReaders { isCrowded.store(true, ordering: .relaxed) }
            return view
        } catch {
            forget()
            throw error
        }
    }

    /// Puts an ended view to rest.
    func giveBack(_ view: LMDBView) {
        view.reset()
        pools.withLock(of: pools.own) { pool in
            pool.open -= 1
            // A view of a replaced environment, or one too many, is freed with its last reference.
            guard !view.environment.isLetGo.load(ordering: .relaxed), pool.resting.count < Self.restingLimit,
                !isCrowded.load(ordering: .relaxed)
            else { return }
            pool.resting.append(view)
        }
    }

    /// Counts the end of a view or a write that is not given back.
    func forget() { pools.withLock(of: pools.own) { $0.open -= 1 } }

    /// Runs `body` with the state and the number of open views and writes; meanwhile none begins or ends, and none is
    /// at rest.
    private func withNoneResting<Result>(
        _ body: (inout State, _ open: Int) throws(CacheError) -> Result
    ) throws(CacheError) -> Result {
        try state.withLock { state throws(CacheError) in
            try pools.withAll { visit throws(CacheError) in
                var open = 0
                visit { pool in
                    open += pool.open
                    pool.resting = []
                }
                return try body(&state, open)
            }
        }
    }

    /// The environment, which stays open while the caller holds it.
    func environment() throws(CacheError) -> LMDBEnvironment {
        try state.withLock { state throws(CacheError) in try usable(&state) }
    }

    /// Runs `body` with the environment, whose map does not move meanwhile.
    func withEnvironment<Result>(
        _ body: (LMDBEnvironment) throws(CacheError) -> Result
    ) throws(CacheError) -> Result {
        pools.withLock(of: pools.own) { $0.open += 1 }
        defer { forget() }
        return try body(try environment())
    }

    /// Begins a write, which ``endWrite(_:)`` follows; a process has one at a time.
    func beginWrite() throws(CacheError) -> LMDBTransaction {
        do throws(CacheError) {
            return try beginWriteOnce()
        } catch {
            switch error.engineCode {
            case Int(MDB_MAP_RESIZED): try adoptMapSize()
            case Int(MDB_PANIC): try reopen()
            default: throw error
            }
        }
        return try beginWriteOnce()
    }

    private func beginWriteOnce() throws(CacheError) -> LMDBTransaction {
        pools.withLock(of: pools.own) { $0.open += 1 }
        do throws(CacheError) {
            let environment = try environment()
            try environment.lockWriter()
            do throws(CacheError) {
                return try LMDBTransaction(environment)
            } catch {
                environment.unlockWriter()
                throw error
            }
        } catch {
            forget()
            throw error
        }
    }

    /// Notes that `write`, which has committed or aborted, has ended.
    func endWrite(_ write: LMDBTransaction) {
        write.environment.unlockWriter()
        forget()
    }

    /// Takes over the map size of a process that wrote past ours.
    ///
    /// "This function may only be called if no transactions are active in this process": it waits up to a second until
    /// all open views have ended. No other view begins meanwhile, as each fails with the same error.
    private func adoptMapSize() throws(CacheError) {
        for _ in 0..<Self.looks {
            let isDone = try withNoneResting { (state, open) throws(CacheError) -> Bool in
                let environment = try usable(&state)
                guard open == 0 else { return false }
                try unsafe LMDBEnvironment.check(
                    mdb_env_set_mapsize(environment.pointer, 0), "take over the map's new size")
                return true
            }
            if isDone { return }
            usleep(Self.microsecondsBetweenLooks)
        }
        throw .lmdb(MDB_MAP_RESIZED, "use the store")
    }

    /// Opens the environment again with a map of at most `bytes`, unless it was opened so.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` if the file is already longer.
    func limit(to bytes: Int) throws(CacheError) {
        try withNoneResting { (state, open) throws(CacheError) in
            guard open == 0 else { throw .lmdb(EBUSY, "limit the store's size") }
            if state.mapLimit == bytes, let environment = state.environment,
                try environment.pages().map * environment.pageBytes <= bytes
            {
                return
            }
            state.mapLimit = bytes
            state.letGo()
            let environment = try usable(&state)
            guard try environment.pages().map * environment.pageBytes <= bytes else {
                // Making the file smaller needs room to write.
                state.mapLimit = nil
                state.letGo()
                throw CacheError(.overBudget, "the store's file is larger than its budget")
            }
        }
    }

    /// Releases the slots of resting views and of killed readers, so that old pages can be reused.
    func releaseResting() {
        pools.forEach { $0.resting = [] }
        if let environment = state.withLock({ $0.environment }) {
            unsafe mdb_reader_check(environment.pointer, nil)
        }
    }

    /// Closes the environment and opens it again, which ends the state that LMDB calls a panic.
    private func reopen() throws(CacheError) {
        try withNoneResting { (state, open) throws(CacheError) in
            guard open == 0 else { throw .lmdb(MDB_PANIC, "use the store until its views have ended") }
            state.letGo()
            _ = try usable(&state)
        }
    }

    /// Replaces the file with a copy without holes, and closes the environment.
    func shrink(_ replacing: () -> Void) throws(CacheError) {
        try withNoneResting { (state, open) throws(CacheError) in
            guard open == 0 else { throw .lmdb(EBUSY, "make the store smaller") }
            let environment = try usable(&state)
            // Afterwards its file is or may be removed.
            state.letGo()
            try LMDBCopy.replace(environment, in: directory, replacing)
        }
    }

    /// Closes the environment, removes the files and makes new ones.
    func wipe() throws(CacheError) {
        try withNoneResting { (state, _) throws(CacheError) in
            guard !state.isClosed else { throw .closedStore }
            state.letGo()
            try directory.remove(LMDBFiles.names + LMDBCopy.names)
            _ = try usable(&state)
        }
    }

    /// Closes the environment as soon as no view is open; every later call throws `closed`.
    func close() {
        // The closure throws nothing.
        try? withNoneResting { (state, _) throws(CacheError) in
            state.isClosed = true
            state.letGo()
        }
    }

    private func usable(_ state: inout State) throws(CacheError) -> LMDBEnvironment {
        if let environment = state.environment { return environment }
        guard !state.isClosed else { throw .closedStore }
        let environment = try LMDBEnvironment(directory, options.limited(to: state.mapLimit), hashMask: hashMask)
        state.environment = environment
        return environment
    }
}
