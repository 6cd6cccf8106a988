import GroveCache
import GroveModel

extension Comparison {
    /// Batches of changed trees; the floor puts the records that changed, in the same transactions.
    func writeBatch() throws -> CompareResult {
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var samples: [UInt64] = []
        for repetition in -1..<settings.repetitions {
            makeNextVersion()
            var groups: [Set<ModelIdentifier>] = []
            var times: [UInt64] = []
            for batch in batches {
                var changes: ChangeSet?
                times.append(try Stopwatch.time { changes = try cache.write(contentsOf: trees[batch]) })
                groups.append(changes?.changedModelIds ?? [])
            }
            table = try RecordTable(cache)
            let plan = FloorPlan(groups.map { records($0) })
            let floorTime = try floor.run(.put, table, plan).nanoseconds
            guard repetition >= 0 else { continue }
            rates.ours.append(rate(plan.order.count, times.reduce(0, +)))
            rates.floor.append(rate(plan.order.count, floorTime))
            samples += times
        }
        return result(.writeBatch, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples))
    }

    /// Single changed trees; the floor puts the same records, a transaction for each.
    func writeOne() throws -> CompareResult {
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var samples: [UInt64] = []
        let count = min(settings.commits, trees.count)
        for repetition in -1..<settings.repetitions {
            makeNextVersion()
            let order = Array(Array(trees.indices).shuffled(using: &random).prefix(count))
            var groups: [Set<ModelIdentifier>] = []
            var times: [UInt64] = []
            for index in order {
                var changes: ChangeSet?
                times.append(try Stopwatch.time { changes = try cache.write(trees[index]) })
                groups.append(changes?.changedModelIds ?? [])
            }
            table = try RecordTable(cache)
            let floorTime = try floor.run(.put, table, FloorPlan(groups.map { records($0) })).nanoseconds
            guard repetition >= 0 else { continue }
            rates.ours.append(rate(count, times.reduce(0, +)))
            rates.floor.append(rate(count, floorTime))
            samples += times
        }
        try restore()
        return result(.writeOne, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples))
    }

    /// Batches of trees that are stored already; the floor gets their records.
    func rewriteUnchanged() throws -> CompareResult {
        try restore()
        let groups = try batches.map { batch in try nodes(of: batch) }
        let plan = FloorPlan(groups)
        var samples: [UInt64] = []
        let rates = try alternate(
            operations: plan.order.count,
            floor: { try floor.run(.get, table, plan).nanoseconds },
            ours: {
                let times = try batches.map { batch in
                    try Stopwatch.time { try self.cache.write(contentsOf: self.trees[batch]) }
                }
                samples += times
                return times.reduce(0, +)
            })
        samples.removeFirst(min(batches.count, samples.count))
        return result(.rewriteUnchanged, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples))
    }

    /// Single nodes deleted; the floor puts their tombstones, a transaction for each.
    func delete() throws -> CompareResult {
        try restore()
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var samples: [UInt64] = []
        let count = min(settings.commits, identifiers.count)
        for repetition in -1..<settings.repetitions {
            let order = identifiers.shuffled(using: &random).prefix(count)
            let times = try order.map { identifier in try Stopwatch.time { try cache.delete(identifier) } }
            table = try RecordTable(cache)
            let plan = FloorPlan(order.map { records([$0]) })
            let floorTime = try floor.run(.put, table, plan).nanoseconds
            try restore()
            guard repetition >= 0 else { continue }
            rates.ours.append(rate(count, times.reduce(0, +)))
            rates.floor.append(rate(count, floorTime))
            samples += times
        }
        return result(.delete, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples))
    }

    /// The numbers of the records of `identifiers`, in their order.
    private func records(_ identifiers: Set<ModelIdentifier>) -> [Int] {
        identifiers.compactMap { table.nodes[$0] }.sorted()
    }

    /// The numbers of the distinct nodes that a batch of trees writes.
    private func nodes(of batch: Range<Int>) throws -> [Int] {
        let written = try EncodedNames(trees[batch])
        return records(written.identifiers)
    }
}

/// The identifiers of all nodes of some trees.
private struct EncodedNames {
    let identifiers: Set<ModelIdentifier>

    init<M: CacheableModel>(_ models: ArraySlice<M>) throws(CacheError) {
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        for model in models {
            encoder.beginRoot()
            try model.encodeValue(to: &encoder)
        }
        identifiers = Set(tree.entries.map { tree.modelIdentifier(of: $0) })
    }
}
