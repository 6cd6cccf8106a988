@testable import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

/// What a process knows of nodes, and that it never relies on it wrongly.
@Suite("Fingerprints")
struct FingerprintTests {
    typealias Cache = NormalizedCache<SharedStore>

    /// In a table of their own, and beside the weights of a policy.
    static let budgets = [CacheBudget.unlimited, CacheBudget(bytes: 1 << 20)]

    let disk: SharedStore.Disk
    let ann = Person(id: "1", name: "Ann", age: 30)
    let older = Person(id: "1", name: "Ann", age: 31)

    init() throws {
        disk = try SharedStore.Disk()
    }

    @Test(
        "A known node that changed is written without a look; an unknown or unchanged one is looked at",
        arguments: budgets)
    func unseen(budget: CacheBudget) throws {
        let cache = try disk.open(budget)
        #expect(try disk.looks { try cache.write(ann) } == 1)
        var changes: ChangeSet?
        #expect(try disk.looks { changes = try cache.write(older) } == 0)
        #expect(changes?.changedModelIds == ["Person:1"])
        #expect(try disk.looks { changes = try cache.write(older) } == 1)
        #expect(changes?.changedModelIds.isEmpty == true)
        #expect(try cache.model("Person:1", as: Person.self) == older)
        let messages = [ann, older].map { Message(id: "\($0.age)", text: "", sender: $0) }
        #expect(try disk.looks { try cache.write(contentsOf: messages) } == 3)
        #expect(try cache.model("Person:1", as: Person.self) == older)
    }

    @Test("What another process wrote is looked at", arguments: budgets)
    func foreign(budget: CacheBudget) throws {
        let cache = try disk.open(budget)
        try cache.write(ForkStub(id: "a"))
        let other = try disk.open(budget)
        try other.write(ForkLink(id: "a", left: ForkStub(id: "b")))
        try cache.write(ForkLink(id: "a", right: ForkStub(id: "c")))
        #expect(try cache.model("Fork:a", as: ForkStub.self) == ForkStub(id: "a"))
        try cache.write(ann)
        try other.delete("Person:1")
        try cache.write(Message(id: "34", text: "Hello", sender: older))
        #expect(try other.model("Message:34", as: Message.self)?.sender == older)
    }

    @Test(
        "Another projection, a deletion, an eviction, a wipe, a failed write and others' writes make a node unknown",
        arguments: budgets)
    func forgetting(budget: CacheBudget) throws {
        let cache = try disk.open(budget)
        func expectLook(_ what: String, _ change: () throws -> Void) throws {
            try cache.write(ann)
            try cache.write(older)
            try change()
            #expect(try disk.looks { try cache.write(Person(id: "1", name: what, age: 1)) } == 1, "\(what)")
            #expect(try cache.model("Person:1", as: Person.self)?.name == what)
        }
        try expectLook("deleted") { try cache.delete("Person:1") }
        try expectLook("evicted") { try cache.evict("Person:1") }
        try expectLook("wiped") { try cache.wipe() }
        try expectLook("failed") {
            disk.faults.withLock { $0.refusesWrites = true }
            #expect(throws: CacheError.self) { try cache.write(ann) }
            disk.faults.withLock { $0.refusesWrites = false }
        }
        try expectLook("suspended") {
            try cache.suspend()
            try disk.open(budget).write(Person(id: "2", name: "Ben", age: 1))
            try cache.resume()
            // What looks at others' records for the account.
            try cache.write(Person(id: "2", name: "Ben", age: 2))
        }
        try expectLook("with the same number") {
            try disk.base.write { (transaction) throws(CacheError) in
                var state = try StoreState(transaction)
                state.note(state.session ^ 1, upTo: 0)
                try state.write(transaction)
            }
        }
        try expectLook("with another account") {
            // As somebody leaves it who evicts and does nothing else.
            try disk.base.write { (transaction) throws(CacheError) in
                var state = try StoreState(transaction)
                state.account?.payloadBytes += budget.bytes == nil ? 0 : 1
                state.note(state.session ^ (budget.bytes == nil ? 1 : 0), upTo: 0)
                try state.write(transaction)
            }
        }
        try cache.write(ForkStub(id: "a"))
        // Once more where the other projection's shape was fetched in between.
        #expect(try disk.looks { try cache.write(ForkHalf(id: "a")) } == 2)
        #expect(try disk.looks { try cache.write(ForkHalf(id: "a", left: ForkStub(id: "l"))) } == 2)
        #expect(try cache.model("Fork:a", as: ForkStub.self) == ForkStub(id: "a"))
    }

    @Test("A node that follows a deletion is looked at, so that the deletion is not forgotten", arguments: budgets)
    func afterDeletion(budget: CacheBudget) throws {
        let cache = try disk.open(budget)
        try cache.write(Message(id: "34", text: "Hello", sender: Person(id: "2", name: "Ben", age: 1), editor: ann))
        try cache.delete("Person:1")
        try cache.write(ann)
        #expect(try disk.looks { try cache.write(older) } == 1)
        #expect(try cache.model("Message:34", as: Message.self)?.editor == nil)
    }

    @Test("The table agrees with a dictionary, and takes less than 48 bytes a key", arguments: [0, 1, 2, 3])
    func table(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var table = FingerprintTable()
        var model: [UInt64: UInt64] = [:]
        #expect(table.byteCount == 0)
        for _ in 0..<20_000 {
            // Few distinct low bits, so that runs of slots grow long.
            let key = UInt64.random(in: 0..<6_000, using: &random) &* (seed == 0 ? 1 : 0x0101_0000_0000_0101)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                table.remove(key)
                model[max(key, 1)] = nil
            default:
                let value = UInt64.random(in: .min ... .max, using: &random)
                table.set(key, value)
                model[max(key, 1)] = value
            }
            #expect(table.find(key) == model[max(key, 1)])
        }
        #expect(table.count == model.count)
        for (key, value) in model { #expect(table.find(key) == value) }
        var large = FingerprintTable()
        for number in 1...100_000 {
            large.set(UInt64.random(in: .min ... .max, using: &random), 1)
            if number >= 1_000 { #expect(large.byteCount < 48 * number) }
        }
        large.removeAll()
        #expect(large.byteCount == 0)
    }
}
