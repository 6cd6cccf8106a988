import GroveCache
import GroveModel
import Synchronization

/// RCN: a tree is whole, or it is a miss.
enum ReconstructionRules {
    static let all = [
        whole, required, optional, element, storedNil, cycles, diamonds, doubleDiamond, depth, reasons, reentrant,
    ]

    static let whole = Rule(
        "RCN-01",
        "Whole trees round-trip equal: optionals, arrays, dictionaries, enums with payloads, nested optionals.",
        because: "A tree that comes back different is a lie.", kills: ["neighbours-value"]
    ) { trial in
        let cache = try trial.cache()
        let kinds = [Kind.plain, .poll(choices: -3), .event(place: "", host: Person(id: "Person:h"))]
        let notes: [String??] = [.none, .some(.none), .some(.some("")), .some(.some("x"))]
        for (index, kind) in kinds.enumerated() {
            for (second, note) in notes.enumerated() {
                var message = Message.full("Message:\(index)/\(second)", salt: index)
                message.kind = kind
                message.note = note
                if second == 0 { (message.sender, message.readers, message.mentions) = (nil, [], [:]) }
                try cache.write(message)
                try trial.expectHit(
                    try cache.read(ModelIdentifier(message.id), as: Message.self), message,
                    "a tree of kind \(index) with note \(second)")
            }
        }
        let shelf = Shelf(
            id: "Shelf:1", top: nil,
            letters: (0..<5).map { Letter(id: "Letter:\($0)", author: Person(id: "Person:\($0 % 2)")) })
        try cache.write(shelf)
        try trial.expectHit(try cache.read("Shelf:1", as: Shelf.self), shelf, "a tree of three levels")
    }

    static let required = Rule(
        "RCN-02", "Missing required child: miss.",
        because: "There is no value to invent.", requires: [.normalizes, .evict],
        kills: ["remove-forgotten", "missing-is-deleted"]
    ) { trial in
        let cache = try trial.cache()
        let letter = Letter(id: "Letter:1", author: Person(id: "Person:1"))
        try cache.write(letter)
        try cache.evict("Person:1")
        try trial.expectMiss(
            try cache.read("Letter:1", as: Letter.self), .absent, "Person:1", "a tree whose required child is missing")
        try cache.write(Person(id: "Person:1"))
        try trial.expectHit(try cache.read("Letter:1", as: Letter.self), letter, "the tree after the child came back")
    }

    static let optional = Rule(
        "RCN-03", "Missing optional child: miss, never nil.",
        because: "Forgotten is not the same as none.", requires: [.normalizes, .evict], kills: ["missing-is-deleted"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Message.full("Message:1"))
        try cache.write(Message(id: "Message:2", sender: Person(id: "Person:2")))
        try cache.write(Message(id: "Message:3", stamp: Stamp(at: 1, by: Person(id: "Person:2"))))
        try cache.evict("Person:2")
        try trial.expectMiss(
            try cache.read("Message:2", as: Message.self), .absent, "Person:2", "a tree whose optional child is missing"
        )
        try trial.expectMiss(
            try cache.read("Message:3", as: Message.self), .absent, "Person:2",
            "a tree whose inline model's optional child is missing")
        try trial.expectHit(
            try cache.read("Message:1", as: Message.self), Message.full("Message:1"), "a tree that lacks nothing")
    }

    static let element = Rule(
        "RCN-04", "Missing array element: miss, never shorter.",
        because: "A shorter list looks like one that was edited.", requires: [.normalizes, .evict],
        kills: ["missing-is-deleted"]
    ) { trial in
        let cache = try trial.cache()
        let people = (0..<5).map { Person(id: "Person:\($0)") }
        try cache.write(Message(id: "Message:1", readers: people))
        try cache.write(Message(id: "Message:2", mentions: ["a": people[1], "b": people[3]]))
        try cache.evict("Person:3")
        try trial.expectMiss(
            try cache.read("Message:1", as: Message.self), .absent, "Person:3", "a tree whose list misses an element")
        try trial.expectMiss(
            try cache.read("Message:2", as: Message.self), .absent, "Person:3", "a tree whose dictionary misses a value"
        )
    }

