import GroveCache
import GroveCoding
import GroveModel

extension Comparison {
    /// Batches of trees in which every node has changed since the batch before; then the floor puts the same records,
    /// in the same transactions.
    func writeBatch() throws -> CompareResult {
        var commits = CommitTimes()
        for repetition in -1..<settings.repetitions {
            commits.begin(isMeasured: repetition >= 0)
            var groups: [Set<ModelIdentifier>] = []
            let times = try batches.map { batch in
                let trees = makeNextVersion(of: batch)
                var changes: ChangeSet?
                let time = try Stopwatch.time { changes = try cache.write(contentsOf: trees) }
                groups.append(changes?.changedModelIds ?? [])
                return time
            }
            let records = try groups.map { try RecordTable(cache, $0) }
            let floorTime = try records.reduce(0) { total, records in
                total + (try floor.run(.put, records, FloorPlan([Array(0..<records.count)])).nanoseconds)
            }
            commits.add(records.reduce(0) { $0 + $1.count }, times, floorTime)
        }
        try advance()
        return result(.writeBatch, ours: commits.ours, floor: commits.floor, latencies: Latencies(commits.samples))
    }

    /// Single changed trees; the floor puts the same records, a transaction for each.
    func writeOne() throws -> CompareResult {
        var commits = CommitTimes()
        for repetition in -1..<settings.repetitions {
            makeNextVersion()
            commits.begin(isMeasured: repetition >= 0)
            let order = Array(trees.indices).shuffled(using: &random).prefix(settings.commits)
            for turn in Self.turns(order) {
                var groups: [Set<ModelIdentifier>] = []
                let times = try turn.map { index in
                    var changes: ChangeSet?
                    let time = try Stopwatch.time { changes = try cache.write(trees[index]) }
                    groups.append(changes?.changedModelIds ?? [])
                    return time
                }
                commits.add(turn.count, times, try floorCommits(groups))
            }
        }
        try restore()
        return result(.writeOne, ours: commits.ours, floor: commits.floor, latencies: Latencies(commits.samples))
    }

    /// Single changed trees, each on the disk when the call returns; the engines differ too much in how for a floor.
    func writeDurable() throws -> CompareResult {
        var (rates, samples): ([Double], [UInt64]) = ([], [])
        for repetition in -1..<settings.repetitions {
            makeNextVersion()
            let order = Array(trees.indices).shuffled(using: &random).prefix(settings.commits)
            let times = try order.map { index in
                try Stopwatch.time { _ = try cache.write(trees[index], durability: .durable) }
            }
            guard repetition >= 0 else { continue }
            rates.append(rate(times.count, times.reduce(0, +)))
            samples += times
        }
        try restore()
        return result(.writeDurable, ours: rates, floor: [], latencies: Latencies(samples))
    }

    /// Single nodes deleted; the floor puts their tombstones, a transaction for each.
    func delete() throws -> CompareResult {
        try restore()
        var commits = CommitTimes()
        for repetition in -1..<settings.repetitions {
            commits.begin(isMeasured: repetition >= 0)
            let order = identifiers.shuffled(using: &random).prefix(settings.commits)
            for turn in Self.turns(order) {
                let times = try turn.map { identifier in try Stopwatch.time { try cache.delete(identifier) } }
                commits.add(turn.count, times, try floorCommits(turn.map { [$0] }))
            }
            try restore()
        }
        return result(.delete, ours: commits.ours, floor: commits.floor, latencies: Latencies(commits.samples))
    }

    /// Commits to a turn of ours, and then to one of the floor's: few, for disks have moods.
    static func turns<Item>(_ items: ArraySlice<Item>) -> [ArraySlice<Item>] {
        stride(from: items.startIndex, to: items.endIndex, by: 10).map { items[$0..<min($0 + 10, items.endIndex)] }
    }

    /// Lets the floor commit the records of each of `groups`; nanoseconds.
    private func floorCommits(_ groups: [Set<ModelIdentifier>]) throws -> UInt64 {
        try groups.reduce(0) { total, group in
            let records = try RecordTable(cache, group)
            return total + (try floor.run(.put, records, FloorPlan([Array(0..<records.count)])).nanoseconds)
        }
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

    /// The numbers of the distinct nodes that a batch of trees writes, in the order in which it looks at them.
    private func nodes(of batch: Range<Int>) throws -> [Int] {
        try EncodedNames(trees[batch]).identifiers.compactMap { table.nodes[$0] }
    }
}

/// The identifiers of all nodes of some trees, each once.
private struct EncodedNames {
    let identifiers: [ModelIdentifier]

    init<M: CacheableModel>(_ models: ArraySlice<M>) throws(CacheError) {
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        for model in models {
            encoder.beginRoot()
            try model.encodeValue(to: &encoder)
        }
        var seen: Set<ModelIdentifier> = []
        identifiers = tree.entries.map { tree.modelIdentifier(of: $0) }.filter { seen.insert($0).inserted }
    }
}

/// Times of commits, ours and the floor's turn about, as rates of whole repetitions.
private struct CommitTimes {
    private var operations = 0
    private var times: (ours: UInt64, floor: UInt64) = (0, 0)
    private var rates: [(ours: Double, floor: Double)] = []
    private var isMeasured = false
    /// Of single calls of ours.
    private(set) var samples: [UInt64] = []

    /// Begins a repetition.
    mutating func begin(isMeasured: Bool) {
        close()
        self.isMeasured = isMeasured
        (operations, times) = (0, (0, 0))
    }

    /// Adds a turn of both.
    mutating func add(_ count: Int, _ ours: [UInt64], _ floor: UInt64) {
        operations += count
        times.ours += ours.reduce(0, +)
        times.floor += floor
        if isMeasured { samples += ours }
    }

    private mutating func close() {
        guard isMeasured, operations > 0 else { return }
        rates.append(current)
    }

    private var current: (ours: Double, floor: Double) {
        (Double(operations) * 1e9 / Double(max(times.ours, 1)), Double(operations) * 1e9 / Double(max(times.floor, 1)))
    }

    /// Operations a second of each repetition, the one that is under way included.
    var ours: [Double] { rates.map(\.ours) + [current.ours] }
    var floor: [Double] { rates.map(\.floor) + [current.floor] }
}
