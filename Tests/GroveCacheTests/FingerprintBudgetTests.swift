import Dispatch
import GroveMemory
import GroveModel
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import GroveCache

/// Fingerprints beside the weights of a budget's policy, and the account that is kept by them.
@Suite("Fingerprints within a budget")
struct FingerprintBudgetTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk

    init() throws { disk = try SharedStore.Disk() }

    /// A person whose record is the longer the larger `size` is.
    private func person(_ number: Int, _ size: Int) -> Person {
        Person(id: "\(number)", name: String(repeating: "x", count: size), age: size)
    }

    @Test("A batch of known nodes is written without a look, and the account knows their new lengths")
    func batch() throws {
        let cache = try disk.open(CacheBudget(bytes: 1 << 20))
        try cache.write(contentsOf: (0..<200).map { person($0, 10) })
        let people = (0..<200).map { person($0, 500 + $0) }
        #expect(try disk.looks { try cache.write(contentsOf: people) } == 0)
        try checkAccount(cache)
        let before = try cache.usage()
        #expect(try disk.looks { try cache.write(contentsOf: people) } == 200)
        #expect(try cache.usage().writtenBytes == before.writtenBytes)
        #expect(try disk.looks { try cache.write(contentsOf: people) } == 200)
        #expect(try disk.looks { try cache.write(contentsOf: (0..<200).map { person($0, 0) }) } == 0)
        try checkAccount(cache)
    }

    @Test("Where entries are counted, or the policy keeps no notes, every node is looked at")
    func withoutNotes() throws {
        for budget in [CacheBudget(nodes: 100), CacheBudget(bytes: 1 << 20, policy: LRU.self)] {
            let cache = try disk.open(budget)
            try cache.write(person(1, 10))
            #expect(try disk.looks { try cache.write(person(1, 20)) } == 1)
            cache.close()
        }
    }

    @Test("What is pinned is looked at, so that what it names is held")
    func pins() throws {
        let cache = try disk.open(CacheBudget(bytes: 1 << 20))
        let stub = ForkStub(id: "a")
        try cache.write(ForkLink(id: "r", left: stub))
        try cache.write(ForkLink(id: "r"))
        try cache.retain("Fork:r")
        try cache.write(person(1, 10))
        // Pinned, and then free again, but not known before it was looked at once more.
        #expect(try disk.looks { try cache.write(ForkLink(id: "r", left: stub, right: ForkStub(id: "b"))) } > 0)
        try checkIndex(cache)
        #expect(try cache.usage().pinnedEntries == 3)
        #expect(try disk.looks { try cache.write(person(1, 20)) } == 0)
        try cache.release("Fork:r")
        try cache.flush()
        try checkIndex(cache)
        try checkAccount(cache)
    }

    @Test("A fingerprint is noted once the transaction has committed, and only beside the weight that it left")
    func staging() throws {
        let cache = try disk.open(CacheBudget(bytes: 1 << 20))
        try cache.write(person(1, 10))
        let index = try #require(cache.core.index)
        let key = SharedStore.Disk.key("Person:1")
        try cache.core.writer.sync {
            let stored = try #require(index.policy.note(of: hash(key)))
            #expect(stored.note != 0)
            let valueCount = stored.weight - EvictionIndex.weight(keyCount: key.count, valueCount: 0)
            var known = Fingerprints(index)
            known.begin(at: StoreState())
            #expect(index.policy.note(of: hash(key))?.note == 0)
            for (count, isNoted) in [(valueCount, true), (valueCount + 1, false)] {
                unsafe key.withUnsafeBytes { bytes in
                    let node = unsafe known.node(bytes, type: 7, bytes)
                    known.stage(node, keyCount: bytes.count, valueCount: count)
                    #expect(index.policy.note(of: hash(key))?.note == 0)
                    known.commit(at: StoreState())
                    #expect((index.policy.note(of: hash(key))?.note != 0) == isNoted)
                    // The same body is not another one, nor is one of another type, or of a type without a note.
                    let body: [UInt8] = [1, 2, 3]
                    unsafe body.withUnsafeBytes { body in
                        let others = [7, 8, 0, 0xFFF, 0x1007, nil].map { (type: UInt16?) in
                            unsafe known.other(
                                than: known.node(bytes, type: type, body), keyCount: bytes.count)
                        }
                        #expect(others == [isNoted ? valueCount : nil, nil, nil, nil, nil, nil])
                    }
                    #expect(known.other(than: node, keyCount: bytes.count) == nil)
                }
            }
            // What was written twice in one transaction is as it was left, whatever it weighs.
            unsafe key.withUnsafeBytes { bytes in
                let node = unsafe known.node(bytes, type: 7, bytes)
                known.stage(node, keyCount: bytes.count, valueCount: valueCount)
                unsafe known.forget(bytes)
                known.commit(at: StoreState())
            }
            #expect(index.policy.note(of: hash(key))?.note == 0)
        }
    }

    @Test(
        "Accounts and notes agree with the store after whatever this handle and another did, and what failed",
        arguments: [1] as [UInt64])
    func recount(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let budget = CacheBudget(bytes: 100_000)
        let (cache, other) = (try disk.open(budget), try disk.open(budget))
        var written: [Int: Person] = [:]
        var unseen = 0
        for step in 0..<1_500 {
            let number = Int.random(in: 0..<200, using: &generator)
            let fork = "\(number % 12)"
            switch Int.random(in: 0..<24, using: &generator) {
            case 0:
                try cache.delete(ModelIdentifier("Person:\(number)"))
                written[number] = nil
            case 1: try cache.evict(ModelIdentifier("Person:\(number)"))
            case 2:
                disk.faults.withLock { $0.refusesWrites = true }
                #expect(throws: CacheError.self) { try cache.write(person(number, 950)) }
                disk.faults.withLock { $0.refusesWrites = false }
            case 3:
                // One of many cannot be written.
                disk.faults.withLock { $0.refusedKeys = [SharedStore.Disk.key("Person:\(number)")] }
                #expect(throws: CacheError.self) {
                    try cache.write(contentsOf: (0..<9).map { person(number - 8 + $0, 950) })
                }
                disk.faults.withLock { $0.refusedKeys = [] }
            case 4:
                let model = person(number, Int(generator.next() % 900))
                try other.write(model)
                written[number] = model
                // What others have written is noticed by the next transaction.
                continue
            case 5: try cache.retain(ModelIdentifier("Fork:\(fork)"))
            case 6: try cache.release(ModelIdentifier("Fork:\(fork)"))
            case 7: try cache.write(ForkStub(id: fork))
            case 8: try cache.write(ForkHalf(id: fork, left: ForkStub(id: "\(number % 7)")))
            case 9, 10:
                let right = number % 3 == 0 ? nil : ForkStub(id: "\(number % 5)")
                try cache.write(ForkLink(id: fork, left: ForkStub(id: "\(number % 7)"), right: right))
            default:
                let models = (0..<20).map { person((number + $0) % 200, Int(generator.next() % 900)) }
                // What has to go for them is looked at too.
                unseen += max(0, 20 - (try disk.looks { try cache.write(contentsOf: models) }))
                for (place, model) in models.enumerated() { written[(number + place) % 200] = model }
            }
            if step % 10 == 0 {
                // The transaction after one that failed, or after others', puts the index in order.
                try cache.write(person(number, step))
                written[number] = person(number, step)
                try checkAccount(cache, "seed \(seed), step \(step)")
                for number in 0..<200 {
                    let found = try cache.model(ModelIdentifier("Person:\(number)"), as: Person.self)
                    try #require(found == nil || found == written[number], "seed \(seed), step \(step)")
                }
            }
        }
        #expect(unseen > 300, "\(unseen)")
        #expect(try cache.usage().evictions > 200)
    }

    @Test("Accounts and notes agree with the store: more seeds", arguments: 2...4 as ClosedRange<UInt64>)
    func slowRecount(seed: UInt64) throws { try recount(seed: seed) }

    @Test("A second projection is never dropped, whatever was known of the first")
    func projections() throws {
        let cache = try disk.open(CacheBudget(bytes: 1 << 20))
        for round in 0..<40 {
            let left = ForkStub(id: "l\(round)")
            try cache.write(ForkLink(id: "a", left: left, right: ForkStub(id: "r\(round)")))
            if round % 2 == 0 { try cache.write(ForkHalf(id: "a", left: ForkStub(id: "l\(round + 1)"))) }
            if round % 3 == 0 { try cache.write(ForkStub(id: "a")) }
            #expect(try cache.model("Fork:a", as: ForkLink.self)?.right == ForkStub(id: "r\(round)"))
            #expect(try cache.model("Fork:a", as: ForkHalf.self) != nil)
            #expect(try cache.model("Fork:a", as: ForkStub.self) != nil)
        }
        try checkAccount(cache)
    }

    @Test("Notes go with their entries, and with their weights")
    func policy() {
        var generator = SeededGenerator(seed: 7)
        var policy = AdaptiveS3FIFO(capacity: 2_000)
        var notes: [UInt64: UInt32] = [:]
        for number in 0..<40_000 {
            let step = Step.random(&generator, capacity: 2_000)
            let victims = policy.apply(step).victims
            switch step {
            case .remove(let key): notes[key] = nil
            case .insert(let key, let weight): if weight <= 2_000 { notes[key] = nil }
            case .read(let key):
                guard let known = policy.note(of: key) else { break }
                policy.setNote(UInt32(number), of: key, weight: known.weight)
                policy.setNote(1, of: key, weight: known.weight + 1)
                notes[key] = UInt32(number)
            case .evict: break
            }
            for victim in victims { notes[victim.key] = nil }
            if number % 5_000 == 4_999 {
                policy.removeNotes()
                notes = [:]
            }
            guard number % 100 == 0 else { continue }
            var found: [UInt64: UInt32] = [:]
            policy.forEachResident { key, _ in found[key] = policy.note(of: key)?.note }
            #expect(found.filter { $0.value != 0 } == notes.filter { $0.value != 0 }, "step \(number)")
        }
        let saved = AdaptiveS3FIFO(restoring: policy.save(), capacity: 2_000)
        saved?.forEachResident { key, _ in #expect(saved?.note(of: key)?.note == 0) }
        #expect(saved != nil)
    }

    @Test("With its note a node takes less than 48 bytes of memory, what finds its key in the journal included")
    func slowMemory() throws {
        let cache = try disk.open(CacheBudget(bytes: 8_000_000))
        let index = try #require(cache.core.index)
        var worst = 0.0
        for batch in 0..<100 {
            // Every node is written twice, so that notes are there.
            for size in [1, 2] { try cache.write(contentsOf: (0..<1_000).map { person(batch * 1_000 + $0, size) }) }
            guard batch > 10, let policy = index.policy as? AdaptiveS3FIFO else { continue }
            worst = max(worst, Double(policy.bytes + index.listBytes) / Double(policy.count))
        }
        #expect(worst > 0 && worst < 48, "\(worst) bytes")
    }

    private func hash(_ key: [UInt8]) -> UInt64 { unsafe key.withUnsafeBytes { unsafe EvictionIndex.hash($0) } }

    /// Checks the account against a walk over the store, and each note's weight against the record that it is about.
    private func checkAccount(_ cache: Cache, _ comment: String = "") throws {
        let usage = try cache.usage()
        let size = try disk.base.size()
        try #require(usage.payloadBytes == size.payloadBytes && usage.entries == size.entries, "\(comment)")
        let index = try #require(cache.core.index)
        var records: [(hash: UInt64, keyCount: Int, valueCount: Int)] = []
        unsafe try cache.forEachStoredValue(.node) { key, value in
            unsafe records.append((EvictionIndex.hash(key), key.count, value.count))
            return true
        }
        let wrong = cache.core.writer.sync {
            records.count { record in
                let known = index.note(of: record.hash, keyCount: record.keyCount)
                return known.map { $0.valueCount != record.valueCount } ?? false
            }
        }
        try #require(wrong == 0, "\(comment)")
    }
}
