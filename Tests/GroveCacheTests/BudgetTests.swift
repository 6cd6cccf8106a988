import GroveCache
import GroveCoding
import GroveInspect
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Budgets")
struct BudgetTests {
    @Test(
        "Accounts equal a recount after random writes, deletions and evictions", arguments: [1] as [UInt64])
    func recount(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let cache = try MemoryCache(
            directory: nil, options: MemoryOptions(), budget: CacheBudget(bytes: 60_000))
        for _ in 0..<400 {
            let number = Int.random(in: 0..<300, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: try cache.delete("Memo:\(number)")
            case 1: try cache.evict("Memo:\(number)")
            case 2: try cache.writeCollection([Memo(number, 3)], as: "list-\(number % 9)")
            default:
                try cache.write(contentsOf: (0..<20).map { Memo((number + $0) % 300, Int(generator.next() % 800)) })
            }
            let usage = try cache.usage()
            let (bytes, entries) = try stored(cache)
            try #require(usage.payloadBytes == bytes && usage.entries == entries, "seed \(seed)")
            try #require(bytes <= 60_000, "seed \(seed)")
        }
        #expect(try cache.usage().evictions > 1_000)
    }

    @Test("Accounts equal a recount: more seeds", arguments: 2...3 as ClosedRange<UInt64>)
    func slowRecount(seed: UInt64) throws { try recount(seed: seed) }

    @Test("Without a budget the account is kept too, and one who has a budget next counts nothing")
    func withoutBudget() throws {
        let disk = try SharedStore.Disk()
        let plain = try disk.open()
        try plain.write(contentsOf: (0..<200).map { Memo($0, 100) })
        try plain.delete("Memo:3")
        try plain.writeCollection((0..<300).map { Memo($0, 100) }, as: "list")
        try plain.evict("Memo:5")
        let before = try plain.usage()
        #expect(try disk.base.size().payloadBytes == before.payloadBytes)
        #expect(try disk.base.size().entries == before.entries)
        plain.close()
        let limited = try disk.open(CacheBudget(bytes: 20_000))
        try limited.write(Memo(1_000, 10))
        #expect(try limited.usage().evictions > 20)
        #expect(try disk.base.size().payloadBytes <= 20_000)
    }

    @Test("What followers and inspection read is no use of a record")
    func uses() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 100))
        try await cache.write(contentsOf: (0..<20).map { Memo($0, 1) })
        let follower = cache.followed { _ in }
        // Records come and go, but what is read meanwhile stays.
        for number in 100..<1_000 {
            try await cache.write(Memo(number, 1))
            await withCheckedContinuation { done in
                follower.readAgain { view in
                    _ = view?.model("Memo:1", as: Memo.self)
                    done.resume()
                }
            }
            _ = try cache.storedRecord(.node, "Memo:2")
            #expect(try cache.model("Memo:3", as: Memo.self) != nil)
        }
        #expect(try cache.storedRecord(.node, "Memo:1") == nil)
        #expect(try cache.storedRecord(.node, "Memo:2") == nil)
    }

    @Test("A transaction that fails leaves accounts and evictions as they were")
    func failing() throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(bytes: 30_000))
        for number in 0..<200 { try cache.write(Memo(number, 200)) }
        let before = try cache.usage()
        #expect(throws: CacheError.self) { try cache.write(contentsOf: [Memo(1_000, 10), Memo(1_001, 40_000)]) }
        let after = try cache.usage()
        #expect(after.payloadBytes == before.payloadBytes && after.entries == before.entries)
        for number in 2_000..<2_300 { try cache.write(Memo(number, 200)) }
        let (bytes, entries) = try stored(cache)
        #expect(try cache.usage().payloadBytes == bytes && cache.usage().entries == entries)
        #expect(bytes <= 30_000)
    }

    @Test("Hits and misses are counted by reason")
    func counting() throws {
        let cache = try MemoryCache()
        try cache.write(Memo(1, 1))
        try cache.delete("Memo:2")
        for number in 1...4 { _ = try cache.model(ModelIdentifier("Memo:\(number)"), as: Memo.self) }
        #expect(cache.statistics.hits == 1 && cache.statistics.misses == [.deleted: 1, .absent: 2])
        let usage = try cache.usage()
        let (bytes, entries) = try stored(cache)
        #expect(usage.payloadBytes == bytes && usage.entries == entries && usage.payloadLimit == nil)
    }

    @Test("Streams of changes tell what is evicted", .timeLimit(.minutes(1)))
    func streams() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 10))
        var changes = cache.changes().makeAsyncIterator()
        for number in 0..<30 { try await cache.write(Memo(number, 10)) }
        var evicted: Set<ModelIdentifier> = []
        while evicted.isEmpty, let set = await changes.next() { evicted = set.evictedModelIds }
        let first = try #require(evicted.first)
        let kept: Memo? = try await cache.read { try $0.read(first, as: Memo.self) }.value
        #expect(kept == nil)
        cache.close()
    }

    @Test("A second handle needs an equal budget")
    func handles() throws {
        #expect(CacheBudget(bytes: 5) == CacheBudget(bytes: 5))
        #expect(CacheBudget(bytes: 5) != CacheBudget(bytes: 5, expiresAfter: 3))
        #expect(!CacheBudget.unlimited.isLimited && CacheBudget(nodes: 1).isLimited)
    }

    @Test("A limit that is none is refused at opening, and a write of too many records says how many")
    func words() throws {
        for budget in [
            CacheBudget(bytes: 0), CacheBudget(bytes: -1), CacheBudget(nodes: 0), CacheBudget(expiresAfter: 0),
        ] {
            let error = #expect(throws: CacheError.self) {
                try MemoryCache(directory: nil, options: MemoryOptions(), budget: budget)
            }
            #expect(error?.code == .unsupported)
        }
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 3))
        let error = #expect(throws: CacheError.self) { try cache.write(contentsOf: (0..<5).map { Memo($0, 10) }) }
        #expect(error?.code == .overBudget)
        #expect(error?.message == "The write has 5 records and the budget allows 3.")
    }

    private func stored(_ cache: MemoryCache) throws -> (bytes: Int, entries: Int) {
        let size = try cache.size()
        return (size.payloadBytes, size.entries)
    }
}

/// A node of a chosen size.
struct Memo: CacheableModel, Equatable {
    let number: Int
    var text: String

    init(_ number: Int, _ count: Int) {
        self.number = number
        text = String(repeating: "n", count: count)
    }

    var modelIdentifier: ModelIdentifier? { "Memo:\(number)" }

    static let fields = FieldTable("text", "number")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(text, at: 0)
        try node.encode(number, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Memo {
        let text = try node.scan(String.self, at: 0)
        let number = try node.scan(Int.self, at: 1)
        var note = Memo(try node.finish(number), 0)
        note.text = try node.finish(text)
        return note
    }
}
