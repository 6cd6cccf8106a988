import GroveCache
import GroveModel

/// DEL: a deleted node stays deleted for every holder from before the deletion.
enum DeletionRules {
    static let all = [
        root, optional, element, cascade, everywhere, undelete, evicted, placeInTime, children, absent, restored,
    ]

    static let root = Rule(
        "DEL-01", "A deleted root stays deleted, across reopen too.",
        because: "A message that comes back after it was deleted frightens people.",
        kills: ["delete-forgotten", "delete-without-trace"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Person(id: "Person:1"))
        try cache.write(Person(id: "Person:2"))
        try cache.delete("Person:1")
        cache.deleteModel(Person(id: "Person:2"), forKey: "Person:2", context: nil)
        try cache.flush()
        for id in ["Person:1", "Person:2"] {
            try trial.expectMiss(
                try cache.read(ModelIdentifier(id), as: Person.self), .deleted, ModelIdentifier(id), "a deleted root")
        }
        guard trial.profile.isPersistent else { return }
        cache.close()
        let again = try site.open()
        for id in ["Person:1", "Person:2"] {
            try trial.expectMiss(
                try again.read(ModelIdentifier(id), as: Person.self), .deleted, ModelIdentifier(id),
                "a deleted root after reopening")
        }
    }

    static let optional = Rule(
        "DEL-02", "Deleted optional child reads nil.",
        because: "The holder lives on without it.", requires: [.normalizes],
        kills: ["delete-without-trace", "delete-forgotten"]
    ) { trial in
        let cache = try trial.cache()
        let person = Person(id: "Person:1")
        try cache.write(Message(id: "Message:1", stamp: Stamp(at: 1, by: person), sender: person))
        try cache.delete("Person:1")
        try trial.expectHit(
            try cache.read("Message:1", as: Message.self), Message(id: "Message:1", stamp: Stamp(at: 1, by: nil)),
            "a tree whose optional children were deleted")
    }

    static let element = Rule(
        "DEL-03", "Deleted array element is dropped, order kept.",
        because: "The others stay where they were.", requires: [.normalizes],
        kills: ["delete-without-trace", "delete-forgotten"]
    ) { trial in
        let cache = try trial.cache()
        let people = (0..<5).map { Person(id: "Person:\($0)") }
        try cache.write(
            Message(
                id: "Message:1", readers: [people[0], people[1], people[2], people[1], people[3]],
                mentions: ["a": people[1], "b": people[2]]))
        try cache.delete("Person:1")
        let read = try trial.expectHit(try cache.read("Message:1", as: Message.self), "the tree")
        try trial.expectEqual(read.readers.map(\.id), ["Person:0", "Person:2", "Person:3"], "the list that is left")
        try trial.expectEqual(read.mentions, ["b": people[2]], "the dictionary that is left")
        for id in ["Person:0", "Person:2", "Person:3"] { try cache.delete(ModelIdentifier(id)) }
        try trial.expectEqual(
            try cache.read("Message:1", as: Message.self).value?.readers, [], "the list after all were deleted")
    }

    static let cascade = Rule(
        "DEL-04", "Deleted required child cascades up to the first optional or array.",
        because: "A letter without its author is no letter, and a shelf without a letter is a shelf.",
        requires: [.normalizes], kills: ["delete-without-trace", "delete-forgotten"]
    ) { trial in
        let cache = try trial.cache()
        let (one, two) = (Person(id: "Person:1"), Person(id: "Person:2"))
        let letters = [Letter(id: "Letter:1", author: one), Letter(id: "Letter:2", author: two)]
        try cache.write(Shelf(id: "Shelf:1", top: letters[0], letters: letters))
        try cache.write(Parcel(id: "Parcel:1", letter: letters[0]))
        try cache.writeCollection(letters, forKey: "letters")
        try cache.delete("Person:1")
        try trial.expectHit(
            try cache.read("Shelf:1", as: Shelf.self), Shelf(id: "Shelf:1", top: nil, letters: [letters[1]]),
            "a shelf of letters one of whose authors was deleted")
        try trial.expectMiss(
            try cache.read("Letter:1", as: Letter.self), .deleted, "Person:1", "the letter whose author was deleted")
        try trial.expectMiss(
            try cache.read("Parcel:1", as: Parcel.self), .deleted, "Person:1", "the parcel that needs that letter")
        try trial.expectHit(
            try cache.readCollection("letters", as: Letter.self), ReadElements([letters[1]]),
            "the collection of letters")
    }

    static let everywhere = Rule(
        "DEL-05", "It shows through every parent and every collection.",
        because: "One place where it is left is one too many.", requires: [.normalizes],
        kills: ["delete-forgotten", "delete-without-trace"]
    ) { trial in
        let cache = try trial.cache()
        let (gone, kept) = (Person(id: "Person:1"), Person(id: "Person:2"))
        for index in 0..<10 { try cache.write(Message(id: "Message:\(index)", sender: gone, readers: [gone, kept])) }
        for index in 0..<10 { try cache.writeCollection([kept, gone, kept], forKey: "list \(index)") }
        try cache.delete("Person:1")
        for index in 0..<10 {
            try trial.expectHit(
                try cache.read("Message:\(index)", as: Message.self), Message(id: "Message:\(index)", readers: [kept]),
                "parent \(index)")
            try trial.expectHit(
                try cache.readCollection("list \(index)", as: Person.self), ReadElements([kept, kept]),
                "collection \(index)")
        }
    }

