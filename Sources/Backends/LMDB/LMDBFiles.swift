import GroveCache
import GroveModel

/// The files that LMDB keeps in a store's directory.
enum LMDBFiles {
    /// Their names, the data first.
    static let names = ["data.mdb", "lock.mdb"]

    /// Names by which other engines' stores are known.
    private static let strangers = ["store.sqlite", "CURRENT"]

    /// Checks that `directory` can hold a store and holds no other engine's.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput`, `permissionDenied`, `notAStore` or `unsupported`.
    static func directory(_ directory: String?) throws(CacheError) -> StoreFiles {
        let files = try StoreFiles(directory)
        try files.refuse(strangers, without: names[0])
        return files
    }
}
