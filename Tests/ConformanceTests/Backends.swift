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
