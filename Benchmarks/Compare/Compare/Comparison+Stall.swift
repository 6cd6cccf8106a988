import Dispatch
import GroveCache
import GroveModel
import Synchronization

extension Comparison {
    /// Single reads while another thread commits 10,000 nodes at a time, and the same beside commits of one node.
    func readerStall() throws -> CompareResult {
        try restore()
        let leaves = try leaves()
        guard !leaves.isEmpty else { throw ToolError.failed("no node of the data is without children") }
        let versions = [data.trees(version: version + 1), data.trees(version: version + 2)]
        let large = largeBatch(versions[0])
        let cache = cache
        // The floor has one thread on memory.
        let canFloorReadBesideWrites = backend.isPersistent

        var floorTimes: [UInt64] = []
        let order = randomIndices(settings.reads, below: leaves.count)
        let reads = FloorPlan(order.compactMap { table.nodes[leaves[$0]] }, groupsOf: 1)
        let all = Array(0..<min(table.count, 10_000))
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var times: [UInt64] = []
        var timesBesideOne: [UInt64] = []
        for _ in 0..<max(settings.repetitions / 2, 1) {
            let floorRun = try floorReads(reads, all, isWriting: canFloorReadBesideWrites)
            floorTimes += floorRun
            rates.floor.append(rate(floorRun.count, floorRun.reduce(0, +)))
            let beside = try self.reads(leaves) { round in
                try cache.write(contentsOf: versions[round % 2][large])
            }
            times += beside.times
            rates.ours.append(rate(beside.times.count, beside.times.reduce(0, +)))
            let single = try self.reads(leaves) { round in
                try cache.write(versions[round % 2][round % versions[0].count])
            }
            timesBesideOne += single.times
        }
        try restore()
        var result = result(.readerStall, ours: rates.ours, floor: rates.floor, latencies: Latencies(times))
        result.besideOneNodeWrites = Latencies(timesBesideOne)
        result.floorLatencies = Latencies(floorTimes)
        if !canFloorReadBesideWrites { result.note = "the memory floor reads without a writer beside it" }
        return result
    }

    /// As many trees as have 10,000 nodes, or all of them.
    private func largeBatch(_ trees: [Data.Tree]) -> Range<Int> {
        let nodesPerTree = Double(max(table.nodes.count, 1)) / Double(max(trees.count, 1))
        return 0..<min(trees.count, Int((10_000 / max(nodesPerTree, 0.001)).rounded(.up)))
    }

    /// Reads for ``CompareSettings/stall`` while `write` runs again and again on another thread.
    private func reads(
        _ leaves: [ModelIdentifier], beside write: @escaping @Sendable (Int) throws -> Void
    ) throws -> (times: [UInt64], commits: Int) {
        let writer = BackgroundLoop(write)
        let overhead = Stopwatch.overhead
        var times: [UInt64] = []
        times.reserveCapacity(1 << 20)
        let order = randomIndices(4_096, below: leaves.count)
        let clock = ContinuousClock()
        let start = clock.now
        // Whole rounds of the writer count, not an instant beside it.
        while clock.now - start < settings.stall || writer.rounds == 0 {
            for index in order.prefix(256) {
                let time = try Stopwatch.time { try readLeaf(leaves[index]) }
                times.append(time > overhead ? time - overhead : 0)
            }
        }
        try writer.stop()
        return (times, writer.rounds)
    }

    /// The floor's reads, one view each, while it puts 10,000 records to a transaction on another thread.
    private func floorReads(_ reads: FloorPlan, _ records: [Int], isWriting: Bool) throws -> [UInt64] {
        let (floor, table) = (floor, table)
        let plan = FloorPlan(records, groupsOf: 10_000)
        let writer = isWriting ? BackgroundLoop { _ in try floor.run(.put, table, plan) } : nil
        let overhead = Stopwatch.overhead
        var times: [UInt64] = []
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < settings.stall {
            times += try floor.run(.get, table, reads, timesGroups: true).latencies.map {
                $0 > overhead ? $0 - overhead : 0
            }
        }
        try writer?.stop()
        return times
    }
}

/// A thread that does one thing again and again until it is stopped.
private final class BackgroundLoop: Sendable {
    private let isStopped = Atomic(false)
    private let count = Atomic(0)
    private let failure = Mutex<(any Error)?>(nil)
    private let group = DispatchGroup()

    init(_ body: @escaping @Sendable (Int) throws -> Void) {
        DispatchQueue.global(qos: .userInitiated).async(group: group) { [self] in
            while !isStopped.load(ordering: .relaxed) {
                do {
                    try body(count.load(ordering: .relaxed))
                } catch {
                    failure.withLock { $0 = error }
                    count.add(1, ordering: .relaxed)
                    return
                }
                count.add(1, ordering: .relaxed)
            }
        }
    }

    /// How often it was done.
    var rounds: Int { count.load(ordering: .relaxed) }

    /// Returns when the last round is done.
    func stop() throws {
        isStopped.store(true, ordering: .relaxed)
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
