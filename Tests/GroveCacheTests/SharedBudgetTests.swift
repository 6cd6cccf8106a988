import Dispatch
@testable import GroveCache
import GroveMemory
import GroveModel
import StoreTesting
import Synchronization
import Testing
import TestSupport

/// What two handles with budgets of their own, as two processes have them, make of one store.
@Suite("Budgets of two handles on one store")
struct SharedBudgetTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk

    init() throws { disk = try SharedStore.Disk() }

    @Test("What one removed and the other writes again is counted by both, and by whoever opens the store next")
    func writtenAgain() throws {
        let budget = CacheBudget(bytes: 1 << 20)
        let (one, other) = (try disk.open(budget), try disk.open(budget))
        try one.write(contentsOf: (0..<1_000).map { Memo($0, 10) })
        try other.write(Memo(10, 11))
        try one.evict("Memo:3")
        try one.delete("Memo:4")
        try other.write(contentsOf: [Memo(3, 20), Memo(4, 20)])
        try one.write(Memo(11, 11))
        for cache in [one, other, try disk.open(budget)] {
            try cache.write(Memo(12, 11))
            #expect(try isCounted(cache))
        }
    }

    @Test("A store that cannot be made small enough is emptied of all but what is kept")
    func keepsWhatIsKept() throws {
        let cache = try disk.open()
        try cache.write(Memo(1, 10))
        try cache.write { tx in
            try tx.keep([3, 4], as: "pending")
            try tx.keep([5], as: "lease")
        }
        cache.close()
        // The store's own record, and what is kept.
        disk.faults.withLock { $0.mostEntriesWithinBudget = 3 }
        let limited = try disk.open(CacheBudget(bytes: 1 << 20))
        #expect(try limited.model("Memo:1", as: Memo.self) == nil)
        #expect(try limited.kept("pending") == [3, 4] && limited.kept("lease") == [5])
        try limited.write(Memo(2, 10))
        #expect(try isCounted(limited))
    }

    @Test("A store that cannot be made small enough is emptied, also if what is kept cannot be read")
    func emptiesWhatIsDamaged() throws {
        let cache = try disk.open()
        try cache.write(Memo(1, 10))
        try cache.write { tx in try tx.keep([3, 4], as: "pending") }
        cache.close()
        disk.faults.withLock { ($0.mostEntriesWithinBudget, $0.isDamaged) = (2, true) }
        let limited = try disk.open(CacheBudget(bytes: 1 << 20))
        disk.faults.withLock { $0.isDamaged = false }
        #expect(try limited.kept("pending") == nil)
        try limited.write(Memo(2, 10))
        #expect(try limited.model("Memo:2", as: Memo.self) != nil)
    }

    @Test(
        "The account is true for both, and for whoever opens the store next",
        arguments: 1...4 as ClosedRange<UInt64>)
    func lists(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let budget = CacheBudget(bytes: 60_000)
        let caches = [try disk.open(budget), try disk.open(budget)]
        for step in 0..<1_200 {
            let cache = caches[Int.random(in: 0..<2, using: &generator)]
            let number = Int.random(in: 0..<200, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: try cache.delete(ModelIdentifier("Memo:\(number)"))
            case 1: try cache.evict(ModelIdentifier("Memo:\(number)"))
            case 2: try cache.writeCollection([Memo(number, 3)], as: "list-\(number % 9)")
            default:
                try cache.write(contentsOf: (0..<10).map { Memo((number + $0) % 200, Int(generator.next() % 800)) })
            }
            guard step % 60 == 59 else { continue }
            let third = try disk.open(budget)
            for cache in caches + [third] {
                try cache.write(Memo(number, step))
                try #require(try isCounted(cache), "seed \(seed), step \(step)")
            }
            third.close()
            #expect(try disk.base.size().payloadBytes <= 60_000)
        }
        for cache in caches { #expect(try cache.usage().evictions > 100) }
    }

    @Test(
        "Handles of unequal budgets keep their own, and read the newest or nothing",
        arguments: 1...4 as ClosedRange<UInt64>)
    func unequal(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let caches = try ([60_000, 150_000] as [Int]).map { (try disk.open(CacheBudget(bytes: $0)), $0) }
        var newest: [Int: Int] = [:]
        for step in 0..<1_200 {
            let (cache, limit) = caches[Int.random(in: 0..<2, using: &generator)]
            let number = Int.random(in: 0..<300, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                try cache.delete(ModelIdentifier("Memo:\(number)"))
                newest[number] = nil
            case 1: try cache.evict(ModelIdentifier("Memo:\(number)"))
            default:
                let memos = (0..<10).map { Memo((number + $0) % 300, Int(generator.next() % 800)) }
                try cache.write(contentsOf: memos)
                for (offset, memo) in memos.enumerated() { newest[(number + offset) % 300] = memo.text.utf8.count }
                #expect(try disk.base.size().payloadBytes <= limit)
            }
            for (cache, _) in caches {
                let read = try cache.model(ModelIdentifier("Memo:\(number)"), as: Memo.self)
                #expect(read == nil || read?.text.utf8.count == newest[number], "seed \(seed), step \(step)")
            }
            guard step % 60 == 59 else { continue }
            for (cache, _) in caches {
                try cache.write(Memo(number, step % 700))
                newest[number] = step % 700
                try #require(try isCounted(cache), "seed \(seed), step \(step)")
            }
        }
        #expect(try caches[0].0.usage().evictions > 100)
    }

    @Test("What somebody without a budget wrote is counted by all who have one")
    func adopted() throws {
        let budget = CacheBudget(bytes: 1 << 20)
        let (one, other) = (try disk.open(budget), try disk.open(budget))
        try one.write(contentsOf: (0..<1_000).map { Memo($0, 10) })
        try other.write(contentsOf: (1_000..<2_000).map { Memo($0, 10) })
        try one.write(Memo(0, 11))
        for round in 0..<3 {
            let third = try disk.open(.unlimited)
            try third.write(contentsOf: (0..<20).map { Memo(5_000 + round * 20 + $0, 10) })
            third.close()
            let (first, second) = round == 1 ? (other, one) : (one, other)
            try first.write(Memo(3_000 + round, 10))
            try second.write(contentsOf: (0..<700).map { Memo(6_000 + round * 700 + $0, 10) })
            for cache in [first, second, try disk.open(budget)] {
                try cache.write(Memo(4_000, round))
                #expect(try isCounted(cache), "round \(round)")
            }
        }
        // All records can be evicted: none is stored that no handle counts.
        let heavy = try disk.open(budget)
        for number in 0..<3 {
            try heavy.write(Memo(9_000 + number, 330_000))
            #expect(try heavy.size().payloadBytes <= 1 << 20)
        }
        #expect(try heavy.usage().evictions > 1_000)
    }

    @Test("What is heavier than a handle's whole budget goes first")
    func tooHeavy() throws {
        let (large, small) = (try disk.open(CacheBudget(bytes: 1 << 20)), try disk.open(CacheBudget(bytes: 40_000)))
        try small.write(Memo(0, 10))
        try large.write(Memo(1, 50_000))
        try small.write(Memo(2, 10))
        #expect(try small.model("Memo:1", as: Memo.self) == nil)
        #expect(try small.model("Memo:0", as: Memo.self) == Memo(0, 10))
        #expect(try small.model("Memo:2", as: Memo.self) == Memo(2, 10))
    }

    /// Whether the account, as `cache` has it, equals a recount.
    private func isCounted(_ cache: Cache) throws -> Bool {
        let (usage, size) = (try cache.usage(), try disk.base.size())
        let account = try disk.base.storedState().account
        var evictable = 0
        try disk.base.read { view throws(CacheError) in
            for key in try view.keys() where unsafe key.withUnsafeBytes({ unsafe Namespace.isEvictable($0) }) {
                evictable += 1
            }
        }
        return usage.payloadBytes == size.payloadBytes && usage.entries == size.entries
            && account?.evictableEntries == evictable
    }
}
