import CSQLite
import GroveCache
import GroveModel

/// How a store's bytes on disk are divided, and what of the database is in use.
///
/// The database takes no more pages than it may. A fifth of the budget, 3 MB if it is small and half if it is very
/// small, is left to the log, which is copied and cut off before it would have more.
///
/// Eviction leaves holes: SQLite merges a page only when it is less than a third full. Once the database is nearly full and not
/// densely, each transaction takes a run of records, in the order of their rows, out of its table and puts them back. This
/// fills the pages there, and the next transaction goes on behind them.
final class SQLiteBudget: Sendable {
    private struct State {
        /// All of it, in bytes; `nil` if there is none.
        var bytes: Int?
        /// Pages of the database, those that are free, and how many there may be.
        var pages = 0
        var freePages = 0
        var maxPages = Int.max
        /// The payload when it was last asked how much fits.
        var payload = 0
        /// The place at which the next transaction goes on to pack.
        var next = SQLitePlace.numbered(0)
        /// How full the pages were when the round of packing began, in hundredths.
        var roundDensity = 0
        /// Packing waits until the pages are less full, in hundredths: a round brought nothing.
        var restsAbove = SQLiteBudget.density

        /// How full the pages are, in hundredths.
        var density: Int { payload * 100 / max((pages - freePages) * SQLiteBudget.pageBytes, 1) }

        /// Notes that packing is done up to `end`, of the table of ``next``; at the end of both a round is over.
        mutating func pack(upTo end: Int64?) {
            switch (next, end) {
            case (.numbered, let end?): next = .numbered(end)
            case (.numbered, nil): next = .named(0)
            case (.named, let end?): next = .named(end)
            case (.named, nil):
                next = .numbered(0)
                restsAbove = density < roundDensity + 2 ? density - 1 : SQLiteBudget.density
                roundDensity = density
            }
        }
        /// Whether the log has room for records that are packed.
        var hasRoomToPack = false
        /// The bytes that the log has left for the next transaction, if that may be too few for it, and whether a view
        /// keeps it from having more.
        var logRoom: (bytes: Int, isHeld: Bool)?
    }

    static let pageBytes = 4_096
    /// A page in the log, its header included.
    private static let frameBytes = pageBytes + 24
    /// How full the pages are, in hundredths, beyond which nothing is packed.
    private static let density = 92
    /// The bytes of the log's index, with some to spare for the file system.
    private static let besideLog = 160 << 10
    /// How long a checkpoint waits for views before the write goes on without.
    private static let patience: Int32 = 1_000

    private let state = Lock(State())

    /// Divides `bytes` and returns the payload that fits.
    func set(_ bytes: Int, _ writer: SQLiteWriter, _ files: StoreFiles) throws(CacheError) -> Int {
        let maxPages = (bytes - Self.logBytes(bytes) - Self.besideLog) / Self.pageBytes
        guard maxPages >= 64 else {
            throw CacheError(.unsupported, "the budget leaves \(bytes) bytes to SQLite, which cannot work in so few")
        }
        state.withLock { state in
            state.bytes = bytes
            state.maxPages = maxPages
        }
        try begin(writer.connection)
        let file = files.file(SQLiteFiles.database)?.allocatedBytes ?? 0
        guard state.withLock({ $0.pages }) <= maxPages, file <= maxPages * Self.pageBytes + Self.besideLog / 2 else {
            throw CacheError(.overBudget, "the store's database is larger than its budget")
        }
        return maxPages * Self.pageBytes / 100 * 88
    }

    /// Prepares a connection that writes.
    func begin(_ connection: SQLiteConnection) throws(CacheError) {
        guard state.withLock({ $0.bytes != nil }) else { return }
        try connection.run("PRAGMA max_page_count = \(state.withLock { $0.maxPages })")
        // The log is copied when it must be, and cut off then.
        try connection.run("PRAGMA wal_autocheckpoint = 0")
        // No page goes to the log before the commit.
        try connection.run("PRAGMA cache_spill = OFF")
        try measure(connection)
    }

