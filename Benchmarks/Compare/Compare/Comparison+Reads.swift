import Dispatch
import GroveCache
import GroveInspect
import GroveModel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Comparison {
    /// Trees of random identifiers; the floor gets the tree's records in one view.
    ///
    /// - Parameter isSkewed: whether four of five reads are of a fifth of the trees.
    func readTree(isSkewed: Bool = false) throws -> CompareResult {
        let readable = try readableTrees()
        guard !readable.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        let order = randomIndices(settings.reads, below: readable.count).map { index in
            readable[isSkewed && random.next() % 5 > 0 ? index / 5 : index]
        }
        let nodes = try nodesOfTrees(Set(order))
        let plan = FloorPlan(order.map { nodes[$0] ?? [] })
        let rates = try alternate(
            operations: order.count,
            floor: { try floor.run(.get, table, plan).nanoseconds },
            ours: { try Stopwatch.time { for index in order { try self.readOneTree(index) } } })
        let latencies = try sample(order) { try self.readOneTree($0) }
        var result = result(
            isSkewed ? .readSkewed : .readTree, ours: rates.ours, floor: rates.floor, latencies: latencies)
        result.nodesPerOperation = Double(plan.order.count) / Double(max(order.count, 1))
        if readable.count < trees.count {
            result.note = "\(trees.count - readable.count) trees cannot be read whole and are left out"
        }
        return result
    }

    /// Trees of random identifiers by a thread for each core, beside the same by one.
    func readThreads() throws -> CompareResult {
        let readable = try readableTrees()
        guard !readable.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        let order = randomIndices(settings.reads, below: readable.count).map { identifiers[readable[$0]] }
        let cache = cache
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let missed = Atomic(0)
        @Sendable func read() {
            for identifier in order {
                let outcome = try? cache.read(identifier, as: Data.Tree.self)
                if outcome?.value == nil { missed.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        for _ in 0..<settings.repetitions {
            rates.floor.append(rate(order.count, Stopwatch.time { read() }))
            let time = Stopwatch.time { DispatchQueue.concurrentPerform(iterations: cores) { _ in read() } }
            rates.ours.append(rate(order.count * cores, time))
        }
        guard missed.load(ordering: .relaxed) == 0 else { throw ToolError.failed("a tree was not read back") }
        var result = result(.readThreads, ours: rates.ours, floor: rates.floor, latencies: Latencies([]))
        result.note = "\(cores) threads; floor: one"
        return result
    }

    /// Threads of 64 replies, each to the one before, beside the same nodes as a list.
    func readDeep() throws -> CompareResult {
        let (depth, count) = (64, 100)
        let names = (0..<count).map { FeedReply.modelIdentifier(for: $0 * depth) }
        try cache.write(contentsOf: (0..<count).map { FeedReply.thread($0, count: depth) })
        // Behind the threads, and without children.
        for number in 0..<count {
            let first = (count + number) * depth
            try cache.writeCollection(
                (first..<first + depth).map {
                    FeedReply(id: $0, text: "what reply \($0) has to say to the one above it", replies: [])
                },
                as: "replies:\(number)")
        }
        let order = randomIndices(max(settings.reads / depth, 1), below: count)
        func read(_ number: Int) throws {
            var reply = try cache.read(names[number], as: FeedReply.self).value
            var found = 0
            while let next = reply { (reply, found) = (next.replies.first, found + 1) }
            guard found == depth else { throw ToolError.failed("a thread was not read back") }
        }
        let rates = try alternate(
            operations: order.count,
            floor: {
                try Stopwatch.time {
                    for number in order {
                        let list = try cache.collection("replies:\(number)", of: FeedReply.self)
                        guard list?.count == depth else { throw ToolError.failed("a list was not read back") }
                    }
                }
            }, ours: { try Stopwatch.time { for number in order { try read(number) } } })
        let latencies = try sample(order) { try read($0) }
        try cache.write { tx in
            for number in 0..<count { try tx.removeCollection("replies:\(number)") }
            for id in 0..<2 * count * depth { try tx.evict(FeedReply.modelIdentifier(for: id)) }
        }
        return result(.readDeep, ours: rates.ours, floor: rates.floor, latencies: latencies)
    }

    /// Nodes without children; the floor gets one record in a view.
    func readNode() throws -> CompareResult {
        let leaves = try leaves()
        guard !leaves.isEmpty else { throw ToolError.failed("no node of the data is without children") }
        let order = randomIndices(settings.reads, below: leaves.count)
        let plan = FloorPlan(order.compactMap { table.nodes[leaves[$0]] }, groupsOf: 1)
        let rates = try alternate(
            operations: order.count,
            floor: { try floor.run(.get, table, plan).nanoseconds },
            ours: { try Stopwatch.time { for index in order { try self.readLeaf(leaves[index]) } } })
        let latencies = try sample(order) { try self.readLeaf(leaves[$0]) }
        return result(.readNode, ours: rates.ours, floor: rates.floor, latencies: latencies)
    }

    /// Collections of 100 trees; the floor gets the collection's record and all of its trees' in one view.
    func readCollection() throws -> CompareResult {
        let readable = try readableTrees()
        let size = 100
        var keys: [String] = []
        var members: [[Int]] = []
        for start in stride(from: 0, to: readable.count, by: size) {
            let indices = Array(readable[start..<min(start + size, readable.count)])
            keys.append("collection-\(keys.count)")
            members.append(indices)
            try cache.writeCollection(indices.map { trees[$0] }, as: keys[keys.count - 1])
        }
        guard !keys.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        try synchronizeFloor()
        let nodes = try nodesOfTrees(Set(readable))
        let order = randomIndices(max(settings.reads / size, 1), below: keys.count)
        let operations = order.reduce(0) { $0 + members[$1].count }
        let plan = FloorPlan(
            order.map { number in
                let record = table.collections[ModelIdentifier(keys[number])].map { [$0] } ?? []
                return record + members[number].flatMap { nodes[$0] ?? [] }
            })
        let rates = try alternate(
            operations: operations,
            floor: { try floor.run(.get, table, plan).nanoseconds },
            ours: { try Stopwatch.time { for number in order { try self.readOneCollection(keys[number]) } } })
        let latencies = try sample(order) { try self.readOneCollection(keys[$0]) }
        for key in keys { try cache.removeCollection(key) }
        var result = result(.readCollection, ours: rates.ours, floor: rates.floor, latencies: latencies)
        result.nodesPerOperation = Double(plan.order.count) / Double(max(operations, 1))
        return result
    }

    /// Trees of random identifiers, a great many, while the heap is watched; the floor gets some of them.
    func memory() throws -> CompareResult {
        let readable = try readableTrees()
        guard !readable.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        let sampled = randomIndices(settings.reads, below: readable.count).map { readable[$0] }
        let nodes = try nodesOfTrees(Set(sampled))
        let plan = FloorPlan(sampled.map { nodes[$0] ?? [] })
        _ = try floor.run(.get, table, plan)
        let floorTime = try floor.run(.get, table, plan).nanoseconds
        let latencies = try sample(sampled) { try self.readOneTree($0) }
        // An engine's own cache fills first, and is bounded.
        for index in readable { try readOneTree(index) }
        ProcessMemory.trim()
        let count = settings.watchedReads / 20
        let reads = count * 20
        var (before, peak) = (0, 0)
        var time: UInt64 = 0
        // After the first turn, which does not count, the allocator has back what it has just given to the system.
        for round in 0...20 {
            let taken = try Stopwatch.time {
                for read in 0..<count {
                    try self.readOneTree(readable[(round * count + read) &* 7_919 % readable.count])
                }
            }
            if round == 0 { before = ProcessMemory.residentBytes } else { time += taken }
            peak = max(peak, ProcessMemory.residentBytes)
        }
        var result = result(
            .memory, ours: [rate(reads, time)], floor: [rate(sampled.count, floorTime)], latencies: latencies)
        result.nodesPerOperation = Double(plan.order.count) / Double(max(sampled.count, 1))
        result.note = "the heap grew by at most \((peak - before) / 1_024) KB while \(reads.grouped) trees were read"
        return result
    }

    // MARK: Single calls

    func readOneTree(_ index: Int) throws {
        guard case .hit = try cache.read(identifiers[index], as: Data.Tree.self) else {
            throw missing(identifiers[index])
        }
    }

    func readLeaf(_ identifier: ModelIdentifier) throws {
        guard case .hit = try cache.read(identifier, as: Data.Leaf.self) else { throw missing(identifier) }
    }

    private func readOneCollection(_ key: String) throws {
        guard case .hit = try cache.readCollection(key, of: Data.Tree.self) else { throw missing(ModelIdentifier(key)) }
    }

    private func missing(_ identifier: ModelIdentifier) -> ToolError {
        .failed("the \(backend.rawValue) cache lost \(identifier) while it was measured; the run is void")
    }

    /// Times up to 20,000 single calls.
    func sample(_ order: [Int], _ call: (Int) throws -> Void) throws -> Latencies {
        let overhead = Stopwatch.overhead
        return Latencies(
            try order.prefix(20_000).map { index in
                let time = try Stopwatch.time { try call(index) }
                return time > overhead ? time - overhead : 0
            })
    }

    // MARK: What there is to read

    /// The trees that can be read: those of a document may hold each other in a circle.
    func readableTrees() throws -> [Int] {
        guard data.mayHoldCircles else { return Array(trees.indices) }
        return trees.indices.filter { index in
            guard case .hit? = try? cache.read(identifiers[index], as: Data.Tree.self) else { return false }
            return true
        }
    }

    /// The nodes without children.
    func leaves() throws -> [ModelIdentifier] {
        var leaves: [ModelIdentifier] = []
        try cache.forEachStoredRecord(.node) { record in
            if case .success(let envelope) = record.envelope, !envelope.flags.contains("references"),
                !envelope.isTombstone
            {
                leaves.append(ModelIdentifier(record.name))
            }
            return true
        }
        return leaves
    }

    /// How many distinct nodes a tree has, on the average of some.
    func nodesPerTree(_ indices: Set<Int>) throws -> Double {
        let nodes = try nodesOfTrees(indices)
        return Double(nodes.values.reduce(0) { $0 + $1.count }) / Double(max(nodes.count, 1))
    }

    /// The records of each tree, the root's first and each once.
    private func nodesOfTrees(_ indices: Set<Int>) throws -> [Int: [Int]] {
        var children: [ModelIdentifier: [ModelIdentifier]] = [:]
        try cache.forEachStoredRecord(.node) { record in
            if case .success(let envelope) = record.envelope {
                children[ModelIdentifier(record.name)] = envelope.references
            }
            return true
        }
        var nodes: [Int: [Int]] = [:]
        for index in indices {
            var stack = [identifiers[index]]
            var seen = Set(stack)
            var found: [Int] = []
            while let identifier = stack.popLast() {
                if let number = table.nodes[identifier] { found.append(number) }
                for child in children[identifier] ?? [] where seen.insert(child).inserted { stack.append(child) }
            }
            nodes[index] = found
        }
        return nodes
    }
}