    static let storedNil = Rule(
        "RCN-05", "A stored nil reads nil, distinct from missing.",
        because: "None is an answer.", requires: [.evict], kills: ["ignores-nothing"]
    ) { trial in
        let cache = try trial.cache()
        let message = Message(id: "Message:1", sender: nil)
        try cache.write(Message(id: "Message:1", sender: Person(id: "Person:1")))
        try cache.write(message)
        try cache.evict("Person:1")
        try trial.expectHit(try cache.read("Message:1", as: Message.self), message, "a tree whose child was set to nil")
        try cache.write(Person(id: "Person:2", age: 5))
        try cache.write(Person(id: "Person:2", age: nil))
        try trial.expectHit(
            try cache.read("Person:2", as: Person.self), Person(id: "Person:2", age: nil), "a value that was set to nil"
        )
    }

    static let cycles = Rule(
        "RCN-06", "Cycles and self-references end in a typed error, promptly.",
        because: "A reader that follows them never returns.", requires: [.normalizes], kills: ["errors-are-misses"],
        timeLimit: .seconds(30)
    ) { trial in
        let cache = try trial.cache()
        func link(_ from: String, _ to: String) throws { try cache.write(TwinLink(id: from, left: TwinName(id: to))) }
        try cache.write(Twin("Twin:self", right: Twin("Twin:leaf")))
        try link("Twin:self", "Twin:self")
        try trial.expectError(.cycle, from: "a read of a node that holds itself") {
            try cache.read("Twin:self", as: Twin.self)
        }
        for length in [2, 3, 100, 500] {
            for index in 0..<length { try cache.write(Twin("Twin:\(length)/\(index)")) }
            for index in 0..<length { try link("Twin:\(length)/\(index)", "Twin:\(length)/\((index + 1) % length)") }
            try trial.expectError(.cycle, from: "a read of a ring of \(length) nodes") {
                try cache.read("Twin:\(length)/0", as: Twin.self)
            }
        }
        try cache.write(Twin("Twin:outside", left: Twin("Twin:between")))
        try link("Twin:between", "Twin:3/1")
        try trial.expectError(.cycle, from: "a read of a node that leads to a ring") {
            try cache.read("Twin:outside", as: Twin.self)
        }
        try trial.expectHit(try cache.read("Twin:leaf", as: Twin.self), "a node beside the rings")
    }

    static let diamonds = Rule(
        "RCN-07", "Diamonds are not cycles.",
        because: "One person may be sender and reader.", kills: ["gives-once"]
    ) { trial in
        let cache = try trial.cache()
        let shared = Twin("Twin:4", left: Twin("Twin:5"))
        try cache.write(
            Twin("Twin:1", left: Twin("Twin:2", left: shared), right: Twin("Twin:3", left: shared, right: shared)))
        let read = try trial.expectHit(try cache.read("Twin:1", as: Twin.self), "a diamond")
        for node in [read.left?.left, read.right?.left, read.right?.right] {
            try trial.expectEqual(node?.id, "Twin:4", "the node at the diamond's foot")
            try trial.expectEqual(node?.left?.id, "Twin:5", "the node below it")
        }
        try trial.expectEqual(read.left?.right?.id, nil, "a child that is nil")
    }

    static let doubleDiamond = Rule(
        "RCN-08", "A 40-level double diamond (2^40 paths) reads in time linear in nodes.",
        because: "Shared nodes are ordinary; paths multiply.", requires: [.storedBytes], kills: ["gives-once"],
        timeLimit: .seconds(20)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        for level in 1...40 {
            let below = Twin("Twin:\(level + 1)")
            try cache.write(Twin("Twin:\(level)", left: below, right: below))
        }
        let before = site.interceptor.counts.gets
        var node: Twin? = try trial.expectHit(try cache.read("Twin:1", as: Twin.self), "the diamond")
        let gets = site.interceptor.counts.gets - before
        try trial.expect(gets <= 41 * 4, "the look-ups of 41 nodes: expected at most 164, got \(gets).")
        for level in 1...41 {
            try trial.expectEqual(node?.id, "Twin:\(level)", "the node of level \(level) along one path")
            try trial.expectEqual(node?.right?.id, node?.left?.id, "the other child of level \(level)")
            node = level % 2 == 0 ? node?.left : node?.right
        }
        try trial.expect(node == nil, "the path: expected it to end at level 41, got another node.")
    }