    /// Looks at the database after a commit.
    func didCommit(_ writer: SQLiteWriter) throws(CacheError) {
        guard state.withLock({ $0.bytes != nil }) else { return }
        try measure(writer.connection)
    }

    private func measure(_ connection: SQLiteConnection) throws(CacheError) {
        let pages = Int(try connection.number("PRAGMA page_count"))
        let free = Int(try connection.number("PRAGMA freelist_count"))
        state.withLock { state in
            state.pages = pages
            state.freePages = free
        }
    }

    /// The log's part of `bytes`: if they are few, one transaction may change every page of the database.
    private static func logBytes(_ bytes: Int) -> Int {
        max(bytes / 5, min(bytes * 2 / 5, 3 << 20), min(bytes * 11 / 20, 1 << 20))
    }

    /// Sees to it that the log has room for a transaction; see ``SQLiteStore/makeRoom(for:)``.
    func makeRoom(for load: WriteLoad, _ writer: SQLiteWriter, _ files: StoreFiles) throws(CacheError) -> Bool {
        let (budget, pages, free) = state.withLock { ($0.bytes, $0.pages, $0.freePages) }
        guard let budget else { return true }
        let used = pages - free
        // New records may lie anywhere, or their entries in the index; some lie together. So may the records that they replace, and those
        // that are evicted for them: a page that becomes too full or too empty takes its neighbours along.
        let created = load.entries - load.replaced
        let touched = min((created + load.evictions) * 2 / 3 + (load.replaced + load.evictions) * 3 / 2, used)
        let needed = (touched + created / 40 + load.bytes * 5 / 4 / Self.pageBytes + 16) * Self.frameBytes
        let packing = (Self.packedPages(load.entries) + Self.packed(load.entries) / 5 + 8) * Self.frameBytes
        let allowed = max(Self.logBytes(budget), budget - pages * Self.pageBytes - Self.besideLog)
        let log = files.file(SQLiteFiles.log)?.allocatedBytes ?? 0
        if log + needed + packing <= allowed {
            state.withLock { $0.hasRoomToPack = true }
            // A reader looks through all of the log for each page. Cutting it off can wait for a moment without views;
            // if it fails, the write fits nevertheless.
            if log > Self.longLog { try? cutOffLog(writer.connection, patience: 0) }
            return true
        }
        try cutOffLog(writer.connection, patience: load.waitsForViews ? Self.patience : 0)
        let rest = files.file(SQLiteFiles.log)?.allocatedBytes ?? 0
        // If records lie together, fewer pages change than there may be: they are counted before the commit.
        let least = (load.bytes / Self.pageBytes + 16) * Self.frameBytes
        state.withLock { state in
            state.hasRoomToPack = rest + needed + packing <= allowed
            state.logRoom = rest + needed > allowed ? (allowed - rest, rest > 0) : nil
        }
        guard rest + least > allowed else { return true }
        throw noRoom(for: least, (allowed - rest, rest > 0))
    }

    /// Says that a write needs `bytes` of log; removing records makes neither file smaller.
    private func noRoom(for bytes: Int, _ room: (bytes: Int, isHeld: Bool)) -> CacheError {
        guard room.isHeld else {
            return CacheError(
                .overBudget,
                "the write needs \(bytes) bytes of log and the budget leaves \(room.bytes); write less at once")
        }
        return CacheError(.full, "a view that stays open keeps the log from starting over; end views soon")
    }

    /// Checks that the log has room for the pages that the transaction under way has changed, if that was not known before.
    ///
    /// - Throws: ``CacheError`` with code `overBudget`, or `full` if a view keeps the log.
    func checkLog(_ connection: SQLiteConnection) throws(CacheError) {
        let room = state.withLock { state in
            defer { state.logRoom = nil }
            return state.logRoom
        }
        guard let room else { return }
        // The pages that are left in memory are those that were changed, and each takes a little more than in the log.
        var (needed, most) = (Int32(0), Int32(0))
        unsafe sqlite3_db_release_memory(connection.pointer)
        unsafe sqlite3_db_status(connection.pointer, SQLITE_DBSTATUS_CACHE_USED, &needed, &most, 0)
        if Int(needed) > room.bytes { throw noRoom(for: Int(needed), room) }
    }

