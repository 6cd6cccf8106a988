import GroveCache
import GroveModel

/// The connections of a store's readers at rest, with their statements prepared.
final class SQLitePool: Sendable {
    private struct State {
        var resting: [SQLiteView] = []
        var generation = 0
        var isClosed = false
    }

    /// More connections than this at rest are closed; each has a page cache of its own.
    private static let restingLimit = 8

    let directory: StoreFiles
    let options: SQLiteOptions
    let hashMask: UInt64
    /// How large the files may become.
    let budget = SQLiteBudget()
    private let state = Lock(State())

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
        try state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw .closedStore }
            return state.resting.popLast()
        }
    }

    /// Opens a connection, with no lock held; again where the files were replaced meanwhile, which it may have opened.
    private func newView() throws(CacheError) -> SQLiteView {
        while true {
            let generation = state.withLock { $0.generation }
            let opened: Result<SQLiteView, CacheError>
            do throws(CacheError) {
                opened = .success(try SQLiteView(self, generation: generation))
            } catch {
                opened = .failure(error)
            }
            if isClosed { throw .closedStore }
            if state.withLock({ $0.generation }) == generation { return try opened.get() }
        }
    }

    /// Puts an ended view to rest.
    func giveBack(_ view: SQLiteView) {
        state.withLock { state in
            // A view of files that were wiped, or one too many, goes with its last reference.
            guard !state.isClosed, state.generation == view.generation, state.resting.count < Self.restingLimit else {
                return
            }
            state.resting.append(view)
        }
    }

    /// Closes what rests, runs `body` while no view can open, and keeps earlier views from coming back.
    func replacing(_ body: () throws(CacheError) -> Void) throws(CacheError) {
        try state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw .closedStore }
            state.resting = []
            state.generation += 1
            try body()
        }
    }

    /// Whether ``close()`` was called.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Closes what rests; every later call throws `closed`.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.resting = []
        }
    }
}
