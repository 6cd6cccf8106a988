import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite

/// The contestants, as the command line names them.
enum ContestantName: String, CaseIterable {
    case groveLMDB = "grove-lmdb"
    case groveSQLite = "grove-sqlite"
    case groveLevelDB = "grove-leveldb"
    case groveMemory = "grove-memory"
    case grdbRecords = "grdb"
    case grdbRawSQL = "grdb-raw"
    case jsonInSQLite = "json-sqlite"
    case jsonFiles = "json-files"
    case dictionaries = "dict"

    var isGrove: Bool { rawValue.hasPrefix("grove-") }

    /// Measures this contestant, in this process.
    func run(_ mode: Mode, _ feed: Feed, in directory: String) throws {
        switch self {
        case .groveLMDB: try run(LMDBStore.self, mode, feed, in: directory)
        case .groveSQLite: try run(SQLiteStore.self, mode, feed, in: directory)
        case .groveLevelDB: try run(LevelDBStore.self, mode, feed, in: directory)
        case .groveMemory: try run(MemoryStore.self, mode, feed, in: directory)
        case .grdbRecords: try Bench<GRDBRecords>(feed: feed, directory: directory).run(mode)
        case .grdbRawSQL: try Bench<GRDBRawSQL>(feed: feed, directory: directory).run(mode)
        case .jsonInSQLite: try Bench<JSONInSQLite>(feed: feed, directory: directory).run(mode)
        case .jsonFiles: try Bench<JSONFiles>(feed: feed, directory: directory).run(mode)
        case .dictionaries: try Bench<Dictionaries>(feed: feed, directory: directory).run(mode)
        }
    }

    private func run<Store: MeasuredStore>(
        _ type: Store.Type, _ mode: Mode, _ feed: Feed, in directory: String
    ) throws {
        guard mode.isAboutQueue else {
            return try Bench<GroveContestant<Store>>(feed: feed, directory: directory).run(mode)
        }
        try QueueBench<Store>(feed: feed, directory: directory).run(mode)
    }
}
