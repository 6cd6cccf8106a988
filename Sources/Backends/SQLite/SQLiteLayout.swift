import CSQLite
import GroveCache
import GroveModel

/// The layout of the file: three tables, an index on a hash of the keys that are stored by name, and an index on the
/// keys of kept records.
///
/// ```
/// prefix(id INTEGER PRIMARY KEY, text BLOB NOT NULL)
/// numbered(id INTEGER PRIMARY KEY, value BLOB NOT NULL)
/// named(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL)
/// named_hash ON named(hash)
/// named_kept ON named(key) WHERE key >= x'05' AND key < x'06'
/// ```
///
/// A key that ends in a number, `Message:34`, is a row of `numbered`. Its `id` combines the number of the prefix
/// `Message:` with 34: see ``SQLiteNumberedKey``. It is found in one tree, and neither key nor index is stored.
///
/// Every other key is a row of `named`, in the order in which they were first written, so that new ones fill page after
/// page. Only the small index is in random order. The hash has 32 bits, which SQLite stores in four bytes, in the table
/// and in the index. Of a million records, some hundred share their hash with another one. Keys of one hash are told
/// apart by `key`. It stands before `value`, so that comparing it never follows a long value's pages.
///
/// Kept records are always in `named`. An index of their own finds them in order. The index has no values, so that an
/// update of another record's value does not look at it. A file of an earlier version without the index gets it when it
/// is opened, and that version works with the index too.
///
/// `application_id` says that the file is ours. `user_version` is the number of its layout, as a ``StoredLayout``.
enum SQLiteLayout {
    /// "Grov", in ASCII.
    static let applicationID: Int64 = 0x4772_6F76

    /// The layout that this version writes.
    static let version: UInt8 = 1

    /// The condition for the rows in ``keptIndex``.
    static let isKept = "key >= x'\(hex(Namespace.kept))' AND key < x'\(hex(Namespace.kept + 1))'"

    private static let keptIndex = "CREATE INDEX IF NOT EXISTS named_kept ON named(key) WHERE \(isKept)"

    private static func hex(_ byte: UInt8) -> String { String(UInt16(byte) + 0x100, radix: 16).dropFirst().description }

    /// Checks that the database is ours and of a layout that we know, or makes our tables if it is empty.
    ///
    /// - Throws: ``CacheError`` with code `notAStore`, `unsupportedFormat`, `corrupted`, or an error of SQLite.
    static func prepare(_ connection: SQLiteConnection) throws(CacheError) {
        if try !isOurs(connection) { try create(connection) }
        connection.leaveLog(false)
        guard try connection.answer("PRAGMA journal_mode = WAL") == "wal" else {
            throw CacheError(.inputOutput, "the directory's file system cannot share memory; use a local one")
        }
        try connection.run("PRAGMA journal_size_limit = 4194304")
        try connection.run(keptIndex)
    }

    /// Whether the database is ours; false if it is empty.
    private static func isOurs(_ connection: SQLiteConnection) throws(CacheError) -> Bool {
        let application = try connection.number("PRAGMA application_id")
        if application == 0, try connection.number("SELECT count(*) FROM sqlite_schema") == 0 { return false }
        guard application == applicationID else {
            throw CacheError(.notAStore, "the directory holds an SQLite database that Grove did not make")
        }
        let found = try connection.number("PRAGMA user_version")
        try StoredLayout.check(UInt32(truncatingIfNeeded: found), is: version)
        return true
    }

    private static func create(_ connection: SQLiteConnection) throws(CacheError) {
        try connection.run("PRAGMA page_size = 4096")
        try connection.run("PRAGMA auto_vacuum = NONE")
        _ = try connection.answer("PRAGMA journal_mode = WAL")
        try connection.run("BEGIN IMMEDIATE")
        do throws(CacheError) {
            // Another process may have made the tables meanwhile.
            if try !isOurs(connection) {
                try connection.run("CREATE TABLE prefix(id INTEGER PRIMARY KEY, text BLOB NOT NULL)")
                try connection.run("CREATE TABLE numbered(id INTEGER PRIMARY KEY, value BLOB NOT NULL)")
                try connection.run(
                    """
                    CREATE TABLE named(
                        id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL)
                    """)
                try connection.run("CREATE INDEX named_hash ON named(hash)")
                try connection.run(keptIndex)
                try connection.run("PRAGMA application_id = \(applicationID)")
                try connection.run("PRAGMA user_version = \(StoredLayout.word(version))")
            }
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }
}
