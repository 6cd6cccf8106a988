import GroveCache
import GroveMemory
import GroveModel

/// A store that others may have open too, as its profile says, and whose wipe fails when the files are gone already.
final class FragileStore: NodeStore {
    static var profile: BackendProfile {
        var profile = SharedStore.profile
        profile.isPersistent = true
        profile.isMultiProcess = true
        return profile
    }

    private let base: SharedStore
    private let directory: String

    init(directory: String?, options: SharedStore.Options) throws(CacheError) {
        base = try SharedStore(directory: directory, options: options)
        self.directory = directory ?? ""
    }

    func wipe() throws(CacheError) {
        removeDirectory(directory + "/grove.generation")
        try base.wipe()
    }

    func view() throws(CacheError) -> SharedStore.View { try base.view() }
    func write(_ body: (SharedStore.Transaction) throws(CacheError) -> Void) throws(CacheError) { try base.write(body) }
    func synchronize() throws(CacheError) { try base.synchronize() }
    func size() throws(CacheError) -> StoreSize { try base.size() }
    func close() { base.close() }
}
