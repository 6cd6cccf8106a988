import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite

/// A backend of Grove, with its default options.
protocol MeasuredStore: NodeStore {
    static var defaults: Options { get }
    static var isInMemory: Bool { get }
}

extension LMDBStore: MeasuredStore {
    static var defaults: LMDBOptions { LMDBOptions() }
    static var isInMemory: Bool { false }
}

extension SQLiteStore: MeasuredStore {
    static var defaults: SQLiteOptions { SQLiteOptions() }
    static var isInMemory: Bool { false }
}

extension LevelDBStore: MeasuredStore {
    static var defaults: LevelDBOptions { LevelDBOptions() }
    static var isInMemory: Bool { false }
}

extension MemoryStore: MeasuredStore {
    static var defaults: MemoryOptions { MemoryOptions() }
    static var isInMemory: Bool { true }
}
