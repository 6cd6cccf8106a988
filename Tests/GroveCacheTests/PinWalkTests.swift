import Dispatch
import GroveMemory
import GroveModel
import Synchronization
import Testing

@testable import GroveCache

@Suite("Walks that release what is not pinned any more")
struct PinWalkTests {
    @Test("A release reads a bounded number of records in each transaction")
    func bounded() throws {
        let disk = try SharedStore.Disk()
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: disk), budget: CacheBudget(nodes: 20_000))
        try cache.writeCollection((0..<5_000).map { Fork("\($0)") }, forKey: "list")
        try cache.retain(collection: "list")
        try cache.write(Fork("x", Fork("y")))
        try cache.retain("Fork:x")
        let looks = Highest()
        disk.faults.withLock { faults in
            faults.looks = 0
            faults.beforeWrite = { [weak disk] in
                disk?.faults.withLock { faults in
                    looks.raise(to: faults.looks)
                    faults.looks = 0
                }
            }
        }
        try cache.release("Fork:x")
        try checkSettled(cache)
        #expect(looks.value > 0 && looks.value <= 600)
        #expect(try cache.usage().pinnedEntries == 5_001)
    }

    @Test("A write under a pin looks at what it names, however much is pinned beside it")
    func cost() throws {
        let disk = try SharedStore.Disk()
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: disk), budget: CacheBudget(nodes: 4_000))
        try cache.writeCollection((0..<3_000).map { Fork("\($0)") }, forKey: "list")
        try cache.retain(collection: "list")
        disk.faults.withLock { $0.looks = 0 }
        try cache.write(Fork("7", Fork("x"), Fork("y")))
        try cache.write(ForkLink(id: "8", left: ForkStub(id: "9")))
        for number in 0..<2_000 { try cache.write(Person(id: "\(number)", name: "", age: 0)) }
        #expect(disk.faults.withLock { $0.looks } < 2_000 * 5)
        #expect(try cache.usage().evictions > 900)
        #expect(try cache.usage().pinnedEntries == 3_003)
    }

    @Test(
        "At random, exactly what is reachable from pins is held, and everything else is the policy's",
        arguments: 1...9 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = Seeded(seed)
        let isSlow = seed % 3 > 0
        let budget = seed % 2 == 0 ? CacheBudget(nodes: 24) : CacheBudget(bytes: 4_500)
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: budget)
        // A walk that sees one record in each transaction meets many writes on its way.
        if isSlow { cache.core.writer.sync { cache.core.index?.pins.pace = -1_000 } }
        var retained: [String: Int] = [:]
        var refusals = 0
        for step in 0..<1_500 {
            let held = try reachable(cache, Set(retained.keys)).stored
            let name = "\(Int.random(in: 0..<40, using: &generator))"
            var removed: Set<String> = []
            do throws(CacheError) {
                switch Int.random(in: 0..<20, using: &generator) {
                case 0:
                    try cache.retain("Fork:\(name)", acrossReopening: true)
                    retained["Fork:\(name)", default: 0] |= 1
                case 1:
                    try cache.retain("Fork:\(name)")
                    retained["Fork:\(name)", default: 0] += 2
                case 2:
                    if let any = retained.keys.sorted().first {
                        let isPersistent = retained[any, default: 0] & 1 == 1
                        try cache.release(ModelIdentifier(any), acrossReopening: isPersistent)
                        retained[any, default: 0] -= isPersistent ? 1 : 2
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
            guard step % (isSlow ? 100 : 10) == 0 else { continue }
            try checkIndex(cache)
            try checkSettled(cache)
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

/// Commits until nothing is left to release.
func checkSettled<Store>(_ cache: NormalizedCache<Store>) throws {
    let index = try #require(cache.core.index)
    for _ in 0..<10_000 {
        try cache.flush()
        if cache.core.writer.sync(execute: { !index.pins.isReleasing }) { return }
    }
    Issue.record("A release does not end.")
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

/// The highest number that it was told.
private final class Highest: Sendable {
    private let state = Mutex(0)
    var value: Int { state.withLock { $0 } }
    func raise(to number: Int) { state.withLock { $0 = max($0, number) } }
}
