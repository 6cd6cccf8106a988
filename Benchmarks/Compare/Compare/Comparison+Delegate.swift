import Dispatch
import GroveCache
import GroveModel
import Synchronization

/// The delegate's calls beside the direct ones, which stand where the floor does.
extension Comparison {
    /// Trees of random identifiers, one after the other, each awaited.
    func modelForKey() throws -> CompareResult {
        let readable = try readableTrees()
        guard !readable.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        let order = randomIndices(settings.reads, below: readable.count).map { readable[$0] }
        let rates = try alternate(
            operations: order.count,
            floor: { try Stopwatch.time { for index in order { try self.readOneTree(index) } } },
            ours: { try Stopwatch.time { for index in order { try self.askForTree(index) } } })
        let latencies = try sample(order) { try self.askForTree($0) }
        var result = result(.modelForKey, ours: rates.ours, floor: rates.floor, latencies: latencies)
        result.nodesPerOperation = try nodesPerTree(Set(order))
        let hops = hops(order.count)
        let extra = 1e6 / rates.ours.median - 1e6 / rates.floor.median
        result.note =
            "+\(CompareResult.short(extra)) us; to a queue and back \(CompareResult.short(hops))"
        return result
    }

    /// Changed trees, each in a call of its own, and a `flush()`; the direct call stores as many at once.
    func setModel() throws -> CompareResult {
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var samples: [UInt64] = []
        for repetition in -1..<settings.repetitions {
            makeNextVersion()
            let direct = try Stopwatch.time { for batch in batches { try cache.write(contentsOf: trees[batch]) } }
            makeNextVersion()
            var times: [UInt64] = []
            let queued = try Stopwatch.time {
                for batch in batches {
                    for index in batch {
                        guard let key = trees[index].modelIdentifier?.rawValue else { continue }
                        times.append(Stopwatch.time { cache.setModel(trees[index], forKey: key, context: nil) })
                    }
                    try cache.flush()
                }
            }
            guard repetition >= 0 else { continue }
            rates.floor.append(rate(trees.count, direct))
            rates.ours.append(rate(trees.count, queued))
            samples += times
        }
        try synchronizeFloor()
        var result = result(.setModel, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples))
        result.nodesPerOperation = try nodesPerTree(Set(trees.indices.prefix(1_000)))
        result.note = "latencies of setModel alone; the rate is until flush()"
        return result
    }

    private func askForTree(_ index: Int) throws {
        let answer = Answer()
        cache.modelForKey(identifiers[index].rawValue, context: nil) { (tree: Data.Tree?, _) in
            answer.give(tree != nil)
        }
        guard answer.wait() else {
            throw ToolError.failed("the \(backend.rawValue) cache lost \(identifiers[index]) while it was measured")
        }
    }

    /// What it takes to reach another queue and to hear back from it, in microseconds.
    private func hops(_ count: Int) -> Double {
        let queue = DispatchQueue(label: "grove.compare.hop")
        let time = Stopwatch.time {
            for _ in 0..<count {
                let answer = Answer()
                queue.async { answer.give(true) }
                _ = answer.wait()
            }
        }
        return Double(time) / 1e3 / Double(max(count, 1))
    }
}

/// One answer from another thread.
private final class Answer: Sendable {
    private let isHit = Atomic(false)
    private let semaphore = DispatchSemaphore(value: 0)

    func give(_ isHit: Bool) {
        self.isHit.store(isHit, ordering: .relaxed)
        semaphore.signal()
    }

    func wait() -> Bool {
        semaphore.wait()
        return isHit.load(ordering: .relaxed)
    }
}
