package import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
package import GroveModel
import GroveSQLite

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A backend as it is named on the command line.
package enum BackendName: Sendable {
    case memory
    case lmdb
    case sqlite
    case leveldb
    /// A backend that others made, which takes part in a comparison.
    case other(any ComparedBackend)

    /// What the backend declares of itself.
    var profile: BackendProfile {
        switch self {
        case .other(let backend): backend.profile
        case .memory: MemoryStore.profile
        case .lmdb: LMDBStore.profile
        case .sqlite: SQLiteStore.profile
        case .leveldb: LevelDBStore.profile
        }
    }

    /// Whether a file called `name` in the backend's store is a part of it, or of the cache on it, or was set aside.
    package func owns(_ name: String) -> Bool {
        if StoreDirectory.ownNames.contains(name) { return true }
        return switch self {
        case .memory, .other: false
        case .lmdb: LMDBStore.owns(file: name)
        case .sqlite: SQLiteStore.owns(file: name)
        case .leveldb: LevelDBStore.owns(file: name)
        }
    }

    /// Whether the store in `directory` is damaged where its engine would not say so.
    package func hidesDamage(_ directory: String) throws(CacheError) -> Bool {
        switch self {
        // SQLite's opening says so, and what is mixed is not read.
        case .memory, .sqlite, .leveldb, .other: false
        case .lmdb: try LMDBStore.hiddenDamage(in: directory, isSuspect: true) != nil
        }
    }

    /// Copies what can be read of the store in `directory`, which this process has not open, to a new store in
    /// `target`.
    ///
    /// - Returns: the parts that cannot be read.
    package func salvage(_ directory: String, to target: String, mapSize: Int?) throws(CacheError) -> [String] {
        switch self {
        case .memory, .other: return []
        case .lmdb: return try LMDBStore.salvage(directory, to: target, options: BackendName.options(mapSize))
        case .sqlite: return try SQLiteStore.salvage(directory, to: target, options: SQLiteOptions())
        case .leveldb: return try LevelDBStore.salvage(directory, to: target, options: LevelDBOptions())
        }
    }

    private static func options(_ mapSize: Int?) -> LMDBOptions {
        var options = LMDBOptions()
        if let mapSize { options.mapSize = mapSize }
        return options
    }

    /// Whether the backend's store is a directory of files.
    package var isPersistent: Bool { profile.isPersistent }

    /// Opens the backend's cache in `directory`, with a clock of its own where `now` is one; a damaged store is never
    /// set aside.
    ///
    /// - Parameter mapSize: the bytes that LMDB may map; others have no such limit.
    package func open(
        _ directory: String?, budget: CacheBudget = .unlimited, mapSize: Int? = nil, now: (@Sendable () -> Date)? = nil
    ) throws(CacheError) -> any ToolCache {
        switch self {
        case .other(let backend): try backend.open(directory, budget, now)
        case .memory: try MemoryCache(directory: nil, options: MemoryOptions(), budget: budget, now: now)
        case .lmdb:
            try LMDBCache(
                directory: directory, options: BackendName.options(mapSize), policy: .fail, budget: budget, now: now)
        case .sqlite:
            try SQLiteCache(directory: directory, options: SQLiteOptions(), policy: .fail, budget: budget, now: now)
        case .leveldb:
            try LevelDBCache(directory: directory, options: LevelDBOptions(), policy: .fail, budget: budget, now: now)
        }
    }
}

extension BackendName: CaseIterable, RawRepresentable, Hashable {
    /// Grove's own.
    package static var allCases: [BackendName] { [.memory, .lmdb, .sqlite, .leveldb] }

    /// The backend of Grove's that is called so.
    package init?(rawValue: String) {
        guard let known = BackendName.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    package var rawValue: String {
        switch self {
        case .memory: "memory"
        case .lmdb: "lmdb"
        case .sqlite: "sqlite"
        case .leveldb: "leveldb"
        case .other(let backend): backend.profile.name
        }
    }

    /// Whether it is one of Grove's.
    private var isOwn: Bool {
        guard case .other = self else { return true }
        return false
    }

    package static func == (one: BackendName, other: BackendName) -> Bool {
        one.rawValue == other.rawValue && one.isOwn == other.isOwn
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
