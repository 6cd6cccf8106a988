// The shorter examples of Docs/Backends/ImplementingABackend.md, with the example's store as "mine".
import FileStore
import GroveCache
import GroveCompareMain
import GroveConformance
import GroveModel

typealias MyStore = FileStore
typealias MyOptions = FileStore.Options

struct MyHarness: StoreHarness {
    typealias Store = MyStore
    let options = MyOptions()
}

/// An engine by itself, for ``CompareMain``.
final class MyEngine: CompareEngine {
    init(_ directory: String) throws {}
    func put(_ records: [(key: [UInt8], value: [UInt8])]) throws {}
    func get(_ keys: [[UInt8]]) throws -> Int { 0 }
}

enum BackendFragments {
    static func check() async {
        await ConformanceMain.run(MyHarness.self)
    }

    static func compare() async {
        await CompareMain.run(MyHarness.self)
    }

    static func compareWithEngine() async {
        await CompareMain.run(MyHarness.self) { directory in try MyEngine(directory) }
    }
}

/// The same for a cache that is no store.
enum DelegateFragments {
    /// A cache that has nothing.
    final class MyDelegate: CacheDelegate {
        func waitForWrites() throws {}

        func modelForKey<T: SimpleModel>(
            _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
        ) { completion(nil, nil) }

        func collectionForKey<T: SimpleModel>(
            _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
        ) { completion(nil, nil) }

        func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {}
        func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {}
        func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {}
    }

    struct MyHarness: DelegateHarness {
        let profile = BackendProfile(
            name: "mine", isPersistent: false, survivesCrash: false, isMultiProcess: false, readersNeverStall: true,
            maxValueBytes: 64 << 20)
        let capabilities: Set<Capability> = [.flush, .normalizes]

        func makeDelegate() throws -> MyDelegate { MyDelegate() }
        func flush(_ delegate: MyDelegate) throws { try delegate.waitForWrites() }
    }
}
