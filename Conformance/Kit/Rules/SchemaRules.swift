import GroveCache
import GroveModel

/// SCH: types that changed since they were stored, and formats that did.
enum SchemaRules {
    static let all = [addedOptional, addedRequired, removed, changed, future, golden, spared, swapped, renamed, shapes]

    static let addedOptional = Rule(
        "SCH-01", "Added optional reads nil.",
        because: "An application's new version must read what the old one stored.", requires: [.typedCalls],
        kills: ["takes-one-type"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Person(id: "Person:1", name: "Ada", age: 3))
        try trial.expectHit(
            try cache.read("Person:1", as: PersonWithMail.self), PersonWithMail(id: "Person:1", mail: nil, name: "Ada"),
            "a record from before the field was added")
    }

    static let addedRequired = Rule(
        "SCH-02", "Added required: miss.",
        because: "There is no value to invent.", kills: ["gives-no-reason"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Person(id: "Person:1"))
        try trial.expectMiss(
            try cache.read("Person:1", as: PersonWithBirth.self), .incomplete, "Person:1",
            "a record from before a required field was added")
        try cache.write(PersonWithBirth(id: "Person:1"))
        try trial.expectHit(
            try cache.read("Person:1", as: PersonWithBirth.self), PersonWithBirth(id: "Person:1"),
            "the record after the new type wrote it")
    }

    static let removed = Rule(
        "SCH-03", "Removed field ignored.",
        because: "What nobody asks for does not matter.", requires: [.typedCalls], kills: ["takes-one-type"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Person(id: "Person:1", name: "Ada", age: 3))
        try trial.expectHit(
            try cache.read("Person:1", as: PersonWithMail.self), PersonWithMail(id: "Person:1"),
            "a record with a field more")
        try cache.write(PersonWithMail(id: "Person:2", mail: "a@b", name: "Bob"))
        try trial.expectHit(
            try cache.read("Person:2", as: Person.self), Person(id: "Person:2", name: "Bob"),
            "a record with a field more between the known ones")
        try cache.write(Twin("Twin:1", left: Twin("Twin:2"), right: Twin("Twin:3")))
        try trial.expectHit(
            try cache.read("Twin:1", as: TwinLink.self), TwinLink(id: "Twin:1", left: TwinName(id: "Twin:2")),
            "a record with a field more behind the one that holds a child")
    }

