package import GroveConformance
package import GroveLMDB
package import GroveLevelDB
package import GroveMemory
package import GroveSQLite

/// The backends of Grove's four stores, for the kit.
package enum Harnesses {
    /// The backends' names on a command line.
    package static let names = ["memory", "lmdb", "sqlite", "leveldb"]

    /// The backend with that name; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - worker: the command that starts a process for the kit's jobs on the backend. Without it, rules that need a
    ///     process are skipped.
    ///   - other: another name for reports.
    ///   - decorate: a function that wraps each cache that is opened; mutants use it.
    package static func backend(
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
package struct MemoryHarness: StoreHarness {
    /// The store.
    package typealias Store = MemoryStore

    /// The options with which the store is opened.
    package let options = MemoryOptions()

    /// Makes a harness.
    package init() {}
}

/// The harness of an `LMDBStore`.
package struct LMDBHarness: StoreHarness {
    /// The store.
    package typealias Store = LMDBStore

    /// The options with which the store is opened.
    package let options: LMDBOptions

    /// Options for a map of two megabytes.
    package var smallOptions: LMDBOptions? { LMDBOptions(mapSize: 2 << 20) }

    /// Options to wait a fifth of a second for a lock.
    package var impatientOptions: LMDBOptions { LMDBOptions(lockTimeout: .milliseconds(200)) }

    /// Makes a harness.
    package init() { options = LMDBOptions() }
}

/// The harness of a `SQLiteStore`.
package struct SQLiteHarness: StoreHarness {
    /// The store.
    package typealias Store = SQLiteStore

    /// The options with which the store is opened.
    package let options = SQLiteOptions()

    /// Options to wait a fifth of a second for a lock.
    package var impatientOptions: SQLiteOptions { SQLiteOptions(lockTimeout: .milliseconds(200)) }

    /// Makes a harness.
    package init() {}
}

/// The harness of a `LevelDBStore`.
package struct LevelDBHarness: StoreHarness {
    /// The store.
    package typealias Store = LevelDBStore

    /// The options with which the store is opened.
    package let options = LevelDBOptions()

    /// Makes a harness.
    package init() {}
}
