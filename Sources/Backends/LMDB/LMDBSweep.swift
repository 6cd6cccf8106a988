import CLMDB
import GroveCache
import GroveModel
import Synchronization

/// Fills pages that removals have left sparse, a few in each transaction, where there is a budget.
///
/// LMDB merges a page only once it is less than a quarter full, and after many removals its pages are a third full on
/// average. Records that are removed and put back in order fill page after page. So the records of a run of neighbouring
/// pages are put back where that takes fewer pages.
///
/// Where a page begins is told by the addresses of its keys, for pages that the transaction has not written to.
final class LMDBSweep: Sendable {
    private struct State {
        /// Where the next transaction goes on; empty for the beginning.
        var next: [UInt8] = []
        /// Where the map begins in memory.
        var map: (base: UInt, bytes: Int)?
    }

    private let state = Mutex(State())

    /// How many pages a transaction that writes `entries` records fills anew at the most.
    static func pages(forEntries entries: Int) -> Int { 40 + min(entries * 4 / 5, 60) }

    /// Forgets where the map is: the environment was opened anew.
    func reset() { state.withLock { $0 = State() } }

    /// Frees pages in the transaction `transaction`, which has written `entries` records.
    func run(
        _ transaction: OpaquePointer, _ environment: LMDBEnvironment, entries: Int
    ) throws(CacheError) {
        let (known, position) = state.withLock { ($0.map, $0.next) }
        let map: (base: UInt, bytes: Int)
        if let known { map = known } else { map = try Self.map(environment) }
        guard map.bytes > 0 else { return }
        var pass = unsafe LMDBSweepPass(
            transaction: transaction, environment: environment, pageBytes: try environment.pageBytes(),
            base: map.base, end: map.base + UInt(map.bytes), left: Self.pages(forEntries: entries))
        let next = try pass.run(from: position)
        state.withLock { state in
            state.map = map
            state.next = next
        }
    }

    /// Where the map is: a page begins with its number.
    private static func map(_ environment: LMDBEnvironment) throws(CacheError) -> (base: UInt, bytes: Int) {
        let page = try environment.pageBytes()
        var begun: OpaquePointer?
        try unsafe LMDBEnvironment.check(
            mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &begun), "begin a view")
        defer { unsafe mdb_txn_abort(begun) }
        var cursor: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_cursor_open(begun, environment.database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        try unsafe LMDBEnvironment.check(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), "read a record")
        let address = unsafe UInt(bitPattern: key.mv_data) & ~UInt(page - 1)
        guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return (0, 0) }
        let number = unsafe start.load(as: UInt.self)
        let bytes = try environment.mapBytes()
        guard number < UInt(bytes / page) else { return (0, 0) }
        return (address - number * UInt(page), bytes)
    }
}
