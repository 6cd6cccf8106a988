import GroveCache
import GroveModel
import Synchronization

/// TXN: several calls as one commit, and several reads of one moment.
enum TransactionRules {
    static let all = [whole, isolated, once, oneMoment, transfers, byType, budget, updates]

    /// What a rule throws in a transaction.
    private struct Stop: Error {}

    private static func people(_ names: ClosedRange<Int>, age: Int? = nil) -> [Person] {
        names.map { Person(id: "Person:\($0)", age: age) }
    }

    static let whole = Rule(
        "TXN-01", "A transaction that throws leaves nothing, and one that returns leaves all.",
        because: "Half of a change is a lie.", requires: [.typedCalls], kills: ["transaction-in-pieces"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(contentsOf: people(1...2, age: 1))
        var wasThrown = false
        do {
            try cache.transact { transaction in
                try transaction.write(contentsOf: people(1...3, age: 2))
                try transaction.delete("Person:2")
                try transaction.writeCollection(people(1...3, age: 2), forKey: "all")
                throw Stop()
            }
        } catch is Stop {
            wasThrown = true
        }
        try trial.expect(wasThrown, "what the transaction threw: expected it from the call, got something else.")
        try trial.expectHit(try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 1), "Person:1")
        try trial.expectHit(try cache.read("Person:2", as: Person.self), Person(id: "Person:2", age: 1), "Person:2")
        try trial.expectMiss(try cache.read("Person:3", as: Person.self), .absent, "Person:3", "what it wrote")
        try trial.expectMiss(
            try cache.readCollection("all", as: Person.self), .absent, "all", "the collection that it wrote")
        try cache.transact { transaction in
            try transaction.write(contentsOf: people(1...3, age: 2))
            try transaction.delete("Person:2")
            try transaction.writeCollection(people(1...3, age: 2).filter { $0.id != "Person:2" }, forKey: "all")
        }
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self),
            ReadElements([Person(id: "Person:1", age: 2), Person(id: "Person:3", age: 2)]), "the collection afterwards")
        try trial.expectMiss(try cache.read("Person:2", as: Person.self), .deleted, "Person:2", "what it deleted")
    }

    static let isolated = Rule(
        "TXN-02", "A transaction sees its own writes, and no other caller sees them before its commit.",
        because: "What is not committed may never be.", requires: [.typedCalls], kills: ["transaction-in-pieces"]
    ) { trial in
        // What may be forgotten, or fail, at any moment is not seen whole.
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let cache = try trial.cache()
        try cache.write(contentsOf: people(1...2, age: 1))
        try cache.transact { transaction in
            try transaction.write(contentsOf: [Person(id: "Person:1", age: 2)])
            try transaction.writeCollection(people(1...2, age: 2), forKey: "all")
            try transaction.delete("Person:2")
            try trial.expectHit(
                try transaction.readCollection("all", as: Person.self), ReadElements([Person(id: "Person:1", age: 2)]),
                "the collection inside the transaction")
            try trial.expectMiss(
                try transaction.read("Person:2", as: Person.self), .deleted, "Person:2", "what was deleted, inside it")
            let other = Threads.start { () -> [CacheRead<Person>] in
                [try cache.read("Person:1", as: Person.self), try cache.read("Person:2", as: Person.self)]
            }
            let seen = try other.wait() ?? []
            try trial.expectEqual(
                seen, people(1...2, age: 1).map { .hit($0) }, "what another thread reads before the commit")
        }
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 2), "what it reads after it")
    }

    static let once = Rule(
        "TXN-03", "A transaction runs once, after everything that was queued before.",
        because: "A counter that is read and written must count each call.", requires: [.typedCalls],
        kills: ["transaction-runs-twice"]
    ) { trial in
        let cache = try trial.cache()
        for round in 1...20 {
            cache.setModel(Person(id: "Person:1", age: round), forKey: "Person:1", context: nil)
            var runs = 0
            try cache.transact { transaction in
                runs += 1
                let age = try transaction.read("Person:1", as: Person.self).value?.age ?? -100
                try transaction.write(contentsOf: [Person(id: "Person:1", age: age + 1_000)])
            }
            try trial.expectEqual(runs, 1, "how often the body ran")
            try trial.expectHit(
                try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: round + 1_000), "the count")
        }
    }

    static let oneMoment = Rule(
        "TXN-04", "All reads of a view are of one moment.",
        because: "A page that is read in two calls must not mix two days.", requires: [.typedCalls],
        kills: ["view-of-many-moments"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(contentsOf: people(1...3, age: 1))
        cache.setModel(Person(id: "Person:3", age: 2), forKey: "Person:3", context: nil)
        try cache.view { view in
            try trial.expectHit(
                try view.read("Person:3", as: Person.self), Person(id: "Person:3", age: 2), "what was queued")
            let writer = Threads.start { () -> Bool in
                try cache.write(contentsOf: people(1...2, age: 9))
                try cache.delete("Person:3")
                return true
            }
            _ = try writer.wait()
            try trial.expectHit(
                try view.read("Person:1", as: Person.self), Person(id: "Person:1", age: 1), "after a commit elsewhere")
            try trial.expectEqual(
                try view.models(Person.self).map(\.age), [1, 1, 2], "all of the type after a commit elsewhere")
        }
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 9), "a read after the view")
    }

    static let transfers = Rule(
        "TXN-05", "Transactions of several threads happen one after the other, and views see whole ones.",
        because: "What several screens change together must add up.", requires: [.typedCalls],
        kills: ["transaction-in-pieces"]
    ) { trial in
        // What may be forgotten, or fail, at any moment is not seen whole.
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let cache = try trial.cache()
        let accounts = 4
        try cache.write(contentsOf: people(1...accounts, age: 100))
        func sum(_ view: any ConformanceView) throws -> Int {
            try (1...accounts).reduce(0) {
                $0 + (try view.read(ModelIdentifier("Person:\($1)"), as: Person.self).value?.age ?? 0)
            }
        }
        let callers = (0..<3).map { caller in
            var random = SeededGenerator(seed: trial.seed &+ UInt64(caller), for: trial.ruleID)
            let steps = (0..<300).map { _ in
                (Int.random(in: 1...accounts, using: &random), Int.random(in: 1...accounts, using: &random))
            }
            return Threads.start { () -> Bool in
                for (from, to) in steps where from != to {
                    try cache.transact { transaction in
                        let (source, target) = (ModelIdentifier("Person:\(from)"), ModelIdentifier("Person:\(to)"))
                        guard var giver = try transaction.read(source, as: Person.self).value else { return }
                        giver.age = (giver.age ?? 0) - 1
                        try transaction.write(contentsOf: [giver])
                        guard var taker = try transaction.read(target, as: Person.self).value else { return }
                        taker.age = (taker.age ?? 0) + 1
                        try transaction.write(contentsOf: [taker])
                    }
                }
                return true
            }
        }
        for _ in 0..<60 {
            try cache.view { view in try trial.expectEqual(try sum(view), 100 * accounts, "the sum in a view") }
        }
        for caller in callers { _ = try caller.wait(seconds: 60) }
        try cache.transact { transaction in
            try trial.expectEqual(try sum(transaction), 100 * accounts, "the sum in the end")
        }
    }

    static let byType = Rule(
        "TXN-06", "All models of a type are those, in the order of their identifiers, and no others.",
        because: "A list of all messages that leaves one out is a shorter list.", requires: [.typedCalls],
        kills: ["lists-all-but-one"]
    ) { trial in
        // What may be forgotten, or fail, at any moment is not seen whole.
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let cache = try trial.cache()
        var generator = trial.generator()
        var expected: [ModelIdentifier: Person] = [:]
        for index in 0..<200 {
            let person = Person(id: "Person:\(Int.random(in: 0..<1_000, using: &generator))", age: index)
            try cache.write(person)
            expected[ModelIdentifier(person.id)] = person
            if index % 7 == 0, let gone = expected.keys.randomElement(using: &generator) {
                try cache.delete(gone)
                expected[gone] = nil
            }
        }
        try cache.write(Message(id: "Message:1", sender: Person(id: "Person:x", age: 0)))
        expected["Person:x"] = Person(id: "Person:x", age: 0)
        let sorted = expected.sorted { $0.key.rawValue.utf8.lexicographicallyPrecedes($1.key.rawValue.utf8) }
        try cache.view { view in
            try trial.expectEqual(try view.models(Person.self), sorted.map(\.value), "all of the type")
        }
        try cache.transact { transaction in
            try transaction.write(contentsOf: [Person(id: "Person:", age: 1)])
            try trial.expectEqual(
                try transaction.models(Person.self), [Person(id: "Person:", age: 1)] + sorted.map(\.value),
                "all of the type inside a transaction that wrote another")
        }
    }

    static let budget = Rule(
        "TXN-07", "Within a budget, a commit evicts nothing that its own transaction wrote.",
        because: "What was just written is what is shown next.", requires: [.typedCalls, .evicting],
        kills: ["forgets-its-transaction"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(nodes: 100))
        for number in 0..<300 { try cache.write(Person(id: "Person:\(number)", age: number)) }
        for round in 0..<20 {
            let names = (1_000 + 50 * round)..<(1_050 + 50 * round)
            try cache.transact { transaction in
                for number in names { try transaction.write(contentsOf: [Person(id: "Person:\(number)", age: number)]) }
            }
            for number in names {
                try trial.expectHit(
                    try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self),
                    Person(id: "Person:\(number)", age: number), "what the transaction wrote")
            }
        }
    }

    static let updates = Rule(
        "TXN-08", "An update is a read and a write that no other writer comes between, and writes only what differs.",
        because: "Two counts of one thing must not be lost in each other.", requires: [.typedCalls],
        kills: ["updates-in-two-steps", "updates-nothing"]
    ) { trial in
        // What may be forgotten, or fail, at any moment is not counted.
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let site = try trial.site()
        let cache = try site.open()
        let missing = try trial.expectError(.missing, from: "an update of what is not there") {
            try cache.update("counter", as: Person.self) { $0.age = 1 }
        }
        try trial.expectEqual(missing.miss, CacheMiss(.absent, "counter"), "why it is missing")
        try cache.write(Person(id: "counter", age: 0))
        let same = try cache.update("counter", as: Person.self) { $0.age = 0 }
        try trial.expectChanges(same.changed, [], "what an update changed that says the same")
        let callers = (0..<3).map { _ in
            Threads.start { () -> Bool in
                for _ in 0..<PeerProcess.updates {
                    try cache.update("counter", as: Person.self) { $0.age = ($0.age ?? 0) + 1 }
                }
                return true
            }
        }
        var children: [ChildProcess] = []
        if trial.profile.isMultiProcess, let worker = trial.backend.worker {
            children = try (0..<2).map { _ in try ChildProcess(worker, ["update", site.directory ?? ""]) }
        }
        for caller in callers { _ = try caller.wait(seconds: 60) }
        for child in children {
            try trial.expectEqual(
                child.nextLine(within: .seconds(60)), .line("done"), "a process that updates (\(child.errorText))")
            try trial.expectEqual(child.wait(), .exited(0), "a process that has updated (\(child.errorText))")
        }
        try trial.expectEqual(
            try cache.read("counter", as: Person.self).value?.age, (3 + children.count) * PeerProcess.updates,
            "what \(3 + children.count) writers counted")
    }
}