    /// A log of more bytes is cut off although the budget has room for it: at four times what SQLite does by itself.
    private static let longLog = 16 << 20

    /// Copies the log into the database and cuts it off, unless a view stays open for longer than `patience`, in ms.
    private func cutOffLog(_ connection: SQLiteConnection, patience: Int32) throws(CacheError) {
        unsafe sqlite3_busy_timeout(connection.pointer, min(patience, connection.lockMilliseconds))
        defer { connection.restorePatience() }
        let status = unsafe sqlite3_wal_checkpoint_v2(connection.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard status == SQLITE_OK || status & 0xFF == SQLITE_BUSY else {
            throw unsafe .sqlite(status, "copy the log", connection.pointer)
        }
    }

    /// Rewrites the database without holes; see ``SQLiteStore/shrink(_:)``.
    func shrink(_ writer: SQLiteWriter) throws(CacheError) {
        try cutOffLog(writer.connection, patience: Self.patience)
        // The copy is as large as what is stored: too much for memory.
        try writer.connection.run("PRAGMA temp_store = FILE")
        defer { try? writer.connection.run("PRAGMA temp_store = MEMORY") }
        try writer.connection.run("VACUUM")
        try cutOffLog(writer.connection, patience: Self.patience)
        state.withLock { $0.next = .numbered(0) }
    }

    /// Packs a run of records, if pages are sparse.
    ///
    /// - Parameter count: how many records the transaction wrote or removed: some five are packed for each.
    func packSparse(_ count: Int, _ writer: SQLiteWriter) throws(CacheError) {
        let (isSparse, next, maxPages) = state.withLock { state in
            let isFull = state.pages - state.freePages > state.maxPages / 100 * 80
            let isSparse = state.bytes != nil && state.hasRoomToPack && isFull && state.density < state.restsAbove
            if isSparse { state.restsAbove = Self.density }
            return (isSparse, state.next, state.maxPages)
        }
        guard isSparse, count > 0 else { return }
        var room = maxPages - Int(try writer.connection.number("PRAGMA page_count"))
        room += Int(try writer.connection.number("PRAGMA freelist_count")) - 8
        room = min(room, Self.packedPages(count)) * Self.pageBytes
        guard room > 0 else { return }
        let (table, row) = writer.table(of: next)
        // Damage in pages that the write has nothing to do with, or a full disk, must not undo the write.
        var end: Int64?
        try writer.connection.run("SAVEPOINT packing")
        do throws(CacheError) {
            end = try table.pack(from: row, count: Self.packed(count), bytes: room)
        } catch {
            // An error that has undone the transaction has undone the write with it.
            guard writer.connection.isInTransaction else { throw error }
            try writer.connection.run("ROLLBACK TO packing")
        }
        try writer.connection.run("RELEASE packing")
        state.withLock { [end] state in state.pack(upTo: end) }
    }

    /// How many records are packed at most if `count` were written or removed.
    private static func packed(_ count: Int) -> Int { min(count * 5 + 64, 512) }

    /// How many pages they have at most.
    private static func packedPages(_ count: Int) -> Int { min(count / 2 + 16, 128) }

    /// See ``SQLiteStore/payloadLimit(holding:)``.
    func payloadLimit(holding payload: Int) -> Int {
        state.withLock { state in
            state.payload = payload
            let used = state.pages - state.freePages
            // A transaction writes its records before others go for them.
            let limit = state.maxPages - min(state.maxPages / 50, 100)
            guard state.bytes != nil, used > limit / 2 else { return .max }
            return payload / used * limit + payload % used * limit / used
        }
    }
}
