import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveModel
import GroveSQLite

/// The measurement of one backend with one set of data, from empty directories to figures.
package struct CompareRun<Data: CompareData> {
    let backend: BackendName
    let data: Data
    let workloads: [Workload]
    let settings: CompareSettings
    let directory: TemporaryDirectory
    /// Whether the footprint and the floor's own speed are measured too; once for each backend.
    let isFirst: Bool
    let budget: CacheBudget

    /// Measures, and adds what comes of it to `report`.
    func run(_ progress: MeasurementProgress, into report: inout CompareReport) throws {
        switch backend {
        case .other(let other): try other.measure(self, progress, into: &report)
        case .memory:
            try run(progress, into: &report) {
                try MemoryCache(directory: nil, options: MemoryOptions(), budget: $1)
            }
        case .lmdb:
            try run(progress, into: &report) { try LMDBCache(directory: $0, options: LMDBOptions(), budget: $1) }
        case .sqlite:
            try run(progress, into: &report) {
                try SQLiteCache(directory: $0, options: SQLiteOptions(), budget: $1)
            }
        case .leveldb:
            try run(progress, into: &report) {
                try LevelDBCache(directory: $0, options: LevelDBOptions(), budget: $1)
            }
        }
    }

    func run<Store: NodeStore>(
        _ progress: MeasurementProgress, into report: inout CompareReport,
        _ budgeted: (String, CacheBudget) throws -> NormalizedCache<Store>
    ) throws {
        func open(_ directory: String) throws -> NormalizedCache<Store> { try budgeted(directory, budget) }
        let name = "\(backend.rawValue)-\(data.coding)"
        if isFirst {
            progress.begin("\(backend.rawValue): size and opening")
            let place = try directory.make("\(name)-footprint")
            let beside = (killed: try directory.make("\(name)-killed"), floor: try directory.make("\(name)-raw"))
            report.footprints.append(
                try Footprint.measure(
                    backend, data, beside: place, killed: beside.killed, floor: beside.floor, budgeted: budgeted, open))
            for place in [place, beside.killed, beside.floor] { Cleanup.remove(place) }
        }
        let (ours, theirs) = (try directory.make("\(name)-ours"), try directory.make("\(name)-floor"))
        defer { for place in [ours, theirs] { Cleanup.remove(place) } }
        let cache = try open(ours)
        defer { cache.close() }
        let comparison = try Comparison(
            backend, cache, try Floor(backend, directory: theirs), data, settings)
        if isFirst, comparison.floor.isThere { report.checks.append(try comparison.checkFloor()) }
        let check = report.checks.last { $0.backend == backend }
        for workload in workloads {
            if progress.isOver { return }
            progress.begin("\(backend.rawValue): \(workload.rawValue)")
            Settling.wait(for: [ours, theirs])
            let paceBefore = MachinePace.measure()
            var result = try comparison.run(workload)
            result.pace = min(paceBefore, MachinePace.measure())
            result.isVoid = check?.voids(result) ?? false
            report.results.append(result)
        }
    }
}

extension Comparison {
    /// The bare engine's speed: puts of all records, 1,000 to a transaction, and gets in random order,
    /// 1,000 to a view.
    func checkFloor() throws -> FloorCheck {
        let order = Array(0..<table.count).shuffled(using: &random)
        let inOrder = FloorPlan(Array(0..<table.count), groupsOf: 1_000)
        let atRandom = FloorPlan(order, groupsOf: 1_000)
        var puts: [Double] = []
        var gets: [Double] = []
        // The best of a few: what else the machine does must not condemn the engine.
        for _ in 0..<5 {
            puts.append(rate(order.count, try floor.run(.put, table, inOrder).nanoseconds))
            gets.append(rate(order.count, try floor.run(.get, table, atRandom).nanoseconds))
        }
        return FloorCheck(backend: backend, putsPerSecond: puts.max() ?? 0, getsPerSecond: gets.max() ?? 0)
    }
}
