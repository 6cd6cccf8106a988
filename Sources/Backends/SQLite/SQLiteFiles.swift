import GroveCache
import GroveModel

/// The files that SQLite keeps in a store's directory.
enum SQLiteFiles {
    /// The database.
    static let database = "store.sqlite"

    /// The write-ahead log.
    static let log = "store.sqlite-wal"

    /// The log's index, which the processes share.
    static let logIndex = "store.sqlite-shm"

    /// All names, the database first.
    static let names = [database, log, logIndex, "store.sqlite-journal"]

    /// Names by which other engines' stores are known.
    private static let strangers = ["data.mdb", "CURRENT"]

    /// Checks that `directory` can hold a store and holds no other engine's.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput`, `permissionDenied`, `notAStore` or `unsupported`.
    static func directory(_ directory: String?) throws(CacheError) -> StoreFiles {
        let files = try StoreFiles(directory)
        try files.refuse(strangers, without: database)
        return files
    }
}
