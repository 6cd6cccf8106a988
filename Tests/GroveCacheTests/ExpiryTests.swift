import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

/// Expired records are the first to go.
@Suite("Expiry")
struct ExpiryTests {
    let clock = TestClock()

    private func open(_ budget: CacheBudget) throws -> MemoryCache {
        try MemoryCache(directory: nil, options: MemoryOptions(), budget: budget, now: { [clock] in clock.now })
    }

    private func memo(_ number: Int, _ size: Int) -> Person {
        Person(id: "\(number)", name: String(repeating: "n", count: size), age: 0)
    }

    private func present(_ numbers: Range<Int>, _ cache: MemoryCache) throws -> Int {
        try numbers.count { try cache.model(ModelIdentifier("Person:\($0)"), as: Person.self) != nil }
    }

    @Test(
        "What has expired goes before what the policy would have chosen, and the change set names it",
        arguments: [CacheBudget(nodes: 100, expiresAfter: 60), CacheBudget(bytes: 26_000, expiresAfter: 60)])
    func first(budget: CacheBudget) throws {
        let cache = try open(budget)
        let size = budget.bytes == nil ? 10 : 200
        for number in 0..<50 { try cache.write(memo(number, size), confirmed: true) }
        // The policy would keep these for ever.
        for _ in 0..<10 { _ = try present(0..<50, cache) }
        clock.advance(100)
        for number in 50..<80 { try cache.write(memo(number, size), confirmed: true) }
        var evicted: Set<ModelIdentifier> = []
        for number in 80..<120 {
            evicted.formUnion(try cache.write(memo(number, size), confirmed: true).evictedModelIds)
        }
        let old = Set((0..<50).map { ModelIdentifier("Person:\($0)") })
        #expect(!evicted.isEmpty)
        #expect(evicted.isSubset(of: old))
        #expect(try present(50..<120, cache) == 70)
        #expect(try present(0..<50, cache) == 50 - evicted.count)
    }

    @Test("What was never confirmed counts as young: its age is not known")
    func unconfirmed() throws {
        let cache = try open(CacheBudget(nodes: 100, expiresAfter: 60))
        for number in 0..<50 { try cache.write(memo(number, 10)) }
        for number in 50..<80 { try cache.write(memo(number, 10), confirmed: true) }
        // An edit leaves what was confirmed the age that it had.
        for number in 50..<60 { try cache.write(memo(number, 11)) }
        clock.advance(100)
        #expect(try cache.model("Person:0", as: Person.self, maxAge: 1_000) == nil, "For a read it is too old.")
        for number in 80..<110 { try cache.write(memo(number, 10), confirmed: true) }
        #expect(try present(0..<50, cache) == 50)
        #expect(try present(80..<110, cache) == 30)
        #expect(try present(50..<80, cache) == 20)
    }

    @Test("What was confirmed since stays, and what is being written is not thrown away first")
    func confirmed() throws {
        let cache = try open(CacheBudget(nodes: 40, expiresAfter: 60))
        for number in 0..<40 { try cache.write(memo(number, 10), confirmed: true) }
        clock.advance(100)
        for number in 10..<20 { try cache.write(memo(number, 10), confirmed: true) }
        for number in 100..<130 { try cache.write(memo(number, 10), confirmed: true) }
        #expect(try present(10..<20, cache) == 10)
        #expect(try present(100..<130, cache) == 30)
        clock.advance(100)
        let before = try cache.usage().evictions
        try cache.write(contentsOf: (100..<130).map { memo($0, 10) })
        #expect(try present(100..<130, cache) == 30)
        #expect(try cache.usage().evictions == before)
    }

    @Test("What this very call confirmed does not go for what it brings")
    func confirmedNow() throws {
        let cache = try open(CacheBudget(nodes: 60, expiresAfter: 60))
        for number in 0..<60 { try cache.write(memo(number, 10), confirmed: true) }
        for _ in 0..<10 { _ = try present(0..<30, cache) }
        clock.advance(100)
        // Those that have expired are the very ones that come again, and say the same.
        for number in 30..<60 { try cache.write(memo(number, 10), confirmed: true) }
        let models = (0..<30).map { memo($0, 10) } + (100..<120).map { memo($0, 10) }
        let changes = try cache.write(contentsOf: models, confirmed: true)
        #expect(changes.evictedModelIds.count == 20)
        #expect(try present(0..<30, cache) == 30)
    }

    @Test("What is pinned stays however old it is, and so however old a read found it")
    func pinned() throws {
        let cache = try open(CacheBudget(nodes: 60, expiresAfter: 60))
        for number in 0..<60 { try cache.write(memo(number, 10), confirmed: true) }
        for number in 0..<20 { try cache.retain(ModelIdentifier("Person:\(number)")) }
        clock.advance(100)
        for number in 0..<10 {
            #expect(try cache.model(ModelIdentifier("Person:\(number)"), as: Person.self, maxAge: 50) == nil)
        }
        for number in 100..<180 { try cache.write(memo(number, 10), confirmed: true) }
        #expect(try present(0..<20, cache) == 20)
        #expect(try present(20..<60, cache) == 0)
        #expect(try cache.usage().pinnedEntries == 20)
    }

    @Test("The account equals a recount after evictions of what has expired and what has not")
    func recount() throws {
        var generator = SeededGenerator(seed: 11)
        let cache = try open(CacheBudget(bytes: 40_000, expiresAfter: 30))
        for _ in 0..<400 {
            clock.advance(Double.random(in: 0...4, using: &generator))
            let number = Int.random(in: 0..<200, using: &generator)
            try cache.write(contentsOf: (0..<10).map { memo((number + $0) % 200, Int(generator.next() % 400)) })
            _ = try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self, maxAge: 5)
            let size = try cache.size()
            let usage = try cache.usage()
            try #require(usage.payloadBytes == size.payloadBytes && usage.entries == size.entries)
            try #require(size.payloadBytes <= 40_000)
        }
        #expect(try cache.usage().evictions > 200)
    }
}