    static let changed = Rule(
        "SCH-04", "Changed type, renamed type, unknown enum case: miss.",
        because: "A guess would be a lie.", kills: ["gives-no-reason"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(PersonWithNumber(id: "Person:1"))
        try trial.expectMiss(
            try cache.read("Person:1", as: Person.self), .otherShape, "Person:1", "a number read as text")
        try cache.write(Person(id: "Person:2"))
        try trial.expectMiss(
            try cache.read("Person:2", as: PersonWithNumber.self), .otherShape, "Person:2", "text read as a number")
        try cache.write(Company(id: "Person:3"))
        try trial.expectMiss(
            try cache.read("Person:3", as: Person.self), .otherType, "Person:3", "a record under another type's name")
        try cache.write(LaterMessage(id: "Message:1"))
        try trial.expectMiss(
            try cache.read("Message:1", as: Message.self), .otherShape, "Message:1", "an enum's case that is not known")
        try cache.writeCollection([FeedItem.author(Person(id: "Person:4"))], forKey: "feed")
        try trial.expectMiss(
            try cache.readCollection("feed", as: Letter.self), nil, nil,
            "a collection's case read by a type without cases")
    }

    static let future = Rule(
        "SCH-05", "Future format: typed refusal, file untouched.",
        because: "An older version of the application must not destroy what it cannot read.", requires: [.storedBytes],
        kills: ["errors-are-misses"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Letter(id: "Letter:1", author: Person(id: "Person:1")))
        let store = try site.interceptor.store()
        let key = SealedRecord.key("Person:1")
        var record = try SealedRecord(try store.get(key) ?? [])
        record.version += 1
        // It comes from elsewhere: what a cache wrote itself, it need not look at.
        try cache.evict("Person:1")
        try store.put(key, record.bytes)
        try trial.expectError(.corrupted, from: "a read of a record whose version was damaged") {
            try cache.read("Person:1", as: Person.self)
        }
        record.seal(under: key)
        try store.put(key, record.bytes)
        try trial.expectError(.unsupportedFormat, from: "a read of a record of a later format") {
            try cache.read("Person:1", as: Person.self)
        }
        try trial.expectMiss(
            try cache.read("Letter:1", as: Letter.self), .unsupportedFormat, "Person:1", "a tree that holds it")
        try trial.expectError(.unsupportedFormat, from: "a write over it") {
            try cache.write(Person(id: "Person:1", age: 9))
        }
        try trial.expectEqual(try store.get(key), record.bytes, "the record after it was refused")
        try trial.expectError(.unsupportedFormat, from: "a deletion of it") { try cache.delete("Person:1") }
        try trial.expectEqual(try store.get(key), record.bytes, "the record after its deletion was refused")
        guard trial.profile.isPersistent else { return }
        let later = SealedRecord.state(version: record.version)
        try store.put([0], later)
        cache.close()
        try trial.expectError(.unsupportedFormat, from: "opening a store of a later format") { try site.open() }
        let bare = try site.openStore()
        try trial.expectEqual(try bare.get([0]), later, "the store's own record after it was refused")
        try trial.expectEqual(try bare.get(key), record.bytes, "a record of the store that was refused")
    }

    static let golden = Rule(
        "SCH-06", "Old format: read, migrated or emptied, never misread.",
        because: "Every version that was released has its records on somebody's device.", requires: [.storedBytes],
        kills: ["errors-are-misses"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Person(id: "Person:1", name: "Ada", age: 36))
        let store = try site.interceptor.store()
        let written = try store.get(SealedRecord.key("Person:1")) ?? []
        if written.first == 1 {
            try trial.expectEqual(
                hex(written), hex(GoldenRecords.personOfVersion1), "the record of format 1 that the first call writes")
        }
        try store.put(SealedRecord.key("Person:1"), GoldenRecords.personOfVersion1)
        let read = try cache.read("Person:1", as: Person.self)
        try trial.expect(
            read.value == nil || read.value == Person(id: "Person:1", name: "Ada", age: 36),
            "a golden record of format 1: expected Ada, 36, or a miss, got \(brief(read)).")
        try trial.expectHit(
            read, Person(id: "Person:1", name: "Ada", age: 36), "a golden record of format 1, which this version writes"
        )
        for length in 0..<GoldenRecords.personOfVersion1.count {
            try store.put(SealedRecord.key("Person:1"), Array(GoldenRecords.personOfVersion1.prefix(length)))
            try trial.expectError(.corrupted, from: "a read of its first \(length) bytes") {
                try cache.read("Person:1", as: Person.self)
            }
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static let spared = Rule(
        "SCH-07", "One drifted node spares the rest.",
        because: "One bad record must not empty the screen.", requires: [.typedCalls], kills: ["is-spoiled"]
    ) { trial in
        let cache = try trial.cache()
        let people = (0..<5).map { Person(id: "Person:\($0)") }
        try cache.writeCollection(people, forKey: "all")
        try cache.write(Message(id: "Message:1", sender: people[1]))
        try cache.write(Message(id: "Message:2", sender: people[2]))
        try cache.write(PersonWithNumber(id: "Person:2"))
        try trial.expectMiss(
            try cache.readCollection("all", as: Person.self), .otherShape, "Person:2",
            "a collection with a drifted element")
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self, missing: .skip),
            ReadElements([people[0], people[1], people[3], people[4]], skipped: [CacheMiss(.otherShape, "Person:2")]),
            "the same, asked to skip it")
        try trial.expectHit(
            try cache.read("Message:1", as: Message.self), Message(id: "Message:1", sender: people[1]),
            "a tree without it")
        try trial.expectMiss(
            try cache.read("Message:2", as: Message.self), .otherShape, "Person:2", "a tree that holds it")
        try cache.write(people[2])
        try trial.expectHit(
            try cache.read("Message:2", as: Message.self), Message(id: "Message:2", sender: people[2]),
            "the tree after the node was written anew")
    }

    static let swapped = Rule(
        "SCH-08", "A record that the store hands over under another key is found out.",
        because: "One flipped bit of a key shows one person as another.", requires: [.storedBytes],
        kills: ["errors-are-misses"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Letter(id: "Letter:1", author: Person(id: "Person:1", name: "Ada")))
        try cache.write(Person(id: "Person:2", name: "Bob"))
        try cache.writeCollection([Person(id: "Person:2", name: "Bob")], forKey: "Person:1")
        let store = try site.interceptor.store()
        let other = try store.get(SealedRecord.key("Person:2")) ?? []
        try store.put(SealedRecord.key("Person:1"), other)
        try trial.expectError(.corrupted, from: "a read of a node whose bytes are another's") {
            try cache.read("Person:1", as: Person.self)
        }
        try trial.expectMiss(
            try cache.read("Letter:1", as: Letter.self), .corrupted, "Person:1", "a tree that holds it")
        let list = try store.get([SealedRecord.collections] + Array("Person:1".utf8)) ?? []
        try store.put(SealedRecord.key("Person:1"), list)
        try trial.expectError(.corrupted, from: "a read of a node whose bytes are a collection's of its name") {
            try cache.read("Person:1", as: Person.self)
        }
        try cache.write(Person(id: "Person:1", name: "Ada"))
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), Person(id: "Person:1", name: "Ada"), "the node, written anew")
    }
    static let renamed = Rule(
        "SCH-09", "Renamed field reads its old name, added one its default, another number the same value.",
        because: "A change that loses nothing must not empty the screen.", requires: [.typedCalls],
        kills: ["takes-one-type"]
    ) { trial in
        let cache = try trial.cache()
        let renamed = PersonRenamed(id: "Person:1", age: 3)
        try cache.write(Person(id: "Person:1", name: "Ada", age: 3))
        try trial.expectHit(
            try cache.read("Person:1", as: PersonRenamed.self), renamed, "a record from before the changes")
        try cache.write(PersonRenamed(id: "Person:1", age: 3, rank: 2))
        try trial.expectHit(
            try cache.read("Person:1", as: PersonRenamed.self), PersonRenamed(id: "Person:1", age: 3, rank: 2),
            "the record after the new type wrote it")
        try trial.expectMiss(
            try cache.read("Person:1", as: Person.self), .incomplete, "Person:1",
            "the old type's field, of which the record has the new name alone")
        try cache.write(PersonRenamed(id: "Person:1", age: 2.5))
        try trial.expectMiss(
            try cache.read("Person:1", as: Person.self), .otherShape, "Person:1", "2.5 read as an integer")
    }
}
