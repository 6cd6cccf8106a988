// The shorter example of Docs/Guides/ManyMachines.md that needs no database.
import Grove
import GroveMemory
import GroveShared

enum SharedFragments {
    static func log(_ line: String) {}

    static func manager(over near: NearCache<MemoryStore>) -> DataModelManager {
        let cache = NearCacheDelegate(near) { identifier, error in
            log("\(identifier?.rawValue ?? "?") was not saved: \(error)")
        }
        let manager = DataModelManager(cacheDelegate: cache)
        return manager
    }
}
