#if Macros
    import GroveCache
    import GroveMacros
    import GroveMemory
    import Testing

    @Suite("Enums by the macro") struct EnumTests {
        private let one = Person(id: 1, name: "one")
        private let two = Person(id: 2, name: "two")

        private var items: [Item] {
            [
                .person(one), .note(text: "hello", count: nil), .separator, .pair(one, two),
                .frame(Frame(owner: two, width: 1)), .badge(Badge(name: "b", level: 1)), .people([two, one]),
                .nested(.person(two)), .nested(.note(text: "inner", count: 3)), .fork(it: Fork("root", Fork("left"))),
            ]
        }

        private var plainItems: [Plain.Item] {
            let (one, two) = (Plain.Person(one), Plain.Person(two))
            return [
                .person(one), .note(text: "hello", count: nil), .separator, .pair(one, two),
                .frame(Plain.Frame(owner: two, width: 1)), .badge(Badge(name: "b", level: 1)), .people([two, one]),
                .nested(.person(two)), .nested(.note(text: "inner", count: 3)),
            ]
        }

        @Test("A heterogeneous feed comes back, its records those of the payloads")
        func feed() throws {
            let cache = try MemoryCache()
            let feed = Feed(id: "f", items: items, top: .person(two), byName: ["x": .person(one), "y": .separator])
            try cache.write(feed)
            #expect(try cache.model("Feed:f", as: Feed.self) == feed)
            #expect(try cache.model("Person:1", as: Person.self) == one)
            #expect(try cache.model("Fork:root", as: Fork.self) == Fork("root", Fork("left")))
            #expect(
                try Set(cache.bodies().keys) == ["Feed:f", "Person:1", "Person:2", "Fork:root", "Fork:left"])
        }

        @Test("The same bodies as by Codable")
        func sameBytes() throws {
            let feed = Feed(id: "f", items: items.dropLast(), top: .person(two), byName: ["x": .person(one)])
            let plain = Plain.Feed(
                id: "f", items: plainItems, top: .person(Plain.Person(two)), byName: ["x": .person(Plain.Person(one))])
            let (first, second) = (try MemoryCache(), try MemoryCache())
            try first.write(feed)
            try second.write(plain)
            #expect(try first.bodies() == second.bodies())
            #expect(try second.model("Feed:f", as: Feed.self) == feed)
            #expect(try first.model("Feed:f", as: Plain.Feed.self) == plain)
        }

        @Test("A collection of enums, and a root that is one")
        func collection() throws {
            let cache = try MemoryCache()
            let items: [Item] = [.person(one), .fork(it: Fork("root")), .person(two)]
            try cache.writeCollection(items, as: "feed")
            #expect(try cache.collection("feed", of: Item.self) == items)
            try cache.write(Person(id: 2, name: "newer"))
            #expect(try cache.collection("feed", of: Item.self)?.last == .person(Person(id: 2, name: "newer")))
            try cache.delete("Person:1")
            #expect(try cache.collection("feed", of: Item.self)?.count == 2)
            try cache.write(Item.person(one))
            #expect(try cache.model("Person:1", as: Person.self) == one)
        }

        @Test("Under a bare identifier the case is the only one of the record's type")
        func bareReference() throws {
            let cache = try MemoryCache()
            try cache.write(one)
            try cache.write(Fork("root"))
            try cache.write(Frame.Holding(id: 1))
            #expect(try cache.model("Person:1", as: Item.self) == .person(one))
            #expect(try cache.model("Fork:root", as: Item.self) == .fork(it: Fork("root")))
            #expect(try cache.model("Frame.Holding:1", as: Item.self) == nil)
            #expect(try cache.model("Person:1", as: Twice.self) == nil, "two cases would do")
        }

        @Test("A model whose identifier is its own has its own record")
        func ownIdentifier() throws {
            let cache = try MemoryCache()
            let slots: [Slot] = [.filled(one), .empty]
            for slot in slots { try cache.write(slot) }
            #expect(try Set(cache.bodies().keys) == ["Slot:filled", "Slot:empty", "Person:1"])
            #expect(try cache.model("Slot:filled", as: Slot.self) == .filled(one))
            #expect(try cache.model("Slot:empty", as: Slot.self) == .empty)
            let named: [Named] = [.person(one), .other(one)]
            for name in named { try cache.write(name) }
            #expect(try cache.bodies().keys.contains("other"))
            #expect(try cache.model("other", as: Named.self) == .other(one))
            #expect(try cache.model("other", as: Person.self) == nil)
        }

        @Test("Identifiers, children and map")
        func children() throws {
            #expect(Item.person(one).modelIdentifier == "Person:1")
            #expect(Item.pair(one, two).modelIdentifier == nil)
            #expect(Item.nested(.person(one)).modelIdentifier == nil)
            #expect(Item.separator.modelIdentifier == nil)

            func children(_ item: Item) -> [ModelIdentifier?] {
                var found: [ModelIdentifier?] = []
                item.forEach { found.append($0.modelIdentifier) }
                return found
            }
            // A case that is its payload's record has the payload's children.
            #expect(children(.fork(it: Fork("root", Fork("left"), Fork("right")))) == ["Fork:left", "Fork:right"])
            #expect(children(.person(one)).isEmpty)
            #expect(children(.pair(two, one)) == ["Person:2", "Person:1"])
            #expect(children(.people([one, two])) == ["Person:1", "Person:2"])
            #expect(children(.frame(Frame(owner: one, width: 0))) == [nil])
            #expect(children(.nested(.person(one))) == ["Person:1"])

            let renamed = Item.pair(one, two).map { $0.modelIdentifier == "Person:1" ? Person(id: 1, name: "new") : $0 }
            #expect(renamed == .pair(Person(id: 1, name: "new"), two))
            #expect(Item.pair(one, two).map { $0.modelIdentifier == "Person:1" ? nil : $0 } == nil)
            #expect(Item.people([one, two]).map { $0.modelIdentifier == "Person:1" ? nil : $0 } == .people([two]))
            #expect(
                Item.fork(it: Fork("root", Fork("left"))).map { _ in nil } == .fork(it: Fork("root")))
        }

        @Test("A newer payload takes its place in an enum, and an enum the place of a payload")
        func merge() throws {
            let newer = Person(id: 1, name: "newer")
            #expect(Item.person(one).merge(newer) as? Item == .person(newer))
            #expect(Item.person(one).merge(two) as? Item == .person(one))
            #expect(Item.separator.merge(newer) as? Item == .separator)
            let feed = Feed(id: "f", items: [.person(one), .separator], top: nil, byName: [:])
            let mapped = feed.map { $0.modelIdentifier == "Person:1" ? newer : $0 }
            #expect(mapped?.items == [.person(newer), .separator])
            let message = Message.sample(1).map { $0.modelIdentifier == "Person:1" ? Item.person(newer) : $0 }
            #expect(message?.zeta == newer)
        }

        @Test("A raw-value enum is a leaf")
        func rawValues() throws {
            #expect(try Encoded(Mood.calm).bytes == Encoded("calm").bytes)
            #expect(Mood(rawValue: "cross") == .cross)
            #expect(Set(Mood.allCases).count == 2)
        }
    }

    extension Frame {
        /// Of a record name that no case of ``Item`` has.
        @Cacheable
        struct Holding {
            let id: Int
        }
    }

    @Cacheable
    enum Twice {
        case first(Person)
        case second(Person)
    }

    /// Identified by a property of its own.
    @Cacheable(id: "key")
    enum Slot {
        case filled(Person)
        case empty

        var key: String {
            switch self {
            case .filled: "filled"
            case .empty: "empty"
            }
        }
    }

    /// Identified by hand, in one case as its payload is.
    @Cacheable
    enum Named {
        case person(Person)
        case other(Person)

        var modelIdentifier: ModelIdentifier? {
            switch self {
            case .person(let person): person.modelIdentifier
            case .other: "other"
            }
        }
    }
#endif
