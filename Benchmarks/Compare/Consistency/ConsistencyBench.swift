import GroveConsistency
import GroveMemory
import GroveModel
import GrovePlatform
import GroveProviders

/// Measures the engine: every repetition runs every workload, and medians of all are compared.
@MainActor
final class ConsistencyBench {
    let workloads: [ConsistencyWorkload]
    let repetitions: Int
    /// Changes in a repetition.
    let changes: Int
    private(set) var results: [ConsistencyResult]
    private var roundTrips: [Double] = []

    init(_ workloads: [ConsistencyWorkload], isFull: Bool) {
        self.workloads = workloads
        repetitions = isFull ? 7 : 3
        changes = isFull ? 11 : 5
        results = workloads.map { ConsistencyResult(workload: $0) }
    }

    /// The median of an empty round trip to the main actor, in milliseconds.
    var roundTrip: Double { roundTrips.median }

    func run() async throws {
        for repetition in 0...repetitions {
            for index in workloads.indices {
                Terminal.progress(workloads[index].rawValue)
                var result = ConsistencyResult(workload: workloads[index])
                try await measure(&result)
                // The first round warms up.
                guard repetition > 0 else { continue }
                results[index].add += result.add
                results[index].commit += result.commit
                results[index].change += result.change
                results[index].held += result.held
                results[index].addProcessor += result.addProcessor
                results[index].changeProcessor += result.changeProcessor
            }
        }
    }

    private func measure(_ result: inout ConsistencyResult) async throws {
        let size = result.workload.size
        switch result.workload {
        case .wide1000, .wide10000, .wide100000, .shared5, .shared500:
            let tree = ConsistencyTree("tree", size)
            await listen((0..<result.workload.listeners).map { _ in tree }, &result) { run in
                ConsistencyLeaf(modelIdentifier: "tree.\(size / 2)", value: run)
            }
        case .distinct:
            let trees = (0..<result.workload.listeners).map { ConsistencyTree("tree \($0)", size) }
            await listen(trees, &result) { run in ConsistencyLeaf(modelIdentifier: "tree 5000.1", value: run) }
        case .depth:
            await listen([ConsistencyBranch(1, depth: 10)], &result) { run in
                var leaf = ConsistencyBranch(777, depth: 1)
                leaf.value = run
                return leaf
            }
        case .unchanged1000, .unchanged100000:
            await listen([ConsistencyTree("tree", size)], &result) { _ in ConsistencyTree("tree", size) }
        case .collection100, .collection10000, .collection100000: try await collect(&result)
        case .followAlone, .followNone, .follow3, .followAll: try await follow(&result)
        }
    }

    private func listen(
        _ models: [any Model], _ result: inout ConsistencyResult, _ change: (Int) -> any Model
    ) async {
        let manager = ConsistencyManager()
        let listeners = models.map(ConsistencyHolder.init)
        await manager.flush()
        let added = await time(manager) { for listener in listeners { manager.addListener(listener) } }
        result.add.append(added.total)
        result.addProcessor.append(added.processor)
        for run in 1...changes {
            let model = change(run)
            result.take(await time(manager) { manager.updateModel(model) })
            roundTrips.append(await time(manager) {}.total)
        }
        // What is freed now is not freed while the next workload is measured.
        manager.clearListenersAndCancelAllTasks()
        await manager.flush()
    }

    private func collect(_ result: inout ConsistencyResult) async throws {
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let list = CollectionDataProvider<ConsistencyLeaf>(dataModelManager: manager)
        let size = result.workload.size
        let elements = ConsistencyTree("element", size).children
        let engine = manager.consistencyManager
        await engine.flush()
        let added = await time(engine) { list.setData(elements, cacheKey: "list", shouldCache: false) }
        result.add.append(added.total)
        result.addProcessor.append(added.processor)
        for run in 1...changes * 2 {
            let index = run * 7 % size
            let element = ConsistencyLeaf(modelIdentifier: "element.\(index)", value: run)
            result.take(
                await time(engine) {
                    if run % 2 == 0 {
                        list.update(element, at: index, shouldCache: false)
                    } else {
                        manager.updateModel(element, updateCache: false)
                    }
                })
            roundTrips.append(await time(engine) {}.total)
        }
        list.setData([], cacheKey: nil)
        await engine.flush()
    }

    /// What the process has used of its processors, in nanoseconds.
    static var processorTime: UInt64 { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    /// How long `body` takes until everybody was told.
    private func time(_ manager: ConsistencyManager, _ body: () -> Void) async -> ConsistencyTime {
        let before = manager.mainActorMeasures.held
        let processor = Self.processorTime
        let start = ContinuousClock.now
        body()
        let called = ContinuousClock.now
        await manager.flush()
        let total = ContinuousClock.now - start
        let held = manager.mainActorMeasures.held - before + (called - start)
        return ConsistencyTime(
            total: Double(total.nanoseconds) / 1e6, held: Double(held.nanoseconds) / 1e3,
            processor: Double(Self.processorTime - processor) / 1e6)
    }
}

extension CompareReport {
    /// Measures the consistency engine, and adds what comes of it.
    package mutating func measure(_ workloads: [ConsistencyWorkload], isFull: Bool) async throws {
        let bench = await ConsistencyBench(workloads, isFull: isFull)
        try await bench.run()
        (consistency, roundTrip) = await (bench.results, bench.roundTrip)
    }
}

/// The time of `clock` in nanoseconds.
private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
