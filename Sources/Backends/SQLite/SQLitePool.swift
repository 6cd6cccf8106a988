import GroveCache
import GroveModel

/// The connections of a store's readers at rest, with their statements prepared.
final class SQLitePool: Sendable {
    /// The connections of some threads at rest.
    ///
    /// The other fields are equal for all threads, and change for all at once.
    private struct Pool {
        var resting: [SQLiteView] = []
        var generation = 0
        var isClosed = false
    }

    /// The most connections at rest for each core; more are closed, because each has a page cache of its own.
    private static let restingLimit = PoolCount.share(of: 8)

    let directory: StoreFiles
    let options: SQLiteOptions
    let hashMask: UInt64
    /// The budget for the files.
    let budget = SQLiteBudget()
    private let pools = Pools { Pool() }

    init(_ directory: StoreFiles, _ options: SQLiteOptions, hashMask: UInt64) {
        self.directory = directory
        self.options = options
        self.hashMask = hashMask
    }

    /// Opens a view of the newest commit.
    func view() throws(CacheError) -> SQLiteView {
        let rested = try restingView()
        let view = if let rested { rested } else { try newView() }
        try view.begin()
        return view
    }

    private func restingView() throws(CacheError) -> SQLiteView? {
        let own = pools.own
        let rested = try pools.withLock(of: own) { pool throws(CacheError) in
            guard !pool.isClosed else { throw .closedStore }
            return pool.resting.popLast()
        }
        return rested ?? pools.first(outside: own) { $0.resting.popLast() }
    }

    /// Opens a connection without holding a lock, and another one if the files were replaced meanwhile: the first may
    /// have the old files.
    private func newView() throws(CacheError) -> SQLiteView {
        while true {
            let generation = self.generation
            let opened: Result<SQLiteView, CacheError>
            do throws(CacheError) {
                opened = .success(try SQLiteView(self, generation: generation))
            } catch {
                opened = .failure(error)
            }
            if isClosed { throw .closedStore }
            if self.generation == generation { return try opened.get() }
        }
    }

    /// The number of the present files: see ``SQLiteView/generation``.
    private var generation: Int { pools.withLock(of: 0) { $0.generation } }

    /// Puts an ended view to rest.
    func giveBack(_ view: SQLiteView) {
        pools.withLock(of: pools.own) { pool in
            // A view of files that were wiped, or one too many, is freed with its last reference.
            guard !pool.isClosed, pool.generation == view.generation, pool.resting.count < Self.restingLimit else {
                return
            }
            pool.resting.append(view)
        }
    }

    /// Closes the resting connections, runs `body` while no view can open, and keeps earlier views from coming back.
    func replacing(_ body: () throws(CacheError) -> Void) throws(CacheError) {
        try pools.withAll { visit throws(CacheError) in
            var isClosed = false
            visit { isClosed = $0.isClosed }
            guard !isClosed else { throw .closedStore }
            visit { pool in
                pool.resting = []
                pool.generation += 1
            }
            try body()
        }
    }

    /// Whether ``close()`` was called.
    var isClosed: Bool { pools.withLock(of: 0) { $0.isClosed } }

    /// Closes the resting connections; every later call throws `closed`.
    func close() {
        pools.withAll { visit in
            visit { pool in
                pool.isClosed = true
                pool.resting = []
            }
        }
    }
}
