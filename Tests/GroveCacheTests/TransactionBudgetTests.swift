import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Transactions within a budget")
struct TransactionBudgetTests {
    private func people(_ numbers: Range<Int>, _ count: Int, age: Int = 0) -> [Person] {
        numbers.map { Person(id: "\($0)", name: String(repeating: "n", count: count), age: age) }
    }

    @Test("A transaction reads what it has written, deleted and found", arguments: 1...20 as ClosedRange<UInt64>)
    func reads(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let cache = try MemoryCache(budget: CacheBudget(bytes: 4_000_000))
        var truth: [String: Person] = [:]
        func check(_ all: [Person]?, _ what: String) throws {
            let sorted = truth.values.sorted {
                "Person:\($0.id)".utf8.lexicographicallyPrecedes("Person:\($1.id)".utf8)
            }
            try #require(all == sorted, "seed \(seed), \(what)")
        }
        for round in 0..<12 {
            try cache.write { tx in
                for step in 0..<20 {
                    let number = Int.random(in: 0..<60, using: &random)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0:
                        try tx.delete(ModelIdentifier("Person:\(number)"))
                        truth["\(number)"] = nil
                    case 1: try check(Array(tx.models(Person.self)), "round \(round), step \(step)")
                    case 2:
                        #expect(
                            try tx.model(ModelIdentifier("Person:\(number)"), as: Person.self) == truth["\(number)"])
                    default:
                        let person = Person(id: "\(number)", name: "\(round)", age: step)
                        try tx.write(person)
                        truth[person.id] = person
                    }
                }
                // A prefix of which nothing is stored, and one that ends in the middle.
                try tx.writeCollection(Array(truth.values.prefix(5)), as: "list")
                #expect(try tx.collection("list", of: Person.self)?.count == min(truth.count, 5))
            }
            try check(try cache.read { view in Array(try view.models(Person.self)) }, "after round \(round)")
        }
    }

    @Test("What stays as it is counts nothing, and a node that is written twice counts once")
    func unchanged() throws {
        let cache = try MemoryCache(budget: CacheBudget(bytes: 2_000_000))
        let all = people(0..<600, 1_000)
        for _ in 0..<3 {
            try cache.write { tx in for _ in 0..<4 { for person in all { try tx.write(person) } } }
        }
        try cache.write { tx in _ = try tx.writeCollection(people(1_000..<2_000, 20), as: "list") }
        #expect(try cache.collection("list", of: Person.self)?.count == 1_000)
        let error = #expect(throws: CacheError.self) {
            try cache.write { tx in for person in people(3_000..<5_000, 1_000) { try tx.write(person) } }
        }
        #expect(error?.code == .overBudget)
        #expect(error?.message.contains("1000000 bytes") == true, "\(error?.message ?? "")")
        #expect(try cache.model("Person:3000", as: Person.self) == nil)
        #expect(try cache.model("Person:5", as: Person.self) == all[5])
    }

    @Test("A transaction that needs room takes the place of others, and of nothing that it wrote or named")
    func largeOne() throws {
        let cache = try MemoryCache(budget: CacheBudget(bytes: 2_000_000))
        try cache.writeCollection(people(0..<300, 100), as: "list")
        for page in 0..<40 { try cache.write(contentsOf: people(page * 100 + 1_000..<page * 100 + 1_100, 1_000)) }
        let new = people(10_000..<10_700, 1_000, age: 1)
        try cache.write { tx in
            _ = try tx.model("Person:1", as: Person.self)
            if try tx.count(ofCollection: "list") != nil { _ = try tx.append(new, toCollection: "list") }
            for person in new { try tx.write(person) }
        }
        for person in new {
            #expect(try cache.model(ModelIdentifier("Person:\(person.id)"), as: Person.self) == person)
        }
        #expect(try cache.usage().payloadBytes ?? 0 <= 2_000_000)
    }

    @Test("What is written again once there is room, or given up, counts once as written, or not at all")
    func writtenBytes() throws {
        struct GivenUp: Error {}
        let cache = try MemoryCache(budget: CacheBudget(bytes: 2_000_000))
        for page in 0..<40 { try cache.write(contentsOf: people(page * 100..<page * 100 + 100, 1_000)) }
        let before = try cache.usage()
        try cache.write { tx in for person in people(10_000..<10_600, 1_000) { try tx.write(person) } }
        let after = try cache.usage()
        #expect((600_000..<700_000).contains(after.writtenBytes - before.writtenBytes))
        #expect(after.evictedBytes - before.evictedBytes < 1_000_000)
        #expect(throws: GivenUp.self) {
            try cache.write { tx in
                for person in people(20_000..<20_100, 1_000) { try tx.write(person) }
                throw GivenUp()
            }
        }
        #expect(try cache.usage().writtenBytes == after.writtenBytes)
    }

    @Test("If another process writes while room is made for a transaction, nothing of it is stored")
    func conflict() throws {
        let disk = try SharedStore.Disk()
        let budget = CacheBudget(bytes: 2_000_000)
        let (one, other) = (try disk.open(budget), try disk.open(budget))
        for page in 0..<40 { try one.write(contentsOf: people(page * 100..<page * 100 + 100, 1_000)) }
        let writes = Mutex(0)
        let error = #expect(throws: CacheError.self) {
            try one.write { tx in
                for person in people(10_000..<10_600, 1_000) { try tx.write(person) }
                disk.faults.withLock { faults in
                    faults.beforeWrite = {
                        let count = writes.withLock { count in
                            count += 1
                            return count
                        }
                        guard count == 1 else { return }
                        disk.faults.withLock { $0.beforeWrite = nil }
                        _ = try? other.write(Person(id: "other", name: "", age: 0))
                    }
                }
            }
        }
        #expect(error?.code == .cancelled)
        #expect(writes.withLock { $0 } == 1)
        #expect(try other.model("Person:other", as: Person.self) != nil)
        #expect(try one.model("Person:10000", as: Person.self) == nil)
        try one.write { tx in for person in people(10_000..<10_600, 1_000) { try tx.write(person) } }
        #expect(try other.model("Person:10000", as: Person.self) != nil)
    }

    /// How many records each namespace has.
    private func counts(_ cache: MemoryCache) throws -> [UInt8: Int] {
        try cache.withStoreView { (view) throws(CacheError) in
            var counts: [UInt8: Int] = [:]
            try unsafe view.scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) { key, _ in
                unsafe counts[key[0], default: 0] += 1
                return true
            }
            return counts
        }
    }

    @Test("A part of a list that is evicted is named as a gap, and the head goes after its parts")
    func gaps() throws {
        let cache = try MemoryCache(budget: CacheBudget(nodes: 100))
        let ann = Person(id: "0", name: "Ann", age: 0)
        for round in 0..<4 {
            try cache.writeCollection(Array(repeating: ann, count: 1_000), as: "list")
            var before = try counts(cache)
            #expect(before[Namespace.chunk] ?? 0 >= 8)
            #expect(before[Namespace.listName] == 1)
            var steps = 0
            while before[Namespace.collection] != nil, steps < 2_000 {
                steps += 1
                let new = people(10_000 * round + steps * 4..<10_000 * round + steps * 4 + 4, 10)
                let set = try cache.write(contentsOf: new)
                let now = try counts(cache)
                let isSmaller = now[Namespace.chunk] != before[Namespace.chunk]
                let isGone = now[Namespace.collection] == nil
                #expect(set.evictedCollectionKeys == (isSmaller || isGone ? ["list"] : []), "step \(steps)")
                if isGone { #expect(now[Namespace.chunk] == nil && now[Namespace.listName] == nil) }
                before = now
            }
            #expect(before[Namespace.collection] == nil, "round \(round)")
        }
    }
}
