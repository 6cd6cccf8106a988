import CSQLite
import GroveCache
public import GroveModel
import Synchronization

/// How a store's bytes on disk are divided, and what of the database is in use.
///
/// The database takes no more pages than it may; a ninth of the budget, or 3 MB where it is small, is left to the log, which is copied and cut off
/// before it would have more.
///
/// Records lie in the order in which they came, and eviction leaves holes among the old ones: SQLite merges a page only
/// when it is less than a third full. So, once the database is nearly full and not densely, each transaction moves
/// twice as many of the oldest records to the end as it wrote, and their pages are free.
final class SQLiteBudget: Sendable {
    private struct State {
        /// All of it, in bytes; `nil` where there is none.
        var bytes: Int?
        /// Pages of the database, those that are free, and how many there may be.
        var pages = 0
        var freePages = 0
        var maxPages = Int.max
        /// The payload when it was last asked how much fits.
        var payload = 0
    }

    static let pageBytes = 4_096
    /// A page in the log, its header included.
    private static let frameBytes = pageBytes + 24
    /// How full the pages are, in hundredths, beyond which nothing is moved: the index takes the rest.
    private static let density = 82
    /// What the log's index takes, with some to spare for the file system.
    private static let besideLog = 160 << 10
    /// How long a checkpoint waits for views before the write goes on without.
    private static let patience: Int32 = 1_000

    private let state = Mutex(State())

    /// Divides `bytes` and returns the payload that fits.
    func set(_ bytes: Int, _ writer: SQLiteWriter) throws(CacheError) -> Int {
        let maxPages = (bytes - Self.logBytes(bytes) - Self.besideLog) / Self.pageBytes
        guard maxPages >= 64 else {
            throw CacheError(
                .unsupported, "SQLite needs a budget of 600 KB at the least; \(bytes) bytes are left of this one")
        }
        state.withLock { state in
            state.bytes = bytes
            state.maxPages = maxPages
        }
        try begin(writer.connection)
        guard state.withLock({ $0.pages }) <= maxPages else {
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

    /// The log's part of `bytes`.
    private static func logBytes(_ bytes: Int) -> Int { max(bytes / 9, min(bytes * 2 / 5, 3 << 20)) }

    /// Sees to it that the log has room for a transaction; see ``SQLiteStore/makeRoom(forEntries:bytes:)``.
    func makeRoom(
        forEntries entries: Int, bytes: Int, _ writer: SQLiteWriter, _ files: StoreFiles
    ) throws(CacheError) -> Bool {
        let (budget, pages, free, maxPages) = state.withLock { ($0.bytes, $0.pages, $0.freePages, $0.maxPages) }
        guard let budget else { return true }
        // New records, and old ones that are moved, go to pages of their own. What is evicted for them may lie anywhere,
        // and so may their places in the index, which has an eighth of the pages at the most.
        let used = pages - free
        let touched = min(entries * 2, used / 8 + 8) + min(entries, used)
        let moved = min(entries * 2, maxPages / 16)
        let needed = (touched + moved + bytes * 3 / 2 / Self.pageBytes + 16) * Self.frameBytes
        let allowed = max(Self.logBytes(budget), budget - pages * Self.pageBytes - Self.besideLog)
        if (files.file(SQLiteFiles.log)?.allocatedBytes ?? 0) + needed <= allowed { return true }
        unsafe sqlite3_busy_timeout(writer.connection.pointer, Self.patience)
        let status = unsafe sqlite3_wal_checkpoint_v2(
            writer.connection.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        writer.connection.restorePatience()
        guard status == SQLITE_OK || status & 0xFF == SQLITE_BUSY else {
            throw unsafe .sqlite(status, "copy the log", writer.connection.pointer)
        }
        let log = files.file(SQLiteFiles.log)?.allocatedBytes ?? 0
        guard log + needed > allowed else { return true }
        // Removing records makes neither file smaller.
        throw CacheError(
            .overBudget,
            log > 0
                ? "a view that stays open keeps the log from starting over; end views soon"
                : "the write needs \(needed) bytes of log and the budget leaves \(allowed); write less at once")
    }

    /// Moves twice `count` of the oldest records, or a few more, to the end of the table, where that frees pages.
    func moveOldest(_ count: Int, _ writer: SQLiteWriter) throws(CacheError) {
        let isSparse = state.withLock { state in
            let used = state.pages - state.freePages
            return state.bytes != nil && used > state.maxPages / 100 * 85
                && state.payload < used / 100 * Self.density * Self.pageBytes
        }
        guard isSparse, count > 0 else { return }
        // Each is written before its old place is free.
        let maxPages = state.withLock { $0.maxPages }
        var room = maxPages - Int(try writer.connection.number("PRAGMA page_count"))
        room += Int(try writer.connection.number("PRAGMA freelist_count")) - 8
        var ids: [Int64] = []
        writer.oldest.bind(Int64(min(count * 2 + 4, 512, state.withLock { $0.maxPages } / 16)), at: 1)
        while try writer.oldest.step("find old records") {
            room -= 2 + Int(writer.oldest.number(1)) / Self.pageBytes
            guard room > 0 else { break }
            ids.append(writer.oldest.number(0))
        }
        writer.oldest.reset()
        guard try writer.newest.step("find the newest record") else { return writer.newest.reset() }
        var newest = writer.newest.number(0)
        writer.newest.reset()
        for id in ids where newest < .max {
            newest += 1
            writer.move.bind(id, at: 1)
            writer.move.bind(newest, at: 2)
            try writer.move.run("move a record")
        }
    }

    /// See ``SQLiteStore/payloadLimit(holding:)``.
    func payloadLimit(holding payload: Int) -> Int {
        state.withLock { state in
            state.payload = payload
            let used = state.pages - state.freePages
            let limit = state.maxPages * 98 / 100
            guard state.bytes != nil, used > limit / 2 else { return .max }
            return payload / used * limit + payload % used * limit / used
        }
    }
}

extension SQLiteStore {
    /// Keeps the files within `bytes`: the database in four fifths of it, the log in the rest.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int {
        try writer.withLock { writer throws(CacheError) in
            let usable = try pool.writer(writer)
            writer = usable
            return try pool.budget.set(bytes, usable)
        }
    }

    /// Copies the log into the database and cuts it off, where it would become too long.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where the transaction's log alone has no room, or where a view
    ///   keeps the log from being cut off.
    public func makeRoom(forEntries entries: Int, bytes: Int) throws(CacheError) -> Bool {
        try writer.withLock { writer throws(CacheError) in
            let usable = try pool.writer(writer)
            writer = usable
            return try pool.budget.makeRoom(forEntries: entries, bytes: bytes, usable, pool.directory)
        }
    }

    /// The payload at which the database would be full, at the density that it has now.
    public func payloadLimit(holding payload: Int) -> Int { pool.budget.payloadLimit(holding: payload) }

    /// What the files take, without a look at the records.
    public func bytesOnDisk() throws(CacheError) -> Int { try pool.directory.allocatedBytes() }
}
