import Dispatch
@testable import GroveCache
import GroveInspect
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Marks of what is pinned")
struct PinMarkTests {
    @Test("A write under a pin looks at what it names, however much is pinned beside it")
    func cost() throws {
        let disk = try SharedStore.Disk()
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: disk), budget: CacheBudget(nodes: 4_000))
        try cache.writeCollection((0..<3_000).map { Fork("\($0)") }, as: "list")
        try cache.retain(collection: "list")
        disk.faults.withLock { $0.looks = 0 }
        try cache.write(Fork("7", Fork("x"), Fork("y")))
        try cache.write(ForkLink(id: "8", left: ForkStub(id: "9")))
        for number in 0..<2_000 { try cache.write(Person(id: "\(number)", name: "", age: 0)) }
        #expect(disk.faults.withLock { $0.looks } < 2_000 * 5)
        #expect(try cache.usage().evictions > 900)
        #expect(try cache.usage().pinnedEntries == 3_003 + cache.chunkKeys().count)
    }

    @Test(
        "At random, exactly what is reachable from pins is held, as far as it fits",
        arguments: 1...9 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let budget = seed % 2 == 0 ? CacheBudget(nodes: 24) : CacheBudget(bytes: 4_500)
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: budget)
        var retained: [String: Int] = [:]
        var (refusals, released, wasComplete) = (0, 0, true)
        for step in 0..<1_500 {
            let held = try reachable(cache, Set(retained.keys)).stored
            let name = "\(Int.random(in: 0..<40, using: &generator))"
            var removed: Set<String> = []
            do throws(CacheError) {
                switch Int.random(in: 0..<20, using: &generator) {
                case 0, 1:
                    try cache.retain("Fork:\(name)")
                    retained["Fork:\(name)", default: 0] += 1
                case 2:
                    if let any = retained.keys.sorted().first {
                        try cache.release(ModelIdentifier(any))
                        retained[any, default: 0] -= 1
                        if retained[any] == 0 { retained[any] = nil }
                    }
                case 3: try cache.delete(ModelIdentifier("Fork:\(name)"))
                case 4:
                    removed = ["Fork:\(name)"]
                    try cache.evict(ModelIdentifier("Fork:\(name)"))
                case 5: try cache.write(ForkHalf(id: name, left: ForkStub(id: "\(generator.next() % 40)")))
                case 6...12:
                    let children = (0..<2).map { _ in ForkStub(id: "\(generator.next() % 40)") }
                    try cache.write(
                        ForkLink(
                            id: name, left: Bool.random(using: &generator) ? children[0] : nil,
                            right: Bool.random(using: &generator) ? children[1] : nil))
                default: try cache.write(Person(id: "\(step)", name: String(repeating: "n", count: 100), age: step))
                }
            } catch {
                try #require(error.code == .overBudget, "seed \(seed), step \(step): \(error)")
                refusals += 1
                removed = []
            }
            let lost = try reachable(cache, Set(retained.keys)).absent.intersection(held).subtracting(removed)
            let now = releases(cache)
            let isComplete = try cache.usage().holdsAllPins
            let holdsAll = now == released && isComplete && wasComplete
            wasComplete = isComplete
            released = now
            try #require(lost.isEmpty || !holdsAll, "seed \(seed), step \(step): \(lost)")
            guard step % 10 == 0 else { continue }
            try checkPins(cache)
            guard step % 50 == 0 else { continue }
            try markAgain(cache)
            try checkPins(cache)
            let reachable = try reachable(cache, Set(retained.keys)).stored
            let usage = try cache.usage()
            try #require(usage.pinnedEntries == reachable.count || !usage.holdsAllPins, "seed \(seed), step \(step)")
        }
        #expect(try cache.usage().evictions > 200 && refusals + released > 0)
    }

    /// How many records lost their marks because they did not fit.
    private func releases(_ cache: MemoryCache) -> Int {
        cache.core.writer.sync { cache.core.evictor?.pins.released.count ?? 0 }
    }

    /// The nodes that are reachable from `roots`: those that are stored, and those that are not.
    private func reachable(
        _ cache: MemoryCache, _ roots: Set<String>
    ) throws -> (stored: Set<String>, absent: Set<String>) {
        var (stored, absent): (Set<String>, Set<String>) = ([], [])
        var work = Array(roots)
        while let name = work.popLast() {
            guard !stored.contains(name), !absent.contains(name) else { continue }
            guard let record = try cache.storedRecord(.node, name) else {
                absent.insert(name)
                continue
            }
            stored.insert(name)
            work += try record.envelope.get().references.map(\.rawValue)
        }
        return (stored, absent)
    }
}

/// Makes all marks again, as an eviction does.
func markAgain<Store>(_ cache: NormalizedCache<Store>) throws {
    let evictor = try #require(cache.core.evictor)
    try cache.flush()
    _ = try cache.core.writer.sync {
        try cache.core.transact { (commit) throws(CacheError) in try commit.markAgain(evictor) }
    }
}

/// Checks that what is pinned is counted, and within what may be.
func checkPins<Store>(_ cache: NormalizedCache<Store>) throws {
    let evictor = try #require(cache.core.evictor)
    try cache.flush()
    var records: [(hash: UInt64, bytes: Int)] = []
    for kind in [StoredRecord.Kind.node, .collection, .alias] {
        try unsafe cache.forEachStoredValue(kind) { key, value in
            unsafe records.append((Evictor.hash(key), key.count + value.count))
            return true
        }
    }
    try cache.core.writer.sync {
        guard !evictor.pins.doubts.isStale else { return }
        let pinned = records.filter { evictor.pins.isMarked($0.hash) }
        try #require(evictor.pins.count == pinned.count && evictor.pins.bytes == pinned.reduce(0) { $0 + $1.bytes })
        try #require(!evictor.pins.isOver)
    }
}
