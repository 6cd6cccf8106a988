import Dispatch
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

@testable import GroveCache

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
        "At random, exactly what is reachable from pins is held, and everything else is the policy's",
        arguments: 1...9 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let budget = seed % 2 == 0 ? CacheBudget(nodes: 24) : CacheBudget(bytes: 4_500)
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: budget)
        var retained: [String: Int] = [:]
        var refusals = 0
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
            try #require(lost.isEmpty, "seed \(seed), step \(step): \(lost)")
            guard step % 10 == 0 else { continue }
            try checkIndex(cache)
            guard step % 50 == 0 else { continue }
            try markAgain(cache)
            try checkIndex(cache)
            let reachable = try reachable(cache, Set(retained.keys)).stored
            try #require(try cache.usage().pinnedEntries == reachable.count, "seed \(seed), step \(step)")
        }
        #expect(try cache.usage().evictions > 200 && refusals > 0)
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
    let index = try #require(cache.core.index)
    try cache.flush()
    _ = try cache.core.writer.sync {
        try cache.core.transact { (commit) throws(CacheError) in try commit.markAgain(index) }
    }
}

/// Checks that each record is the policy's or pinned, and that what is pinned is counted.
func checkIndex<Store>(_ cache: NormalizedCache<Store>) throws {
    let index = try #require(cache.core.index)
    // After a transaction that failed, the next one puts the index in order.
    try cache.flush()
    var records: [(hash: UInt64, bytes: Int)] = []
    for kind in [StoredRecord.Kind.node, .collection, .alias] {
        try unsafe cache.forEachStoredValue(kind) { key, value in
            unsafe records.append((EvictionIndex.hash(key), EvictionIndex.bytes(key, valueCount: value.count)))
            return true
        }
    }
    try cache.core.writer.sync {
        var (count, bytes) = (0, 0)
        for record in records {
            let isPinned = index.pins.isMarked(record.hash)
            try #require(isPinned != index.policy.contains(record.hash))
            guard isPinned else { continue }
            count += 1
            bytes += record.bytes
        }
        try #require(index.pins.count == count && index.pins.bytes == bytes)
        try #require(index.policy.count == records.count - count)
        try #require(!index.pinsTooMuch && !index.hasTooMany)
    }
}
