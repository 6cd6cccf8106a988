package import GroveCache
package import GroveModel

/// What a budget costs one process: `Scripts/budget.sh` runs one for each figure.
package enum BudgetCost {
    /// Fills a new store with `count` records in batches of 1,000, and returns how many seconds that took.
    package static func fill(
        _ backend: BackendName, in directory: String, count: Int, budget: CacheBudget
    ) throws -> Double {
        let cache = try backend.open(directory, budget: budget)
        defer { cache.close() }
        return Double(try Stopwatch.time { try cache.fill(0..<count) }) / 1e9
    }

    /// Opens a store and writes two records, one after the other: the milliseconds of each, and by how many bytes the
    /// process grew.
    package static func write(
        _ backend: BackendName, in directory: String, budget: CacheBudget
    ) throws -> (first: Double, second: Double, bytes: Int) {
        ProcessMemory.trim()
        let before = ProcessMemory.residentBytes
        let cache = try backend.open(directory, budget: budget)
        defer { cache.close() }
        var times: [Double] = []
        for number in 0..<2 {
            let time = try Stopwatch.time { try cache.fill((-1 - number)..<(-number)) }
            times.append(Double(time) / 1e6)
        }
        ProcessMemory.trim()
        return (times[0], times[1], ProcessMemory.residentBytes - before)
    }
}

extension NormalizedCache {
    package func fill(_ numbers: Range<Int>) throws(CacheError) {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1_000) {
            try write(
                contentsOf: (start..<min(start + 1_000, numbers.upperBound)).map {
                    TraceItem(id: "Item:\($0)", text: String(repeating: "x", count: 130))
                })
        }
    }
}
