import GroveCache
import GroveModel

/// What long collections cost: a page of one, and an element more.
extension Comparison {
    private static var pageLength: Int { 50 }
    private static var shortLength: Int { 100 }

    /// Pages of 50 of a long collection; 50 single reads of the same trees in one view stand where the floor does.
    func page() throws -> CompareResult {
        try restore()
        let list = try writeLongList(as: "long")
        let starts = randomIndices(max(settings.reads / Self.pageLength, 1), below: list.count - Self.pageLength)
        let pages = starts.map { $0..<($0 + Self.pageLength) }
        let rates = try alternate(
            operations: pages.count * Self.pageLength,
            floor: { try Stopwatch.time { for page in pages { try self.readSingly(list[page]) } } },
            ours: { try Stopwatch.time { for page in pages { try self.readPage(page) } } })
        let latencies = try sample(starts) { try self.readPage($0..<($0 + Self.pageLength)) }
        try cache.removeCollection("long")
        try restore()
        var result = result(.page, ours: rates.ours, floor: rates.floor, latencies: latencies)
        result.nodesPerOperation = try nodesPerTree(Set(list.prefix(1_000)))
        result.note = "of \(list.count.grouped) elements; floor: single reads in one view"
        return result
    }

    /// One element behind a long collection, a commit for each; the same behind one of 100 stands where the floor does.
    func append() throws -> CompareResult {
        try restore()
        let list = try writeLongList(as: "long")
        let short = list.prefix(Self.shortLength).map { trees[$0] }
        var rates: (ours: [Double], floor: [Double]) = ([], [])
        var samples: (ours: [UInt64], floor: [UInt64]) = ([], [])
        for repetition in -1..<settings.repetitions {
            var times: (ours: [UInt64], floor: [UInt64]) = ([], [])
            // Few commits to a turn, for disks have moods.
            for turn in Self.turns(list.prefix(settings.commits)) {
                try cache.writeCollection(short, as: "short")
                times.floor += try turn.map { try self.timeAppend($0, to: "short") }
                times.ours += try turn.map { try self.timeAppend($0, to: "long") }
            }
            guard repetition >= 0 else { continue }
            rates.floor.append(rate(times.floor.count, times.floor.reduce(0, +)))
            rates.ours.append(rate(times.ours.count, times.ours.reduce(0, +)))
            samples.ours += times.ours
            samples.floor += times.floor
        }
        for key in ["long", "short"] { try cache.removeCollection(key) }
        try restore()
        var result = result(.append, ours: rates.ours, floor: rates.floor, latencies: Latencies(samples.ours))
        result.floorLatencies = Latencies(samples.floor)
        result.note = "to \(list.count.grouped) elements; floor: to \(Self.shortLength)"
        return result
    }

    /// Writes a long collection, the trees that can be read over and over; returns the index of each element's tree.
    private func writeLongList(as key: String) throws -> [Int] {
        let readable = try readableTrees()
        guard !readable.isEmpty else { throw ToolError.failed("no tree of the data can be read back") }
        let list = (0..<settings.listLength).map { readable[$0 % readable.count] }
        try cache.writeCollection([Data.Tree](), as: key)
        for start in stride(from: 0, to: list.count, by: Self.batch) {
            let batch = list[start..<min(start + Self.batch, list.count)]
            try cache.append(batch.map { trees[$0] }, toCollection: key)
        }
        return list
    }

    private func readPage(_ page: Range<Int>) throws {
        guard try cache.readCollection("long", of: Data.Tree.self, in: page).value?.elements.count == page.count else {
            throw ToolError.failed("the \(backend.rawValue) cache lost a page while it was measured; the run is void")
        }
    }

    private func readSingly(_ indices: ArraySlice<Int>) throws {
        let elements = try cache.read { view in
            try indices.compactMap { try view.model(identifiers[$0], as: Data.Tree.self) }
        }
        guard elements.count == indices.count else {
            throw ToolError.failed("the \(backend.rawValue) cache lost a tree while it was measured; the run is void")
        }
    }

    private func timeAppend(_ index: Int, to key: String) throws -> UInt64 {
        let element = CollectionOfOne(trees[index])
        return try Stopwatch.time { try cache.append(element, toCollection: key) }
    }
}
