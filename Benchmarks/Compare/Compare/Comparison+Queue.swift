import GroveCache
import GroveMemory
import GroveModel

/// What a queue of writes costs those who read beside it and those who fill it.
extension Comparison {
    /// Writes in the queue.
    private static var queuedWrites: Int { 10_000 }

    /// Trees read while 10,000 writes of other models are queued; the same beside none stands where the floor does.
    func backlog() throws -> CompareResult {
        try restore()
        let readable = try readableTrees()
        guard !readable.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        let order = randomIndices(settings.reads, below: readable.count).map { readable[$0] }
        let others = (0..<Self.queuedWrites).map { index in
            FeedPerson(
                id: 100_000_000 + index, name: "queued \(index)", email: "", about: "", online: false, followers: index)
        }
        func read() throws -> UInt64 { try Stopwatch.time { for index in order { try self.readOneTree(index) } } }
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var latencies = Latencies([])
        for _ in 0..<settings.repetitions {
            // The writer rests both times, so that what differs is the queue.
            try cache.whileWriterRests {
                _ = try read()
                rates.floor.append(rate(order.count, try read()))
                for other in others {
                    cache.setModel(other, forKey: "Person:\(other.id)", context: nil)
                }
                _ = try read()
                rates.ours.append(rate(order.count, try read()))
                latencies = try sample(order) { try self.readOneTree($0) }
            }
            try cache.flush()
            for other in others { try cache.evict(ModelIdentifier("Person:\(other.id)")) }
        }
        var result = result(.backlog, ours: rates.ours, floor: rates.floor, latencies: latencies)
        result.nodesPerOperation = try nodesPerTree(Set(order))
        result.note = "floor: the same reads beside an empty queue"
        return result
    }

    /// Calls of `setModel` in a burst, one after the other; a burst into a cache in memory stands where the floor does.
    func burst() throws -> CompareResult {
        let memory = try MemoryCache(directory: nil, options: MemoryOptions())
        defer { memory.close() }
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var samples: (ours: [UInt64], floor: [UInt64]) = ([], [])
        for repetition in -1..<settings.repetitions {
            makeNextVersion()
            let count = min(trees.count, Self.queuedWrites)
            let beside = try times(count, of: memory)
            let ours = try times(count, of: cache)
            guard repetition >= 0 else { continue }
            rates.floor.append(rate(count, beside.reduce(0, +)))
            rates.ours.append(rate(count, ours.reduce(0, +)))
            samples.floor += beside
            samples.ours += ours
        }
        try restore()
        var result = result(.burst, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples.ours))
        result.floorLatencies = Latencies(samples.floor)
        let tail = (result.latencies.quantile(0.999) ?? 0) / max(result.floorLatencies?.quantile(0.999) ?? 1, 1e-9)
        result.note = "p99.9 is \(tail.fixed(2)) times that of a burst into memory"
        return result
    }

    /// What each of so many calls of `setModel` took, in nanoseconds.
    private func times<Other: NodeStore>(_ count: Int, of cache: NormalizedCache<Other>) throws -> [UInt64] {
        let overhead = Stopwatch.overhead
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for index in 0..<count {
            let key = identifiers[index].rawValue
            let time = Stopwatch.time { cache.setModel(trees[index], forKey: key, context: nil) }
            times.append(time > overhead ? time - overhead : 0)
        }
        try cache.flush()
        return times
    }
}