    static let depth = Rule(
        "RCN-09",
        "1,000 identified levels write, read and release on a 512 KB stack; past it a typed error, on write and on read.",
        because: "An application's threads have small stacks, and an overflow ends the process.",
        requires: [.typedCalls],
        kills: ["swallows-failures"]
    ) { trial in
        let cache = try trial.cache()
        try Threads.run(stackSize: 512 << 10) {
            guard let chain = Twin.chain(1_000) else { return }
            try cache.write(chain)
            let read = try trial.expectHit(try cache.read("Twin:1", as: Twin.self), "a chain of 1,000 levels")
            try trial.expectEqual(read.depth, 1_000, "the levels of the chain")
        }
        try Threads.run(stackSize: 512 << 10) {
            guard let longer = Twin.chain(1_001, "Longer:") else { return }
            try trial.expectError(.tooDeep, from: "a write of 1,001 levels") { try cache.write(longer) }
        }
        try trial.expectMiss(
            try cache.read("Longer:1", as: Twin.self), .absent, "Longer:1", "a node of the tree that was refused")
        try cache.write(Twin("Twin:0"))
        try cache.write(TwinLink(id: "Twin:0", left: TwinName(id: "Twin:1")))
        try Threads.run(stackSize: 512 << 10) {
            try trial.expectError(.tooDeep, from: "a read of 1,001 levels") { try cache.read("Twin:0", as: Twin.self) }
        }
        try trial.expectHit(try cache.read("Twin:500", as: Twin.self), "a chain of 501 levels")
    }

    static let reasons = Rule(
        "RCN-10", "A miss says why, and names the missing identifier.",
        because: "Without it nobody can tell eviction from a defect.", requires: [.evict, .observer],
        kills: ["gives-no-reason"]
    ) { trial in
        let observer = RecordingObserver()
        let cache = try trial.site().open(observer: observer)
        try cache.write(Shelf(id: "Shelf:1", letters: [Letter(id: "Letter:1", author: Person(id: "Person:1"))]))
        try cache.write(Letter(id: "Letter:2", author: Person(id: "Person:2")))
        try cache.evict("Person:1")
        try cache.delete("Person:2")
        try cache.write(Company(id: "Person:3"))
        try cache.write(Letter(id: "Letter:4", author: Person(id: "Person:4")))
        try cache.write(PersonWithNumber(id: "Person:4"))
        let letter = Letter.self
        try trial.expectMiss(
            try cache.read("Shelf:1", as: Shelf.self), .absent, "Person:1", "a tree that lost a node two levels down")
        try trial.expectMiss(
            try cache.read("Letter:2", as: letter), .deleted, "Person:2", "a tree whose required child was deleted")
        try trial.expectMiss(
            try cache.read("Person:3", as: Person.self), .otherType, "Person:3", "a record of another type")
        try trial.expectMiss(
            try cache.read("Letter:4", as: letter), .otherShape, "Person:4", "a tree with a child of another shape")
        try trial.expectMiss(try cache.read("Person:9", as: Person.self), .absent, "Person:9", "a node never written")
        try trial.expect(
            observer.wait { $0.misses.count == 5 },
            "the observer: expected to hear of five misses, heard \(observer.misses).")
    }

    static let reentrant = Rule(
        "RCN-11", "A model's initialiser that calls back into the same cache gets `.reentrant`, not a deadlock.",
        because: "It runs inside a read view.", requires: [.typedCalls], kills: ["errors-are-misses"],
        timeLimit: .seconds(15)
    ) { trial in
        let (cache, other) = (try trial.cache(), try trial.cache())
        let id = "Caller:\(trial.seed)/\(ObjectIdentifier(trial).hashValue)"
        try cache.write(Caller(id: id))
        try other.write(Person(id: "Person:1"))
        let answers = Answer<[CacheError.Code?]>()
        let elsewhere = Answer<Bool>()
        @Sendable func code(_ call: () throws -> Void) -> CacheError.Code? {
            do { try call() } catch { return (error as? CacheError)?.code }
            return nil
        }
        let calls: @Sendable () -> Void = {
            answers.take(
                [
                    code { _ = try cache.read("Person:1", as: Person.self) },
                    code { try cache.write(Person(id: "Person:1")) },
                    code { try cache.delete("Person:1") },
                ], nil)
            elsewhere.take((try? other.read("Person:1", as: Person.self).value) != nil, nil)
        }
        Caller.calls.withLock { $0[id] = calls }
        defer { Caller.calls.withLock { $0[id] = nil } }
        try trial.expectHit(try cache.read(ModelIdentifier(id), as: Caller.self), Caller(id: id), "the outer read")
        try trial.expectEqual(
            try answers.wait(), [.reentrant, .reentrant, .reentrant],
            "what a read, a write and a deletion inside it throw")
        try trial.expect(try elsewhere.wait(), "a read of another cache inside it: expected a hit, got none.")
    }
}
