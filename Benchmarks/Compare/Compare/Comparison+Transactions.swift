import GroveCache
import GroveFloor
import GroveInspect
import GroveModel

/// What one transaction of many calls costs, and what one view of all models of a type costs.
extension Comparison {
    /// 500 mixed calls in one transaction; the same calls one by one, each a commit of its own, stand where the floor
    /// does.
    func transaction() throws -> CompareResult {
        try restore()
        let readable = try readableTrees()
        guard !readable.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        var calls = MixedCalls(500, of: readable)
        while try !fit(calls) { calls = MixedCalls(calls.count / 2, of: readable) }
        var rates: (ours: [Double], floor: [Double], batches: [Double]) = ([], [], [])
        var samples: [UInt64] = []
        for repetition in -1..<settings.repetitions {
            makeNextVersion()
            let single = try Stopwatch.time { for call in calls.all { try perform(call, on: cache) } }
            makeNextVersion()
            let together = try Stopwatch.time { try runTogether(calls) }
            makeNextVersion()
            let batched = try Stopwatch.time { try runInBatches(calls) }
            guard repetition >= 0 else { continue }
            rates.floor.append(rate(calls.count, single))
            rates.ours.append(rate(calls.count, together))
            rates.batches.append(rate(calls.count, batched))
            samples.append(together)
        }
        try cache.removeCollection(MixedCalls.collection)
        try restore()
        var result = result(.transaction, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples))
        let ratio = (rates.batches.median / max(rates.ours.median, 1e-9)).fixed(2)
        result.note =
            (calls.count < 500 ? "\(calls.count) calls, for the budget; " : "") + "\(ratio) times the same in batches"
        return result
    }

    /// All models of the trees' type, in one view; the driver's own scan of all nodes stands where the floor does.
    func stream() throws -> CompareResult {
        try restore()
        let count = try streamTrees()
        guard data.mayHoldCircles ? count > 0 : count == trees.count else {
            throw ToolError.failed(
                "the \(backend.rawValue) cache has \(count) of \(trees.count) trees; the run is void")
        }
        let rates = try alternate(
            operations: count,
            floor: { try Stopwatch.time { try self.scanNodes() } },
            ours: { try Stopwatch.time { _ = try self.streamTrees() } })
        let clock = ContinuousClock()
        var samples: [UInt64] = []
        var last = clock.now
        _ = try streamTrees {
            let now = clock.now
            samples.append((now - last).nanoseconds)
            last = clock.now
        }
        var result = result(.stream, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples))
        result.nodesPerOperation = try nodesPerTree(Set(trees.indices.prefix(1_000)))
        result.note = "latencies from one model to the next; floor: the driver's scan"
        return result
    }

    // MARK: Mixed calls

    /// Whether the budget lets one transaction write as much as `calls` do.
    private func fit(_ calls: MixedCalls) throws -> Bool {
        makeNextVersion()
        do {
            try runTogether(calls)
            return true
        } catch let error as CacheError where error.code == .tooLarge && calls.count > 1 {
            return false
        }
    }

    /// One transaction, the calls as they are.
    private func runTogether(_ calls: MixedCalls) throws {
        try cache.write { tx in
            for call in calls.all { try perform(call, on: tx) }
        }
    }

    /// One transaction with one call for all that is written, and then the others.
    private func runInBatches(_ calls: MixedCalls) throws {
        let written = calls.written.map { trees[$0] }
        try cache.write { tx in
            try tx.write(contentsOf: written)
            for call in calls.others { try perform(call, on: tx) }
        }
    }

    private func perform<Target: CacheReader & CacheWriter & ~Copyable>(
        _ call: MixedCalls.Call, on target: borrowing Target
    ) throws {
        switch call {
        case .write(let index): try target.write(trees[index])
        case .delete(let index): try target.delete(identifiers[index])
        case .list(let indices): try target.writeCollection(indices.map { trees[$0] }, as: MixedCalls.collection)
        case .read(let index):
            let read = try target.read(identifiers[index], as: Data.Tree.self)
            // A tree of a document may need one that was deleted.
            guard read.value != nil || data.mayHoldCircles else {
                throw ToolError.failed("the \(backend.rawValue) cache lost \(identifiers[index]); the run is void")
            }
        }
    }

    // MARK: Streams

    /// Reads all trees in one view, and tells of each; returns how many there were.
    private func streamTrees(_ visit: () -> Void = {}) throws -> Int {
        try cache.read { view in
            var count = 0
            guard data.mayHoldCircles else {
                for _ in try view.models(Data.Tree.self) {
                    count += 1
                    visit()
                }
                return count
            }
            // A model that is part of a circle would end the sequence.
            for identifier in try view.identifiers(of: Data.Tree.self) {
                guard (try? view.model(identifier, as: Data.Tree.self)) != nil else { continue }
                count += 1
                visit()
            }
            return count
        }
    }

    /// Touches every byte of every node, in the engine's order, as the floor does where it gets records.
    private func scanNodes() throws {
        var sum: UInt64 = 0
        try unsafe cache.forEachStoredValue(.node) { _, value in
            let bytes = unsafe value.bindMemory(to: UInt8.self)
            unsafe sum &+= grove_floor_checksum(bytes.baseAddress, bytes.count)
            return true
        }
        guard sum != 0 else { throw ToolError.failed("the \(backend.rawValue) cache holds no nodes; the run is void") }
    }
}

/// Calls of four kinds in a fixed order.
///
/// Of ten calls seven write a tree, two read a written tree, and one deletes. The last call writes a collection of at
/// most 100 elements.
private struct MixedCalls {
    enum Call {
        case write(Int)
        case read(Int)
        case delete(Int)
        case list([Int])
    }

    static var collection: String { "mixed" }

    let all: [Call]
    var count: Int { all.count }

    /// - Parameter trees: the indices of trees, which are taken in turn.
    init(_ count: Int, of trees: [Int]) {
        var calls: [Call] = []
        var written: [Int] = []
        for number in 0..<max(count - 1, 0) {
            switch number % 10 {
            case 4, 8: calls.append(.read(written[written.count - 2]))
            case 9: calls.append(.delete(written[written.count - 1]))
            default:
                written.append(trees[written.count % trees.count])
                calls.append(.write(written[written.count - 1]))
            }
        }
        calls.append(.list(Array(trees.prefix(100))))
        all = calls
    }

    /// The trees that are written one by one, in order.
    var written: [Int] {
        all.compactMap { call in if case .write(let index) = call { index } else { nil } }
    }

    /// The calls that write no single tree.
    var others: [Call] {
        all.filter { call in if case .write = call { false } else { true } }
    }
}
