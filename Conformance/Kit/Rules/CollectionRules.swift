import GroveCache
import GroveModel
import Synchronization

/// COL: ordered lists of references under keys of their own.
enum CollectionRules {
    static let all = [empty, order, update, replace, keys, types, atomic, skipping]

    static let empty = Rule(
        "COL-01", "Empty is not absent.",
        because: "\"No messages\" and \"not loaded\" are two screens.", kills: ["empty-collection-is-absent"]
    ) { trial in
        let cache = try trial.cache()
        try trial.expectMiss(try cache.readCollection("all", as: Person.self), .absent, "all", "an absent collection")
        try cache.writeCollection([Person](), forKey: "all")
        try trial.expectHit(try cache.readCollection("all", as: Person.self), ReadElements([]), "an empty collection")
        try cache.writeCollection([Person(id: "Person:1")], forKey: "all")
        cache.setCollection([], forKey: "all", context: nil)
        try trial.expectEqual(
            try cache.models(forKey: "all", as: Person.self), [], "a collection emptied by the delegate")
    }

    static let order = Rule(
        "COL-02", "Order and duplicates are kept.",
        because: "A feed is a sequence, not a set.", kills: ["drops-duplicates"]
    ) { trial in
        let cache = try trial.cache()
        var generator = trial.generator()
        for round in 0..<5 {
            let people = (0..<100).map { _ in Person(id: "Person:\(Int.random(in: 0...20, using: &generator))") }
            try cache.writeCollection(people, forKey: "all")
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self), ReadElements(people), "100 elements in order \(round)"
            )
            cache.setCollection(people.reversed(), forKey: "all", context: nil)
            try trial.expectEqual(
                try cache.models(forKey: "all", as: Person.self), people.reversed(), "the same, set by the delegate")
        }
    }

    static let update = Rule(
        "COL-03", "An element's update shows without the collection being rewritten.",
        because: "The collection holds references.", requires: [.storedBytes], kills: ["copies-collections"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.writeCollection([Person(id: "Person:1", age: 1), Person(id: "Person:2")], forKey: "all")
        let key = [SealedRecord.collections] + Array("all".utf8)
        let before = try site.interceptor.store().get(key)
        try trial.expect(before != nil, "the collection's record: expected one under its key, got none.")
        try cache.write(Message(id: "Message:1", sender: Person(id: "Person:1", age: 2)))
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self),
            ReadElements([Person(id: "Person:1", age: 2), Person(id: "Person:2")]),
            "a collection whose element was updated"
        )
        try trial.expectEqual(try site.interceptor.store().get(key), before, "the collection's record")
    }

    static let replace = Rule(
        "COL-04", "Replacing a collection drops elements from it, not from the store.",
        because: "Others may hold them.", requires: [.normalizes], kills: ["forgets-replaced"]
    ) { trial in
        let cache = try trial.cache()
        let people = (0..<4).map { Person(id: "Person:\($0)") }
        try cache.writeCollection(people, forKey: "all")
        try cache.writeCollection([people[2]], forKey: "all")
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self), ReadElements([people[2]]), "the new collection")
        for person in people {
            try trial.expectHit(
                try cache.read(ModelIdentifier(person.id), as: Person.self), person, "an element of the old collection")
        }
    }

    static let keys = Rule(
        "COL-05", "Collection keys never collide with node identifiers.",
        because: "Both are the application's strings.", requires: [.normalizes], kills: ["merges-namespaces"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Person(id: "same", age: 1))
        try cache.writeCollection([Person(id: "Person:2")], forKey: "same")
        if trial.hasTypedCalls { cache.setModel(Person(id: "Person:3"), forKey: "same", context: nil) }
        try trial.expectHit(try cache.read("same", as: Person.self), Person(id: "same", age: 1), "the node")
        try trial.expectHit(
            try cache.readCollection("same", as: Person.self), ReadElements([Person(id: "Person:2")]), "the collection")
        if trial.hasTypedCalls {
            try trial.expectEqual(
                try cache.model(forKey: "same", as: Person.self)?.id, "Person:3", "what the alias finds")
        }
        try cache.delete("same")
        try trial.expectHit(
            try cache.readCollection("same", as: Person.self), ReadElements([Person(id: "Person:2")]),
            "the collection after the node was deleted")
        for key in ["\u{1}Person:2", "\u{2}same", "\u{0}", "\u{3}same"] {
            try cache.writeCollection([Person](), forKey: key)
            try cache.write(Person(id: key))
        }
        try trial.expectHit(
            try cache.read("Person:2", as: Person.self), Person(id: "Person:2"),
            "a node after keys like the store's own")
        try trial.expectHit(
            try cache.readCollection("same", as: Person.self), ReadElements([Person(id: "Person:2")]), "the collection")
    }

    static let types = Rule(
        "COL-06", "Elements keep their types in a heterogeneous collection.",
        because: "A feed holds people and letters.", requires: [.typedCalls], kills: ["drops-duplicates"]
    ) { trial in
        let cache = try trial.cache()
        let (ada, bob) = (Person(id: "Person:1", age: 1), Person(id: "Person:2"))
        let feed: [FeedItem] = [
            .person(ada), .letter(Letter(id: "Letter:1", author: bob)), .author(ada), .person(bob), .person(ada),
        ]
        try cache.writeCollection(feed, forKey: "feed")
        try trial.expectHit(try cache.readCollection("feed", as: FeedItem.self), ReadElements(feed), "a feed")
        cache.setCollection(feed, forKey: "delegate", context: nil)
        try trial.expectEqual(
            try cache.models(forKey: "delegate", as: FeedItem.self), feed, "a feed set by the delegate")
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), ada, "an element of a feed, read as what it is")
        try cache.write(Person(id: "Person:1", age: 2))
        try trial.expectEqual(
            try cache.readCollection("feed", as: FeedItem.self).value?.values[2],
            .author(Person(id: "Person:1", age: 2)),
            "an element that was updated on its own")
        cache.setModel(FeedItem.author(ada), forKey: "Person:1", context: nil)
        try trial.expectEqual(
            try cache.model(forKey: "Person:1", as: FeedItem.self), .author(ada),
            "one element, set under its identifier")
    }

    static let atomic = Rule(
        "COL-07", "Replacement is atomic to readers.",
        because: "Half of one list and half of another is a list that never was.", kills: ["live-views"]
    ) { trial in
        let cache = try trial.cache()
        @Sendable func list(_ round: Int) -> [Person] {
            (0..<(round % 2 == 0 ? 30 : 60)).map { Person(id: "Person:\(round % 2)/\($0)", age: round) }
        }
        try cache.writeCollection(list(0), forKey: "all")
        let writer = Threads.start { for round in 1...60 { try cache.writeCollection(list(round), forKey: "all") } }
        var reads = 0
        var last = 0
        while writer.calls == 0 || reads < 20 {
            let elements = try trial.expectHit(
                try cache.readCollection("all", as: Person.self), "a collection that is being replaced"
            ).values
            let round = elements.first?.age ?? -1
            try trial.expect(
                elements == list(round),
                "a collection that is being replaced: expected one generation, got \(brief(elements)).")
            try trial.expect(round >= last, "a collection: expected generation \(last) or later, got \(round).")
            last = round
            reads += 1
        }
        _ = try writer.wait()
        // A commit that comes, for certain, between two elements of one read, which decodes them as it goes.
        guard trial.hasTypedCalls else { return }
        let id = "Caller:\(trial.seed)/\(ObjectIdentifier(trial).hashValue)"
        @Sendable func callers(_ generation: Int) -> [Caller] {
            [id, "Caller:2", "Caller:3"].map { Caller(id: $0, generation: generation) }
        }
        try cache.writeCollection(callers(1), forKey: "callers")
        Caller.calls.withLock { calls in
            calls[id] = {
                _ = try? Threads.start { try cache.writeCollection(callers(2), forKey: "callers") }.wait()
            }
        }
        let read = try cache.readCollection("callers", as: Caller.self)
        Caller.calls.withLock { $0[id] = nil }
        try trial.expectHit(
            read, ReadElements(callers(1)), "a collection that was replaced while its first element was read")
        try trial.expectHit(
            try cache.readCollection("callers", as: Caller.self), ReadElements(callers(2)), "the collection afterwards")
    }

    static let skipping = Rule(
        "COL-08", "A read with `missing: .skip` returns the rest in order and says what was skipped.",
        because: "A feed with one gap may be better than none, when the caller says so.",
        requires: [.typedCalls, .evict],
        kills: ["skips-silently", "missing-is-deleted"]
    ) { trial in
        let cache = try trial.cache()
        let people = (0..<6).map { Person(id: "Person:\($0)") }
        try cache.writeCollection([people[0], people[1], people[2], people[1], people[3], people[4]], forKey: "all")
        try cache.evict("Person:1")
        try cache.evict("Person:4")
        try cache.delete("Person:3")
        try trial.expectMiss(
            try cache.readCollection("all", as: Person.self), .absent, "Person:1", "a collection that misses elements")
        let read = try trial.expectHit(
            try cache.readCollection("all", as: Person.self, missing: .skip), "the same, asked to skip them")
        try trial.expectEqual(read.values, [people[0], people[2]], "what is left")
        try trial.expectEqual(
            read.skipped, ["Person:1", "Person:1", "Person:4"].map { CacheMiss(.absent, $0) }, "what was skipped")
    }
}
