import GroveCache
import GroveConformance
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveModel
import GroveSQLite

struct MemoryHarness: StoreHarness {
    typealias Store = MemoryStore
    let options = MemoryOptions()
}

struct LMDBHarness: StoreHarness {
    typealias Store = LMDBStore
    let options = LMDBOptions()
}

struct SQLiteHarness: StoreHarness {
    typealias Store = SQLiteStore
    let options = SQLiteOptions()
}

struct LevelDBHarness: StoreHarness {
    typealias Store = LevelDBStore
    let options = LevelDBOptions()
}

/// The backends that the kit runs on, by name.
enum Backend: String, CaseIterable, Sendable {
    case memory, lmdb, sqlite, leveldb

    var backend: any ConformanceBackend {
        switch self {
        case .memory: StoreBackend(MemoryHarness())
        case .lmdb: StoreBackend(LMDBHarness())
        case .sqlite: StoreBackend(SQLiteHarness())
        case .leveldb: StoreBackend(LevelDBHarness())
        }
    }
}
