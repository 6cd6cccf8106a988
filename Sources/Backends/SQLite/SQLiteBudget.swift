import CSQLite
import GroveCache
import GroveModel

/// The division of a store's bytes on disk between database and log, and the part of the database that is in use.
///
/// The database has a limit of pages. A fifth of the budget is left to the log, 3 MB if the budget is small, and half
/// of it if it is very small. The log is copied and cut off before it would exceed its part.
///
/// Eviction leaves holes: SQLite merges a page only when it is less than a third full. Once the database is nearly full
/// and its pages are sparse, each transaction takes a run of records out of its table and puts them back, in the order
/// of their rows. That fills the pages there. The next transaction goes on after them.
final class SQLiteBudget: Sendable {
    private struct State {
        /// The budget in bytes; `nil` if there is none.
        var bytes: Int?
        /// The number of pages of the database, of those that are free, and the most that there may be.
        var pages = 0
        var freePages = 0
        var maxPages = Int.max
        /// The payload at the last call of ``payloadLimit(holding:)``.
        var payload = 0
        /// The place at which the next transaction goes on packing.
        var next = SQLitePlace.numbered(0)
        /// The density of the pages when the round of packing began, in hundredths.
        var roundDensity = 0
        /// The density below which pages are packed, in hundredths; it is lowered if a round brought nothing.
        var restsAbove = SQLiteBudget.density

        /// The density of the pages, in hundredths.
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
        /// Whether the log has room for packed records.
        var hasRoomToPack = false
        /// The bytes that the log has left for the next transaction, if these may be too few, and whether a view
        /// keeps the log from starting over.
        var logRoom: (bytes: Int, isHeld: Bool)?
    }

    static let pageBytes = 4_096
    /// The bytes of a page in the log, with its header.
    private static let frameBytes = pageBytes + 24
    /// The density, in hundredths, from which on nothing is packed.
    private static let density = 92
    /// The bytes for the log's index, with some to spare for the file system.
    private static let besideLog = 160 << 10
    /// The time that a checkpoint waits for views before the write goes on without it, in milliseconds.
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
        // The log is copied and cut off only when it has to be: see `makeRoom`.
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

    /// Makes sure that the log has room for a transaction; see ``SQLiteStore/makeRoom(for:)``.
    func makeRoom(for load: WriteLoad, _ writer: SQLiteWriter, _ files: StoreFiles) throws(CacheError) -> Bool {
        let (budget, pages, free) = state.withLock { ($0.bytes, $0.pages, $0.freePages) }
        guard let budget else { return true }
        let used = pages - free
        // New records, or their entries in the index, may lie anywhere, though some lie together. So may replaced and
        // evicted ones: a page that becomes too full or too empty changes its neighbours too.
        let created = load.entries - load.replaced
        let touched = min((created + load.evictions) * 2 / 3 + (load.replaced + load.evictions) * 3 / 2, used)
        let needed = (touched + created / 40 + load.bytes * 5 / 4 / Self.pageBytes + 16) * Self.frameBytes
        let packing = (Self.packedPages(load.entries) + Self.packed(load.entries) / 5 + 8) * Self.frameBytes
        let allowed = max(Self.logBytes(budget), budget - pages * Self.pageBytes - Self.besideLog)
        let log = files.file(SQLiteFiles.log)?.allocatedBytes ?? 0
        if log + needed + packing <= allowed {
            state.withLock { $0.hasRoomToPack = true }
            // A reader looks through all of a log for each page. If the log cannot be cut off because of a view, the
            // write fits nevertheless.
            if log > Self.longLog { try? cutOffLog(writer.connection, patience: 0) }
            return true
        }
        try cutOffLog(writer.connection, patience: load.waitsForViews ? Self.patience : 0)
        let rest = files.file(SQLiteFiles.log)?.allocatedBytes ?? 0
        // If records lie together, fewer pages change than estimated: they are counted before the commit.
        let least = (load.bytes / Self.pageBytes + 16) * Self.frameBytes
        state.withLock { state in
            state.hasRoomToPack = rest + needed + packing <= allowed
            state.logRoom = rest + needed > allowed ? (allowed - rest, rest > 0) : nil
        }
        guard rest + least > allowed else { return true }
        throw noRoom(for: least, (allowed - rest, rest > 0))
    }

    /// The error of a write that needs `bytes` of log; removing records makes neither file smaller.
    private func noRoom(for bytes: Int, _ room: (bytes: Int, isHeld: Bool)) -> CacheError {
        guard room.isHeld else {
            return CacheError(
                .overBudget,
                "the write needs \(bytes) bytes of log and the budget leaves \(room.bytes); write less at once")
        }
        return CacheError(.full, "a view that stays open keeps the log from starting over; end views soon")
    }

    /// Checks that the log has room for the pages that the open transaction has changed, unless ``makeRoom(for:_:_:)``
    /// was sure of it.
    ///
    /// - Throws: ``CacheError`` with code `overBudget`, or `full` if a view keeps the log.
    func checkLog(_ connection: SQLiteConnection) throws(CacheError) {
        let room = state.withLock { state in
            defer { state.logRoom = nil }
            return state.logRoom
        }
        guard let room else { return }
        // The changed pages alone are left in memory, and each takes a little more there than in the log.
        var (needed, most) = (Int32(0), Int32(0))
        unsafe sqlite3_db_release_memory(connection.pointer)
        unsafe sqlite3_db_status(connection.pointer, SQLITE_DBSTATUS_CACHE_USED, &needed, &most, 0)
        if Int(needed) > room.bytes { throw noRoom(for: Int(needed), room) }
    }

    /// The length beyond which a log is cut off even if the budget has room for it: four times SQLite's own limit.
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
        // The copy is as large as the stored records: too large for memory.
        try writer.connection.run("PRAGMA temp_store = FILE")
        defer { try? writer.connection.run("PRAGMA temp_store = MEMORY") }
        try writer.connection.run("VACUUM")
        try cutOffLog(writer.connection, patience: Self.patience)
        state.withLock { $0.next = .numbered(0) }
    }

    /// Packs a run of records, if pages are sparse.
    ///
    /// - Parameter count: the transaction's ``SQLiteTransaction/changeCount``; some five records are packed for each.
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
        // A full disk, or damage in pages that the write does not need, must not undo the write.
        var end: Int64?
        try writer.connection.run("SAVEPOINT packing")
        do throws(CacheError) {
            end = try table.pack(from: row, count: Self.packed(count), bytes: room)
        } catch {
            // If the error has undone the transaction, the write is undone too.
            guard writer.connection.isInTransaction else { throw error }
            try writer.connection.run("ROLLBACK TO packing")
        }
        try writer.connection.run("RELEASE packing")
        state.withLock { [end] state in state.pack(upTo: end) }
    }

    /// The most records that are packed if `count` were changed.
    private static func packed(_ count: Int) -> Int { min(count * 5 + 64, 512) }

    /// The most pages that the packed records fill.
    private static func packedPages(_ count: Int) -> Int { min(count / 2 + 16, 128) }

    /// See ``SQLiteStore/payloadLimit(holding:)``.
    func payloadLimit(holding payload: Int) -> Int {
        state.withLock { state in
            state.payload = payload
            let used = state.pages - state.freePages
            // A transaction writes its records before it evicts others for them.
            let limit = state.maxPages - min(state.maxPages / 50, 100)
            guard state.bytes != nil, used > limit / 2 else { return .max }
            return payload / used * limit + payload % used * limit / used
        }
    }
}
