import GroveCache
import GroveModel

/// ANS: what a server answered, beside what was called while the request was under way.
enum AnswerRules {
    static let all = [places, wiped, ages, others]

    static let places = Rule(
        "ANS-01", "A write as of a place changes nothing that was written or deleted since, and stores the rest.",
        because: "A slow answer must not undo what the user did meanwhile, nor be lost for it.",
        requires: [.typedCalls, .flush], kills: ["answers-win", "answers-give-up"]
    ) { trial in
        // A cache that has forgotten an edit cannot tell that an answer is older.
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let cache = try trial.cache()
        let names: [ModelIdentifier] = ["kept", "edited", "queued", "deleted", "new"]
        func people(_ age: Int, _ names: some Sequence<ModelIdentifier>) -> [Person] {
            names.map { Person(id: $0.rawValue, age: age) }
        }
        func expect(_ age: Int, _ name: ModelIdentifier, _ what: String) throws {
            try trial.expectHit(
                try cache.read(name, as: Person.self), Person(id: name.rawValue, age: age), what)
        }
        try cache.write(contentsOf: people(1, names.dropLast()))
        let asked = try cache.place()
        try cache.write(contentsOf: people(2, ["edited"]))
        try cache.delete("deleted")
        cache.setModel(Person(id: "queued", age: 2), forKey: "queued", context: nil)
        try cache.write(contentsOf: people(3, names), asOf: asked)
        for _ in 0..<2 {
            try expect(3, "kept", "a node that nobody wrote since")
            try expect(3, "new", "a node that only the answer has")
            try expect(2, "edited", "a node that was written since")
            try expect(2, "queued", "a node that was queued since")
            try trial.expectMiss(
                try cache.read("deleted", as: Person.self), .deleted, "deleted", "a node that was deleted since")
            try cache.flush()
        }
        let later = try cache.place()
        try cache.write(contentsOf: people(4, names), asOf: later)
        for name in names { try expect(4, name, "a node of an answer that was asked for after everything else") }
        try cache.write(contentsOf: people(5, names), asOf: asked)
        for name in names { try expect(4, name, "a node, after an older answer that came late") }
    }

    static let wiped = Rule(
        "ANS-02",
        "A write as of a place before a wipe, or before the deletion of all models of a type, throws `cancelled`, and stores nothing.",
        because: "What the last user asked for must not come to the next one.",
        requires: [.typedCalls, .wipe, .close, .reopen],
        kills: ["answers-outlive-wipes", "answers-outlive-types", "lists-outlive-wipes", "answers-outlive-handles"]
    ) { trial in
        let site = try trial.site()
        let person = Person(id: "ann", age: 1)
        func expectRefusal(by cache: any ConformanceCache, _ asked: Place, _ what: String) throws {
            _ = try trial.expectError(.cancelled, from: "a write as of a place before \(what)") {
                try cache.write(contentsOf: [person], asOf: asked)
            }
            _ = try trial.expectError(.cancelled, from: "a write of a collection as of a place before \(what)") {
                try cache.writeCollection([person], forKey: "people", asOf: asked)
            }
            try trial.expectMiss(
                try cache.read("ann", as: Person.self), nil, "ann", "the node that they would have stored")
            try trial.expectMiss(
                try cache.readCollection("people", as: Person.self), nil, "people", "the collection")
        }
        var cache = try site.open()
        let first = try cache.place()
        try cache.wipe()
        cache.close()
        cache = try site.open()
        try expectRefusal(by: cache, first, "a wipe, on a handle that was opened after it")
        for doors in 0..<2 {
            try cache.write(person)
            let asked = try cache.place()
            if doors == 0 { try cache.wipe() } else { _ = try cache.delete(allOf: Person.self) }
            try expectRefusal(by: cache, asked, doors == 0 ? "a wipe" : "the deletion of all people")
            try cache.write(contentsOf: [person], asOf: try cache.place())
            try trial.expectHit(
                try cache.read("ann", as: Person.self), person, "a node of an answer asked for afterwards")
        }
    }

