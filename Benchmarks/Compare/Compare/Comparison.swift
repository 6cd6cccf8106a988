import GroveCache
import GroveModel

/// One backend under measurement: a cache over it and the floor beside it, both holding the same records.
///
/// Repetitions of the floor and of ours alternate, and medians of them are compared: so whatever else the machine does
/// meets both. Each begins with what it measures once unmeasured, because the other has had the processor's caches.
final class Comparison<Store: NodeStore, Data: CompareData> {
    let cache: NormalizedCache<Store>
    let floor: Floor
    let data: Data
    let settings: CompareSettings
    let backend: BackendName
    /// The version that the cache holds, and its trees.
    private(set) var version = 0
    private(set) var trees: [Data.Tree] = []
    private(set) var identifiers: [ModelIdentifier] = []
    /// What the cache and the floor hold.
    var table = RecordTable()
    var random: SplitMix

    /// Fills `cache` with the first version.
    init(
        _ backend: BackendName, _ cache: NormalizedCache<Store>, _ floor: Floor, _ data: Data,
        _ settings: CompareSettings
    ) throws {
        self.backend = backend
        self.cache = cache
        self.floor = floor
        self.data = data
        self.settings = settings
        random = SplitMix(seed: settings.seed)
        try advance()
    }

    /// Trees to a batch.
    static var batch: Int { 500 }

    /// The batches of the trees, as ranges of their indices.
    var batches: [Range<Int>] {
        stride(from: 0, to: trees.count, by: Self.batch).map { $0..<min($0 + Self.batch, trees.count) }
    }

    /// Makes the trees of the next version, which are not stored yet.
    func makeNextVersion() {
        version += 1
        trees = data.trees(version: version)
        identifiers = trees.compactMap(\.modelIdentifier)
    }

    /// Makes the trees of `batch` in a version of its own, in which nodes that it shares with others have changed too.
    func makeNextVersion(of batch: Range<Int>) -> [Data.Tree] {
        version += 1
        return data.trees(version: version, in: batch)
    }

    /// Stores the next version everywhere.
    func advance() throws {
        makeNextVersion()
        for batch in batches { try cache.write(contentsOf: trees[batch]) }
        try synchronizeFloor()
    }

    /// Stores the current version everywhere, whatever the cache holds now.
    func restore() throws {
        for batch in batches { try cache.write(contentsOf: trees[batch]) }
        try synchronizeFloor()
    }

    /// Hands the floor the records that the cache holds now.
    func synchronizeFloor() throws {
        table = try RecordTable(cache)
        try floor.run(.put, table, FloorPlan(Array(0..<table.count), groupsOf: 1_000))
    }

    /// Runs one workload.
    func run(_ workload: Workload) throws -> CompareResult {
        switch workload {
        case .readTree: try readTree()
        case .readThreads: try readThreads()
        case .readDeep: try readDeep()
        case .readSkewed: try readTree(isSkewed: true)
        case .readNode: try readNode()
        case .readCollection: try readCollection()
        case .rewriteUnchanged: try rewriteUnchanged()
        case .writeBatch: try writeBatch()
        case .writeOne: try writeOne()
        case .writeDurable: try writeDurable()
        case .delete: try delete()
        case .readerStall: try readerStall()
        case .memory: try memory()
        case .modelForKey: try modelForKey()
        case .setModel: try setModel()
        case .backlog: try backlog()
        case .burst: try burst()
        case .transaction: try transaction()
        case .stream: try stream()
        case .page: try page()
        case .append: try append()
        }
    }

    /// What is measured of one workload.
    func result(
        _ workload: Workload, ours: [Double], floor: [Double], latencies: Latencies
    ) -> CompareResult {
        // The others are beside Grove's own other way.
        let hasFloor = self.floor.isThere || !workload.isOverEngine
        return CompareResult(
            backend: backend, workload: workload, coding: data.coding, operationsPerSecond: ours.median,
            repetitions: (ours.min() ?? 0)...(ours.max() ?? 0),
            floorOperationsPerSecond: floor.isEmpty || !hasFloor ? nil : floor.median, latencies: latencies)
    }

    /// Alternates `floor` and `ours`, each of `operations` operations and each after a turn that does not count;
    /// operations a second.
    func alternate(
        operations: Int, floor: () throws -> UInt64, ours: () throws -> UInt64
    ) throws -> (ours: [Double], floor: [Double]) {
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        for _ in 0..<settings.repetitions {
            _ = try floor()
            rates.floor.append(rate(operations, try floor()))
            _ = try ours()
            rates.ours.append(rate(operations, try ours()))
        }
        return rates
    }

    func rate(_ operations: Int, _ nanoseconds: UInt64) -> Double {
        Double(operations) * 1e9 / Double(max(nanoseconds, 1))
    }

    /// `count` indices below `bound` at random.
    func randomIndices(_ count: Int, below bound: Int) -> [Int] {
        (0..<count).map { _ in Int(random.next() % UInt64(max(bound, 1))) }
    }
}
