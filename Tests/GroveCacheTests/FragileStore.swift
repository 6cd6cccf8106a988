import Foundation
import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import TestSupport

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
        try? FileManager.default.removeItem(atPath: directory + "/grove.generation")
        try base.wipe()
    }

    func view() throws(CacheError) -> SharedStore.View { try base.view() }
    func write(_ body: (SharedStore.Transaction) throws(CacheError) -> Void) throws(CacheError) { try base.write(body) }
    func synchronize() throws(CacheError) { try base.synchronize() }
    func size() throws(CacheError) -> StoreSize { try base.size() }
    func close() { base.close() }

    /// A cache on such a store in a directory of its own, and how often the store was opened.
    final class Opened: Sendable {
        private let directory: TemporaryDirectory
        let disk: SharedStore.Disk
        let cache: NormalizedCache<FragileStore>
        private let openings = Openings()

        init() throws {
            directory = try TemporaryDirectory()
            disk = try SharedStore.Disk()
            disk.faults.withLock { [openings] in $0.beforeOpening = { openings.count.withLock { $0 += 1 } } }
            cache = try NormalizedCache(directory: directory.path, options: SharedStore.Options(disk: disk))
        }

        var place: String { directory.path }

        var count: Int { openings.count.withLock { $0 } }
    }

    private final class Openings: Sendable {
        let count = Mutex(0)
    }
}
