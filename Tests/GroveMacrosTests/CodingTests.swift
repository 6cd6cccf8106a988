#if Macros
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import GroveCache
    import GroveInspect
    import GroveMacros
    import GroveMemory
    import Testing

    @Suite("Coding by the macro") struct CodingTests {
        @Test("Every kind of property comes back from a cache", arguments: 1...9)
        func roundTrip(seed: Int) throws {
            let cache = try MemoryCache()
            let message = Message.sample(seed)
            try cache.write(message)
            #expect(try cache.model("Message:m\(seed)", as: Message.self) == message)
            #expect(try cache.model("Person:7", as: Person.self) == Person(id: 7, name: "Person number 7"))
        }

        @Test("The same bodies as by Codable", arguments: 1...9)
        func sameBytes(seed: Int) throws {
            let message = Message.sample(seed)
            let (macro, plain) = (try MemoryCache(), try MemoryCache())
            try macro.write(message)
            try plain.write(Plain.Message(message))
            let bodies = try macro.bodies()
            #expect(bodies.count > 10)
            #expect(try plain.bodies() == bodies)
            #expect(try plain.model("Message:m\(seed)", as: Message.self) == message)
            #expect(try macro.model("Message:m\(seed)", as: Plain.Message.self) == Plain.Message(message))
        }

        @Test("The same bodies as by a conformance written by hand")
        func sameBytesByHand() throws {
            let hand = HandProfile(id: 3, name: "Ann", friend: HandFriend(id: 4, name: "Bob"))
            let macro = MacroProfile(id: 3, name: "Ann", friend: MacroFriend(id: 4, name: "Bob"))
            #expect(try Encoded(hand) == Encoded(macro))
            #expect(MacroProfile.fields.count == 3)
        }

        @Test("Nodes are classes too, and a class has its own initialiser")
        func classes() throws {
            let cache = try MemoryCache()
            let leaf = Fork("leaf")
            let root = Fork("root", leaf, Fork("middle", nil, leaf))
            try cache.write(root)
            let read = try #require(try cache.model("Fork:root", as: Fork.self))
            #expect(read == root)
            #expect(read.right?.right == leaf)
            #expect(read != Fork("root", nil, root.right))
        }

        @Test("What is left out reads as its default, observers and computed properties are no fields")
        func leftOut() throws {
            let cache = try MemoryCache()
            var draft = Draft(id: 1, text: "a", secret: 9)
            draft.edits = 5
            draft.onChange = {}
            try cache.write(draft)
            let read = try #require(try cache.model("Draft:1", as: Draft.self))
            #expect(read.edits == 0)
            #expect(read.onChange == nil)
            #expect(read != draft)
            #expect(Draft.fields.count == 4)
            let record = try #require(try cache.storedRecord(.node, "Draft:1"))
            #expect(try record.envelope.get().projections.map(\.name) == ["Draft"])
        }

        @Test("An optional that the record lacks reads nil, a required field is a miss")
        func drift() throws {
            let cache = try MemoryCache()
            try cache.write(Before(id: 1))
            #expect(try cache.model("Drift:1", as: AfterOptional.self) == AfterOptional(id: 1, note: nil, badge: nil))
            guard case .miss(let miss) = try cache.read("Drift:1", as: AfterRequired.self) else {
                Issue.record("a required field that the record lacks was read")
                return
            }
            #expect(miss.reason == .incomplete)
            guard case .miss(let other) = try cache.read("Drift:1", as: AfterChange.self) else {
                Issue.record("a field of another type was read")
                return
            }
            #expect(other.reason == .otherShape)
        }

        @Test("What another projection left out of a value in place is a miss, wherever the value stands")
        func sharedValues() throws {
            let cache = try MemoryCache()
            let tag = Tagged(id: 1, label: Label(text: "a", note: "b"), labels: [], choice: .some(text: "a", note: "b"))
            let short = BriefTagged(id: 1, label: BriefLabel(text: "a"), labels: [], choice: .some(text: "a"))
            try cache.write(tag)
            #expect(try cache.model("Tagged:1", as: Tagged.self) == tag)
            for next in [
                BriefTagged(id: 1, label: BriefLabel(text: "a"), labels: nil, choice: nil),
                BriefTagged(id: 1, label: nil, labels: [BriefLabel(text: "a")], choice: nil),
                BriefTagged(id: 1, label: nil, labels: nil, choice: .some(text: "a")),
                short,
            ] {
                try cache.write(tag)
                try cache.write(next)
                #expect(try cache.model("Tagged:1", as: BriefTagged.self) == next)
                #expect(try cache.read("Tagged:1", as: Tagged.self).miss?.reason == .incomplete)
            }
            try cache.write(tag)
            #expect(try cache.model("Tagged:1", as: Tagged.self) == tag)
        }

        @Test("Deletion cascades to the nearest optional or array")
        func deletion() throws {
            let cache = try MemoryCache()
            let message = Message.sample(2)
            try cache.write(message)
            try cache.delete("Person:3")
            let read = try #require(try cache.model("Message:m2", as: Message.self))
            #expect(read.replies == [Person(id: 1, name: "Person number 1")])
            try cache.delete("Person:6")
            #expect(try cache.model("Message:m2", as: Message.self)?.frame == Frame(owner: nil, width: 1.5))
            try cache.delete("Person:1")
            #expect(try cache.model("Message:m2", as: Message.self) == nil)
        }

        @Test("A private model, a public one with private fields, and models by hand behind an alias")
        func access() throws {
            let cache = try MemoryCache()
            let open = Open(id: "o", inner: Open.Inner(value: 1), hidden: 2)
            try cache.write(open)
            #expect(try cache.model("Open:o", as: Open.self) == open)
            let holder = Holder(id: 1, one: ByHand(id: 1), maybe: nil, crowd: [ByHand(id: 2), ByHand(id: 3)])
            try cache.write(holder)
            #expect(try cache.model("Holder:1", as: Holder.self) == holder)
            #expect(try cache.bodies().keys.contains("ByHand:3"))
        }
    }

    @Cacheable(record: "Profile", projection: "Hand")
    struct MacroProfile {
        let id: Int
        let name: String
        let friend: MacroFriend
    }

    @Cacheable(record: "Friend", projection: "Hand")
    struct MacroFriend {
        let id: Int
        let name: String
    }

    struct HandFriend: CacheableModel, Equatable {
        let id: Int
        let name: String
        var modelIdentifier: ModelIdentifier? { "Friend:\(id)" }
        static let recordName = "Friend"
        static let fields = FieldTable("id", "name")

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(id, at: 0)
            try node.encode(name, at: 1)
        }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> HandFriend {
            let id = try node.scan(Int.self, at: 0)
            let name = try node.scan(String.self, at: 1)
            return HandFriend(id: try node.finish(id), name: try node.finish(name))
        }
    }

    struct HandProfile: CacheableModel, Equatable {
        let id: Int
        let name: String
        let friend: HandFriend
        var modelIdentifier: ModelIdentifier? { "Profile:\(id)" }
        static let recordName = "Profile"
        static let fields = FieldTable("id", "name", "friend")

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(id, at: 0)
            try node.encode(name, at: 1)
            try node.encode(friend, at: 2)
        }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> HandProfile {
            let id = try node.scan(Int.self, at: 0)
            let name = try node.scan(String.self, at: 1)
            let friend = try node.scan(HandFriend.self, at: 2)
            return HandProfile(id: try node.finish(id), name: try node.finish(name), friend: try node.finish(friend))
        }
    }

    // One type in four versions of an application.

    @Cacheable(record: "Drift", projection: "Drift")
    struct Before {
        let id: Int
    }

    @Cacheable(record: "Drift", projection: "Drift")
    struct AfterOptional {
        let id: Int
        let note: String?
        let badge: Badge?
    }

    @Cacheable(record: "Drift", projection: "Drift")
    struct AfterRequired {
        let id: Int
        let badge: Badge
    }

    @Cacheable(record: "Drift", projection: "Drift")
    struct AfterChange {
        let id: String
    }
#endif