    static let undelete = Rule(
        "DEL-06", "Writing the identifier again undeletes.",
        because: "A person who comes back is welcome.", kills: ["never-undeletes"]
    ) { trial in
        let cache = try trial.cache()
        for round in 1...3 {
            try cache.write(Person(id: "Person:1", age: round))
            try trial.expectHit(
                try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: round),
                "a model written after its deletion, round \(round)")
            let changes = try cache.delete("Person:1")
            try trial.expectChanges(changes.deleted, ["Person:1"], "the deletions of round \(round)")
            try trial.expectMiss(
                try cache.read("Person:1", as: Person.self), .deleted, "Person:1", "the model after deletion \(round)")
        }
        let changes = try cache.write(Person(id: "Person:1", age: 3))
        try trial.expectChanges(changes.changed, ["Person:1"], "the changes of writing back what was deleted")
    }

    static let evicted = Rule(
        "DEL-07", "An evicted tombstone degrades to a miss, never to old data.",
        because: "Forgetting that something was deleted must not bring it back.", requires: [.normalizes, .evict],
        kills: ["hides-deleted"]
    ) { trial in
        let cache = try trial.cache()
        let person = Person(id: "Person:1", age: 1)
        try cache.write(Message(id: "Message:1", sender: person, readers: [person]))
        try cache.writeCollection([person], forKey: "all")
        try cache.delete("Person:1")
        try cache.evict("Person:1")
        try trial.expectMiss(
            try cache.read("Person:1", as: Person.self), .absent, "Person:1", "a node whose tombstone was evicted")
        try trial.expectMiss(
            try cache.read("Message:1", as: Message.self), .absent, "Person:1", "a tree that held it")
        try trial.expectMiss(
            try cache.readCollection("all", as: Person.self), .absent, "Person:1", "a collection that held it")
        try cache.write(Person(id: "Person:1", age: 2))
        let read = try cache.read("Message:1", as: Message.self)
        try trial.expect(
            read.value == nil || read.value?.sender == nil,
            "a holder from before the deletion, after the child was written anew: expected a miss or nil, got \(brief(read))."
        )
        try cache.write(Message(id: "Message:2", sender: Person(id: "Person:1", age: 2)))
        try trial.expectHit(
            try cache.read("Message:2", as: Message.self),
            Message(id: "Message:2", sender: Person(id: "Person:1", age: 2)), "a holder from after the deletion")
    }

    static let placeInTime = Rule(
        "DEL-08",
        "A holder written after the deletion, with the child, holds it again; a holder written before reads it as deleted.",
        because: "Deletion has a place in time, on disk as in memory.", requires: [.normalizes],
        kills: ["never-undeletes"]
    ) { trial in
        let cache = try trial.cache()
        let person = Person(id: "Person:1", age: 1)
        func message(_ index: Int, _ sender: Person?) -> Message { Message(id: "Message:\(index)", sender: sender) }
        func read(_ index: Int) throws -> Message {
            try trial.expectHit(try cache.read("Message:\(index)", as: Message.self), "holder \(index)")
        }
        for index in 1...3 { try cache.write(message(index, person)) }
        try cache.writeCollection([person, Person(id: "Person:2")], forKey: "before")
        try cache.writeCollection([person, Person(id: "Person:2")], forKey: "again")
        try cache.delete("Person:1")
        try trial.expectEqual(try read(1).sender, nil, "the child of a holder, right after the deletion")
        try cache.write(person)
        try trial.expectHit(try cache.read("Person:1", as: Person.self), person, "the child, written anew on its own")
        for index in 1...3 {
            try trial.expectEqual(
                try read(index).sender, nil, "the child of a holder from before, after it was written anew on its own")
        }
        try cache.write(message(2, person))
        try trial.expectEqual(try read(2).sender, person, "the child of a holder written anew with the same bytes")
        try trial.expectEqual(try read(1).sender, nil, "the child of a holder from before, after that")
        try cache.write(message(3, Person(id: "Person:1", age: 9)))
        try trial.expectEqual(try read(3).sender?.age, 9, "the child of a holder written with a newer child")
        try trial.expectEqual(try read(1).sender, nil, "the child of a holder from before, after that")
        try cache.writeCollection([Person(id: "Person:1", age: 9), Person(id: "Person:2")], forKey: "again")
        try trial.expectEqual(
            try cache.readCollection("again", as: Person.self).value?.values.map(\.id), ["Person:1", "Person:2"],
            "a collection written anew with the same references")
        try trial.expectEqual(
            try cache.readCollection("before", as: Person.self).value?.values.map(\.id), ["Person:2"],
            "a collection from before the deletion")
    }

    static let children = Rule(
        "DEL-09", "Deleting a parent keeps its children.",
        because: "They may have other holders.", requires: [.normalizes], kills: ["deletes-children"]
    ) { trial in
        let cache = try trial.cache()
        let message = Message.full("Message:1")
        try cache.write(message)
        let changes = try cache.delete("Message:1")
        try trial.expectChanges(changes.deleted, ["Message:1"], "the deleted nodes")
        for child in message.readers {
            try trial.expectHit(
                try cache.read(ModelIdentifier(child.id), as: Person.self), child, "a child of a deleted parent")
        }
    }

    static let absent = Rule(
        "DEL-10", "Deleting an absent model is not an error, and is remembered.",
        because: "A deletion may arrive before what it deletes was cached.",
        kills: ["delete-without-trace", "delete-forgotten"]
    ) { trial in
        let cache = try trial.cache()
        try cache.delete("Person:1")
        try trial.expectMiss(
            try cache.read("Person:1", as: Person.self), .deleted, "Person:1", "a model that was deleted before it came"
        )
        try cache.delete("Person:1")
        cache.deleteModel(Person(id: "Person:2"), forKey: nil, context: nil)
        try cache.flush()
        try trial.expectMiss(
            try cache.read("Person:2", as: Person.self), .deleted, "Person:2", "one that was deleted by the delegate")
        try trial.expectError(.emptyIdentifier, from: "a deletion of an empty identifier") { try cache.delete("") }
    }

    static let restored = Rule(
        "DEL-11",
        "A restored model is again in every list and tree that names it, and what took it out for good stays.",
        because: "Undo puts a message back where it was.", requires: [.typedCalls], kills: ["restores-by-writing"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let (gone, kept) = (Person(id: "Person:1", age: 1), Person(id: "Person:2"))
        try cache.write(Message(id: "Message:1", sender: gone, readers: [kept, gone]))
        for key in ["before", "edited", "unlisted"] { try cache.writeCollection([kept, gone, kept], forKey: key) }
        let long = (0..<300).map { $0 == 150 ? gone : Person(id: "Long:\($0)") }
        try cache.writeCollection(long, forKey: "long")
        func check(_ cache: any ConformanceCache, _ person: Person?, _ when: String) throws {
            let all = [kept, person, kept].compactMap(\.self)
            try trial.expectEqual(
                try cache.readCollection("before", as: Person.self).value?.values, all, "a list from before \(when)")
            try trial.expectHit(
                try cache.read("Message:1", as: Message.self),
                Message(id: "Message:1", sender: person, readers: [kept, person].compactMap(\.self)),
                "a tree from before \(when)")
            try trial.expectEqual(
                try cache.readCollection("long", as: Person.self).value?.values.contains { $0.id == "Person:1" },
                person != nil, "whether a long list from before has it, \(when)")
        }
        for round in 1...2 {
            try cache.delete("Person:1")
            try cache.write(Person(id: "Person:1", age: 10))
            try check(cache, nil, "the deletion, after a write, round \(round)")
            let restored = Person(id: "Person:1", age: 20 + round)
            let changes = try cache.restore(restored)
            try trial.expectChanges(changes.changed, ["Person:1"], "what the restoration of round \(round) changed")
            try check(cache, restored, "the restoration of round \(round)")
        }
        // Of what was deleted twice, and forgotten.
        try cache.delete("Person:1")
        try cache.delete("Person:1")
        if trial.backend.capabilities.contains(.evict) { try cache.evict("Person:1") }
        try cache.restore(gone)
        try check(cache, gone, "the restoration of what was deleted twice")
        // What is out of a list stays out.
        try cache.edit("edited", CollectionEdit<Person>.remove(1..<2))
        try cache.writeCollection([kept], forKey: "unlisted")
        try cache.delete("Person:1")
        try cache.restore(gone)
        for key in ["edited", "unlisted"] {
            let ids = try cache.readCollection(key, as: Person.self).value?.values.map(\.id)
            try trial.expect(
                ids.map { !$0.contains("Person:1") } ?? false,
                "a list that was written without it: expected it to stay so, got \(brief(ids)).")
        }
        // Its children are written, and not restored.
        try cache.write(Message(id: "Message:2", sender: kept))
        try cache.delete("Person:2")
        try cache.delete("Message:2")
        try cache.restore(Message(id: "Message:2", sender: kept))
        try trial.expectEqual(
            try cache.readCollection("unlisted", as: Person.self).value?.values, [],
            "a list of what was deleted by itself, after a holder of it was restored")
        try trial.expectEqual(
            try cache.read("Message:2", as: Message.self).value?.sender, kept, "what a restored tree holds")
        guard trial.profile.isPersistent else { return }
        try cache.restore(kept)
        cache.close()
        try check(try site.open(), gone, "the restoration, after reopening")
    }
}
