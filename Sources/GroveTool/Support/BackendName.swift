import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveModel
import GroveSQLite

#if Tool
    import ArgumentParser
#endif

/// A backend as it is named on the command line.
enum BackendName: String, CaseIterable, Sendable {
    case memory
    case lmdb
    case sqlite
    case leveldb

    /// The file by which the backend's store is known; `nil` for memory.
    var markerFile: String? {
        switch self {
        case .memory: nil
        case .lmdb: "data.mdb"
        case .sqlite: "store.sqlite"
        case .leveldb: "CURRENT"
        }
    }

    /// Whether a file called `name` in the backend's store is a part of it, or was set aside by it.
    func isOwn(_ name: String) -> Bool {
        if name.hasPrefix("grove") || name == "set-aside" { return true }
        return switch self {
        case .memory: false
        case .lmdb: ["data.mdb", "lock.mdb", "data.copy", "data.next"].contains(name)
        case .sqlite: name.hasPrefix("store.sqlite")
        case .leveldb:
            ["CURRENT", "LOCK", "LOG", "LOG.old"].contains(name) || name.hasPrefix("MANIFEST-")
                || name.prefix { $0 != "." }.allSatisfy(\.isNumber)
        }
    }

    var isPersistent: Bool { markerFile != nil }

    /// Opens the backend's cache in `directory`; a damaged store is never set aside.
    func open(_ directory: String?, budget: CacheBudget = .unlimited) throws(CacheError) -> any ToolCache {
        switch self {
        case .memory: try MemoryCache(directory: nil, options: MemoryOptions(), budget: budget)
        case .lmdb: try LMDBCache(directory: directory, options: LMDBOptions(), policy: .fail, budget: budget)
        case .sqlite: try SQLiteCache(directory: directory, options: SQLiteOptions(), policy: .fail, budget: budget)
        case .leveldb: try LevelDBCache(directory: directory, options: LevelDBOptions(), policy: .fail, budget: budget)
        }
    }
}

#if Tool
    extension BackendName: ExpressibleByArgument {}
#endif