    static let ages = Rule(
        "ANS-03", "An edit makes nothing younger, and an answer is as old as its request.",
        because: "After a like, the network would not be asked for the rest of the message.",
        requires: [.typedCalls, .storedBytes], kills: ["confirms-edits", "confirms-when-it-comes"]
    ) { trial in
        let clock = VirtualClock()
        let cache = try trial.site().open(clock: clock)
        func read(_ name: ModelIdentifier, _ maxAge: Double) throws -> CacheRead<Person> {
            try cache.read(name, as: Person.self, maxAge: maxAge)
        }
        try cache.write(Person(id: "edited", age: 1))
        clock.advance(1_000)
        try cache.writeUnconfirmed(Person(id: "edited", age: 2))
        try cache.writeUnconfirmed(Person(id: "made", age: 2))
        try trial.expectMiss(
            try read("edited", 500), .expired, "edited",
            "a maximum age of 500 s, of what was confirmed 1,000 s ago and edited now")
        try trial.expectHit(
            try read("edited", 2_000), Person(id: "edited", age: 2), "a maximum age of 2,000 s, of the same")
        try trial.expectMiss(
            try read("made", 2_000), .expired, "made", "a maximum age of 2,000 s, of what nothing ever confirmed")
        try trial.expectHit(
            try cache.read("made", as: Person.self), Person(id: "made", age: 2), "a read of that without a maximum age")
        let asked = try cache.place()
        clock.advance(1_000)
        try cache.write(contentsOf: [Person(id: "answered", age: 3)], asOf: asked)
        try trial.expectMiss(
            try read("answered", 500), .expired, "answered",
            "a maximum age of 500 s, of an answer asked for 1,000 s ago")
        try trial.expectHit(
            try read("answered", 2_000), Person(id: "answered", age: 3), "a maximum age of 2,000 s, of the same")
    }

    static let others = Rule(
        "ANS-04",
        "A write as of a place changes nothing that another process has written since, and throws `cancelled` after its wipe.",
        because: "An extension and its application ask one server, and sign out of one account.",
        requires: [.typedCalls, .persistent, .processes, .multiProcess, .wipe],
        kills: ["answers-beat-others", "answers-outlive-others"], timeLimit: .seconds(60)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.open()
        func other(_ words: String...) throws {
            let child = try ChildProcess(worker, [words[0], site.directory ?? ""] + words.dropFirst())
            try trial.expectEqual(child.wait(), .exited(0), "a second process (\(child.errorText))")
        }
        func answer(_ age: Int, _ names: String...) -> [Person] { names.map { Person(id: $0, age: age) } }
        for round in 1...3 {
            try cache.write(contentsOf: answer(round, "edited", "kept"))
            let asked = try cache.place()
            try other("set", "edited", "\(-round)")
            // In one round of three the commit is learned of before.
            if round == 3 { _ = try cache.read("edited", as: Person.self) }
            try cache.write(contentsOf: answer(10 + round, "edited", "kept"), asOf: asked)
            try trial.expectHit(
                try cache.read("edited", as: Person.self), Person(id: "edited", age: -round),
                "a node that another process has written since")
            try trial.expectHit(
                try cache.read("kept", as: Person.self), Person(id: "kept", age: 10 + round),
                "a node that was not written since")
            let later = try cache.place()
            try cache.write(contentsOf: answer(20 + round, "edited"), asOf: later)
            try trial.expectHit(
                try cache.read("edited", as: Person.self), Person(id: "edited", age: 20 + round),
                "a node of an answer that was asked for after the other process's commit")
            try other("wipe", "\(round)")
            _ = try trial.expectError(.cancelled, from: "a write as of a place before another process's wipe") {
                try cache.write(contentsOf: answer(30 + round, "edited"), asOf: later)
            }
            try trial.expectMiss(
                try cache.read("edited", as: Person.self), nil, "edited", "the node that it would have stored")
        }
    }
}
