public import GroveConformance
public import GroveLMDB
public import GroveLevelDB
public import GroveMemory
public import GroveSQLite

/// The four backends, as the kit checks them.
public enum Harnesses {
    /// What the backends are called on a command line.
    public static let names = ["memory", "lmdb", "sqlite", "leveldb"]

    /// The backend of that name; `nil` where there is none.
    ///
    /// - Parameters:
    ///   - worker: how a process is started that does the kit's jobs on it; without it, rules that start processes are
    ///     skipped.
    ///   - other: what reports call it instead.
    ///   - decorate: wraps each cache that is opened; mutants use it.
    public static func backend(
        _ name: String, worker: WorkerCommand?, as other: String? = nil,
        decorate: @escaping @Sendable (any ConformanceCache) -> any ConformanceCache = { $0 }
    ) -> (any ConformanceBackend)? {
        switch name {
        case "memory": StoreBackend(MemoryHarness(), name: other, worker: worker, decorate: decorate)
        case "lmdb": StoreBackend(LMDBHarness(), name: other, worker: worker, decorate: decorate)
        case "sqlite": StoreBackend(SQLiteHarness(), name: other, worker: worker, decorate: decorate)
        case "leveldb": StoreBackend(LevelDBHarness(), name: other, worker: worker, decorate: decorate)
        default: nil
        }
    }
}

/// The harness of a `MemoryStore`.
public struct MemoryHarness: StoreHarness {
    /// The store.
    public typealias Store = MemoryStore

    /// How it is opened.
    public let options = MemoryOptions()

    /// Makes a harness.
    public init() {}
}

/// The harness of an `LMDBStore`.
public struct LMDBHarness: StoreHarness {
    /// The store.
    public typealias Store = LMDBStore

    /// How it is opened.
    public let options: LMDBOptions

    /// A map of two megabytes.
    public var smallOptions: LMDBOptions? { LMDBOptions(mapSize: 2 << 20) }

    /// A fifth of a second's patience.
    public var impatientOptions: LMDBOptions { LMDBOptions(lockTimeout: .milliseconds(200)) }

    /// Makes a harness.
    public init() { options = LMDBOptions() }
}

/// The harness of a `SQLiteStore`.
public struct SQLiteHarness: StoreHarness {
    /// The store.
    public typealias Store = SQLiteStore

    /// How it is opened.
    public let options = SQLiteOptions()

    /// A fifth of a second's patience.
    public var impatientOptions: SQLiteOptions { SQLiteOptions(lockTimeout: .milliseconds(200)) }

    /// Makes a harness.
    public init() {}
}

/// The harness of a `LevelDBStore`.
public struct LevelDBHarness: StoreHarness {
    /// The store.
    public typealias Store = LevelDBStore

    /// How it is opened.
    public let options = LevelDBOptions()

    /// Makes a harness.
    public init() {}
}
