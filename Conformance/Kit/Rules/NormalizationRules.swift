import GroveCache
import GroveModel

/// NRM: one record for each identified node, however many trees hold it.
enum NormalizationRules {
    static let all = [
        oneRecord, oneTruth, inlineModels, beneathInline, unidentified, laterWins, bothWays, sameBytes, unchanged,
        codings,
        tooManyPaths, notCacheable, oneTypeEach,
    ]

    static let oneRecord = Rule(
        "NRM-01", "One record per identified node, whatever the number of occurrences.",
        because: "Two copies drift apart.", requires: [.storedBytes], kills: ["keeps-copies"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        for id in ["Message:1", "Message:2"] {
            let changes = try cache.write(Message.full(id))
            try trial.expectEqual(changes.changed, Message.identifiers(ofFull: id), "the changed nodes of a new tree")
        }
        let shared = Person(id: "Person:1")
        try cache.write(
            Message(id: "Message:3", sender: shared, readers: [shared, shared], mentions: ["a": shared, "b": shared]))
        let expected = Message.identifiers(ofFull: "Message:1").union(Message.identifiers(ofFull: "Message:2"))
            .union(["Message:3", "Person:1"]).map { SealedRecord.key($0) }
        try trial.expectEqual(
            Set(try site.interceptor.store().keys([SealedRecord.nodes])), Set(expected), "the keys of the stored nodes")
    }

    static let oneTruth = Rule(
        "NRM-02", "A child written alone, or through parent B, shows through every parent.",
        because: "It is what normalization is for.", requires: [.normalizes],
        kills: ["remembers-answers", "first-write-wins"]
    ) { trial in
        let cache = try trial.cache()
        func read(_ id: String) throws -> Message {
            try trial.expectHit(try cache.read(ModelIdentifier(id), as: Message.self), id)
        }
        let person = Person(id: "Person:3", age: 1)
        try cache.write(
            Message(id: "Message:1", stamp: Stamp(at: 1, by: person), sender: person, mentions: ["a": person]))
        try cache.write(Message(id: "Message:2", kind: .event(place: "hall", host: person), readers: [person, person]))
        _ = try (read("Message:1"), read("Message:2"))
        for (age, isAlone) in [(2, true), (3, false), (4, true)] {
            let newer = Person(id: "Person:3", age: age)
            if isAlone { try cache.write(newer) } else { try cache.write(Message(id: "Message:3", sender: newer)) }
            let how = isAlone ? "written alone" : "written through another parent"
            let (one, two) = (try read("Message:1"), try read("Message:2"))
            try trial.expectEqual(one.sender, newer, "an optional child \(how)")
            try trial.expectEqual(one.stamp.by, newer, "a child beneath an inline model \(how)")
            try trial.expectEqual(one.mentions, ["a": newer], "a dictionary's child \(how)")
            try trial.expectEqual(two.readers, [newer, newer], "a list's child \(how)")
            try trial.expectEqual(two.kind, .event(place: "hall", host: newer), "an enum's child \(how)")
        }
    }

    static let inlineModels = Rule(
        "NRM-03", "Unidentified sub-models live inside the nearest identified ancestor.",
        because: "They have no identity to be found by.", requires: [.storedBytes], kills: ["keeps-copies"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let message = Message(id: "Message:1", kind: .poll(choices: 3), stamp: Stamp(at: 42, by: nil))
        let changes = try cache.write(message)
        try trial.expectEqual(changes.changed, ["Message:1"], "the changed nodes of a tree with one identified node")
        try trial.expectEqual(
            try site.interceptor.store().keys([SealedRecord.nodes]).count, 1, "the number of its records")
        try trial.expectHit(try cache.read("Message:1", as: Message.self), message, "the tree")
        let moved = try cache.write(Message(id: "Message:1", kind: .poll(choices: 3), stamp: Stamp(at: 43, by: nil)))
        try trial.expectEqual(moved.changed, ["Message:1"], "the changed nodes after the sub-model changed")
    }

    static let beneathInline = Rule(
        "NRM-04", "An identified node beneath an unidentified one is still its own record.",
        because: "Else the same person would be stored twice.", requires: [.storedBytes],
        kills: ["first-write-wins", "writes-on-hits"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Message(id: "Message:1", stamp: Stamp(at: 1, by: Person(id: "Person:3", age: 1))))
        try trial.expectHit(
            try cache.read("Person:3", as: Person.self), Person(id: "Person:3", age: 1), "the node, read alone")
        let before = try site.interceptor.store().get(SealedRecord.key("Message:1"))
        try cache.write(Person(id: "Person:3", age: 2))
        try trial.expectEqual(
            try cache.read("Message:1", as: Message.self).value?.stamp.by?.age, 2, "the age shown through the holder")
        try trial.expectEqual(
            try site.interceptor.store().get(SealedRecord.key("Message:1")), before, "the holder's record")
    }

    static let unidentified = Rule(
        "NRM-05", "An unidentified or empty-identifier root is refused, typed, and nothing is stored.",
        because: "It could never be found again.", requires: [.storedBytes, .flush],
        kills: ["swallows-failures", "accepts-empty-keys"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let stamp = Stamp(at: 1, by: Person(id: "Person:1"))
        try trial.expectError(.unidentified, from: "a write of a root without identifier") { try cache.write(stamp) }
        try trial.expectError(.unidentified, from: "a batch with one root without identifier") {
            try cache.write(contentsOf: [Stamp(at: 2, by: Person(id: "Person:2")), stamp])
        }
        try trial.expectError(.emptyIdentifier, from: "a write of a root whose identifier is empty") {
            try cache.write(Person(id: ""))
        }
        try trial.expectError(.emptyIdentifier, from: "a write of a tree with an empty identifier in it") {
            try cache.write(Message(id: "Message:1", sender: Person(id: "Person:3"), readers: [Person(id: "")]))
        }
        cache.setModel(stamp, forKey: "stamp", context: nil)
        try trial.expectError(.unidentified, from: "the flush after a root without identifier was set") {
            try cache.flush()
        }
        cache.setModel(Person(id: ""), forKey: "empty", context: nil)
        try trial.expectError(.emptyIdentifier, from: "the flush after a root with an empty one was set") {
            try cache.flush()
        }
        try trial.expectEqual(try site.interceptor.store().keys(), [], "the keys that refused writes left")
        try trial.expectEqual(site.interceptor.counts.puts, 0, "the puts that refused writes made")
    }

    static let laterWins = Rule(
        "NRM-06",
        "One identifier twice in one tree with different content: the later in pre-order wins, in both places.",
        because: "Which one wins must not depend on the engine.", requires: [.normalizes], kills: ["first-occurrence"]
    ) { trial in
        let cache = try trial.cache()
        func person(_ age: Int) -> Person { Person(id: "Person:1", age: age) }
        try cache.write(Message(id: "Message:1", sender: person(1), readers: [person(2), person(3)]))
        try trial.expectHit(
            try cache.read("Message:1", as: Message.self),
            Message(id: "Message:1", sender: person(3), readers: [person(3), person(3)]), "the tree")
        // In pre-order the outer letter stands before the inner author, whichever record is finished first.
        let outer = Twin("Twin:1", left: Twin("Twin:2", left: Twin("Twin:1", left: nil, right: Twin("Twin:3"))))
        try cache.write(outer)
        let read = try trial.expectHit(try cache.read("Twin:1", as: Twin.self), "a node that stands within itself")
        try trial.expectEqual(read.left?.id, nil, "the left child of the later occurrence")
        try trial.expectEqual(read.right?.id, "Twin:3", "the right child of the later occurrence")
    }

    static let bothWays = Rule(
        "NRM-07", "A holding B, later B holding A, written separately: both writes succeed.",
        because: "Neither write sees the whole; only a read can find a cycle.", kills: ["refuses-cycles"]
    ) { trial in
        let cache = try trial.cache()
        let first = try cache.write(Twin("Twin:a", left: Twin("Twin:b")))
        try trial.expectChanges(first.changed, ["Twin:a", "Twin:b"], "the changed nodes of A holding B")
        let second = try cache.write(Twin("Twin:b", left: Twin("Twin:a")))
        try trial.expectChanges(second.changed, ["Twin:a", "Twin:b"], "the changed nodes of B holding A")
        let read = try trial.expectHit(try cache.read("Twin:b", as: Twin.self), "B, written last")
        try trial.expectEqual(read.left?.id, "Twin:a", "what B holds")
        try cache.write(TwinLink(id: "Twin:c", left: TwinName(id: "Twin:d")))
        try cache.write(TwinLink(id: "Twin:d", left: TwinName(id: "Twin:c")))
        try trial.expectHit(
            try cache.read("Twin:c", as: TwinLink.self), TwinLink(id: "Twin:c", left: TwinName(id: "Twin:d")),
            "one link of a closed ring")
    }

    static let sameBytes = Rule(
        "NRM-08", "The same value gives the same body bytes across runs, processes and backends.",
        because: "Whether a node changed is decided by its bytes, and other tools read them.", requires: [.storedBytes],
        kills: ["writes-long-numbers"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Person(id: "p1", name: "Ada", age: 36))
        try trial.expectEqual(
            try body("p1", site),
            [0x62, 0x70, 0x31]  // id: "p1"
                + [0x18, 0x24]  // age: 36
                + [0x63, 0x41, 0x64, 0x61],  // name: "Ada"
            "the body of a person")
        let expected: [UInt8] =
            [0x62, 0x76, 0x31]  // id: "v1"
            + [0xA3, 0x61, 0x61, 0x01, 0x61, 0x62, 0x02, 0x62, 0x61, 0x61, 0x03]  // map: {"a": 1, "b": 2, "aa": 3}
            + [0xD9, 0xE7, 0x4E, 0x62, 0x70, 0x31]  // ref: 59214("p1")
            + [0x84, 0x01, 0x18, 0x64, 0x19, 0x03, 0xE8, 0x20]  // set: [1, 100, 1000, -1]
        var generator = trial.generator()
        for _ in 0..<10 {
            var values = Values(id: "v1", ref: Person(id: "p1", name: "Ada", age: 36))
            for number in [1, 100, 1_000, -1].shuffled(using: &generator) { values.set.insert(number) }
            for (key, value) in [("a", 1), ("b", 2), ("aa", 3)].shuffled(using: &generator) { values.map[key] = value }
            values.set.reserveCapacity(Int.random(in: 4...400, using: &generator))
            try cache.write(values)
            try trial.expectEqual(try body("v1", site), expected, "the body of a set, a dictionary and a reference")
            try trial.expectHit(try cache.read("v1", as: Values.self), values, "the value")
            try cache.evict("v1")
        }
    }

    private static func body(_ identifier: ModelIdentifier, _ site: any CacheSite) throws -> [UInt8]? {
        try site.interceptor.store().get(SealedRecord.key(identifier)).map { try SealedRecord($0).body }
    }

    static let unchanged = Rule(
        "NRM-09", "An unchanged node is not rewritten; the change set names exactly the nodes whose body changed.",
        because: "A refresh that brings nothing new must cost nothing and tell nobody.", requires: [.storedBytes],
        kills: ["changes-nothing", "changes-everything"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let message = Message.full("Message:1")
        let first = try cache.write(message)
        try trial.expectEqual(first.changed, Message.identifiers(ofFull: "Message:1"), "the changes of a new tree")
        let before = site.interceptor.counts.puts
        for _ in 0..<3 {
            try trial.expectEqual(try cache.write(message), WrittenChanges(), "the changes of the same tree again")
        }
        try trial.expectEqual(site.interceptor.counts.puts - before, 0, "the puts of the same tree, three times again")
        var newer = message
        newer.sender?.age = 99
        newer.readers[0].age = 99
        newer.readers[2].age = 99
        newer.mentions["a"]?.age = 99
        let changes = try cache.write(newer)
        try trial.expectEqual(changes.changed, ["Message:1/ada"], "the changes of a tree of which one node is new")
        let puts = site.interceptor.counts.puts - before
        try trial.expect(puts <= 2, "the puts of that tree: expected the node and the store's own record, got \(puts).")
        let collection = try cache.writeCollection([newer], forKey: "all")
        try trial.expectEqual(collection.changed, [], "the changed nodes of a collection of what is stored already")
        let deletion = try cache.delete("Message:1/bob")
        try trial.expectEqual(deletion, WrittenChanges(deleted: ["Message:1/bob"]), "the changes of a deletion")
    }

    static let codings = Rule(
        "NRM-10", "The Codable path and a hand-written conformance store the same body bytes for the same values.",
        because: "A type that changes its coding must find what it stored before.", requires: [.storedBytes, .flush],
        kills: ["writes-long-numbers"]
    ) { trial in
        let (byHand, byCodable) = (try trial.site(), try trial.site())
        let (one, two) = (try byHand.open(), try byCodable.open())
        for index in 0..<20 {
            let age = index % 2 == 0 ? index * 1_000 : nil
            let id = "p\(index)"
            let map = Dictionary(uniqueKeysWithValues: (0..<index).map { ("key \($0)", $0 - 10) })
            let set = Set((0..<index).map { $0 * 77 - 100 })
            try one.write(Values(id: "v\(index)", map: map, ref: Person(id: id, name: "n\(index)", age: age), set: set))
            try one.write(Letter(id: "l\(index)", author: Person(id: id, name: "n\(index)", age: age)))
            let person = CodablePerson(id: id, name: "n\(index)", age: age)
            let values = CodableValues(id: "v\(index)", map: map, ref: index == 7 ? nil : person, set: set)
            two.setModel(values, forKey: values.id, context: nil)
            two.setModel(CodableLetter(id: "l\(index)", author: person), forKey: "l\(index)", context: nil)
            if index == 7 { try one.write(Values(id: "v7", map: map, ref: nil, set: set)) }
            try one.write(Values(id: "w\(index)", map: map))
            two.setModel(PiecemealValues(id: "w\(index)", map: map), forKey: "w\(index)", context: nil)
        }
        try two.flush()
        for index in 0..<20 {
            for id in ["p\(index)", "v\(index)", "w\(index)", "l\(index)"] {
                let identifier = ModelIdentifier(id)
                let body = try body(identifier, byHand)
                try trial.expect(body != nil, "the record of \(id): expected one, got none.")
                try trial.expectEqual(
                    try Self.body(identifier, byCodable), body, "the body of \(id), by way of Codable")
            }
            let letter = try trial.expectHit(try two.read("l\(index)", as: Letter.self), "a letter written by Codable")
            try trial.expectEqual(letter.author.name, "n\(index)", "its author, read by hand-written coding")
            try trial.expectEqual(
                try one.model(forKey: "v\(index)", as: CodableValues.self)?.map.count, index,
                "a dictionary written by hand, read by Codable")
        }
    }

    static let tooManyPaths = Rule(
        "NRM-11", "A tree with more than a million paths is refused, `.tooManyPaths`, promptly, and nothing is stored.",
        because: "Writing visits every path; 2^40 of them are for ever.", requires: [.storedBytes],
        kills: ["swallows-failures"], timeLimit: .seconds(90)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        if let tower = Twin.tower(41) {
            try trial.expectError(.tooManyPaths, from: "a write of a tree of 2^40 paths") { try cache.write(tower) }
        }
        try trial.expectEqual(try site.interceptor.store().keys(), [], "the keys that the refused writes left")
        if let tower = Twin.tower(12) { try cache.write(tower) }
        try trial.expectHit(try cache.read("Twin:1", as: Twin.self), "a tree of 2,048 paths")
    }

    static let notCacheable = Rule(
        "NRM-12", "A type without coding is refused, `.notCacheable`, to the completion and the observer.",
        because: "Silence would look like a cache that never hits.", requires: [.observer, .flush],
        kills: ["swallows-failures"]
    ) { trial in
        let observer = RecordingObserver()
        let cache = try trial.site().open(observer: observer)
        cache.setModel(Opaque(), forKey: "Opaque:1", context: nil)
        try trial.expectError(.notCacheable, from: "the flush after a type without coding was set") {
            try cache.flush()
        }
        cache.setCollection([Opaque()], forKey: "all", context: nil)
        try trial.expectError(.notCacheable, from: "the flush after a collection of it was set") { try cache.flush() }
        try trial.expect(
            observer.wait { $0.writeFailures.count(where: { $0.code == .notCacheable }) == 2 },
            "the observer: expected two failures with code notCacheable, heard \(observer.writeFailures).")
        try trial.expectError(.notCacheable, from: "the completion of a read as a type without coding") {
            try cache.model(forKey: "Opaque:1", as: Opaque.self)
        }
        try trial.expectError(.notCacheable, from: "the completion of a collection of it") {
            try cache.models(forKey: "all", as: Opaque.self)
        }
    }

    static let oneTypeEach = Rule(
        "NRM-13",
        "A tree that holds one identifier as two record types is refused; the error names both and the identifier.",
        because: "A record has one type: stored so, the tree could never be read.", requires: [.typedCalls],
        kills: ["swallows-failures"]
    ) { trial in
        let cache = try trial.cache()
        let letter = Letter(id: "Thing:1", author: Person(id: "Thing:1"))
        let error = try trial.expectError(.unencodable, from: "a tree with one identifier as two types") {
            try cache.write(letter)
        }
        try trial.expectEqual(error.identifier, "Thing:1", "the identifier that the error names")
        for name in [Letter.recordName, Person.recordName] {
            try trial.expect(
                error.message.contains(name), "the message: expected it to name \(name), got \(error.message)")
        }
        try trial.expectMiss(
            try cache.read("Thing:1", as: Person.self), .absent, "Thing:1", "what the refused tree brought")
        // In separate writes the last one replaces.
        try cache.write(Person(id: "Thing:1", age: 1))
        try cache.write(Letter(id: "Thing:1", author: Person(id: "Person:1")))
        try trial.expectHit(
            try cache.read("Thing:1", as: Letter.self), Letter(id: "Thing:1", author: Person(id: "Person:1")),
            "the later of two types, written one after the other")
    }
}
