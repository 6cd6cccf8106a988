/// What was measured of one workload on one backend.
struct CompareResult: Sendable {
    let backend: BackendName
    let workload: Workload
    let coding: String
    let operationsPerSecond: Double
    /// The slowest and the fastest repetition, in operations a second.
    let repetitions: ClosedRange<Double>
    /// `nil` if the floor cannot do the like.
    let floorOperationsPerSecond: Double?
    /// Of single calls.
    let latencies: Latencies
    /// The same reads beside commits of one node, if that was measured.
    var besideOneNodeWrites: Latencies?
    /// The floor's own reads beside its own commits.
    var floorLatencies: Latencies?
    /// Nodes to an operation.
    var nodesPerOperation = 1.0
    /// Something that a reader of the figures should know.
    var note: String?
    /// The machine's ``MachinePace`` just before or just after, whichever was slower; 0 if it was not measured.
    var pace = 0.0
    /// Whether the floor was too slow for the tax to mean anything.
    var isVoid = false

    /// How much longer a node takes than the floor, in microseconds.
    var extraMicrosecondsPerNode: Double? {
        floorOperationsPerSecond.map {
            (1e6 / max(operationsPerSecond, 1e-9) - 1e6 / max($0, 1e-9)) / max(nodesPerOperation, 1)
        }
    }

    /// Floor divided by ours: 1 is the engine itself, 2 is half its speed.
    var tax: Double? { floorOperationsPerSecond.map { $0 / max(operationsPerSecond, 1e-9) } }
}

/// The size and the opening of one backend's cache.
struct Footprint: Sendable {
    let backend: BackendName
    let bytesOnDisk: Int
    let residentBytes: Int
    let openMilliseconds: Double
    let nodes: Int
    let payloadBytes: Int
    /// The bare engine's opening, to its first get; `nil` on memory.
    let floorOpenMilliseconds: Double?
    /// Opening what a killed process left behind, to the first read; `nil` on memory.
    let killedOpenMilliseconds: Double?
    /// By how much memory the process had grown at most while the store was filled.
    var peakBytes = 0
    /// What was handed to the system to write, for each byte of keys and values; `nil` on memory, and if the system
    /// does not count it.
    var writtenPerByte: Double?
    /// The first write of a process, and the same within a budget that nothing has to leave; `nil` if the backend has
    /// none.
    var firstWriteMilliseconds: Double?
    var firstBudgetedWriteMilliseconds: Double?
}

/// Whether a floor is as fast as the engine ought to be.
struct FloorCheck: Sendable {
    let backend: BackendName
    let putsPerSecond: Double
    let getsPerSecond: Double

    /// A third of what the engine did on the design's machine, put and get; memory has no orientation.
    static func threshold(_ backend: BackendName) -> (puts: Double, gets: Double) {
        switch backend {
        case .memory, .other: (0, 0)
        case .lmdb: (0.55e6 / 3, 1.6e6 / 3)
        case .sqlite: (0.2e6 / 3, 0.25e6 / 3)
        case .leveldb: (1.5e6 / 3, 0.44e6 / 3)
        }
    }

    var slowPuts: Bool { putsPerSecond < FloorCheck.threshold(backend).puts }
    var slowGets: Bool { getsPerSecond < FloorCheck.threshold(backend).gets }

    /// Whether the figures of `result` mean nothing, because the engine below was far slower than it can be.
    func voids(_ result: CompareResult) -> Bool {
        switch result.workload {
        case .readTree, .readSkewed, .readNode, .readCollection, .rewriteUnchanged, .readerStall, .memory: slowGets
        case .readThreads, .readDeep, .writeDurable, .page, .stream, .modelForKey, .setModel, .backlog, .burst, .append,
            .transaction:
            false
        case .writeBatch:
            slowPuts || (result.floorOperationsPerSecond ?? .infinity) < FloorCheck.threshold(backend).puts
        case .writeOne, .delete: slowPuts
        }
    }
}
