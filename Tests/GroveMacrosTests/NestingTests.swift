#if Macros
    import GroveCache
    import GroveMacros
    import GroveMemory
    import Testing

    @Suite("Types inside namespaces") struct NestingTests {
        private let maker = Shop.Maker(id: 1, name: "Ann")

        private var item: Shop.Item {
            Shop.Item(
                id: 1, maker: maker, parts: [Shop.Item(id: 2, maker: maker)], tags: ["a": [nil, Shop.Tag(text: "t")]])
        }

        @Test("What a namespace holds is found by its types, nested ones and those of an extension")
        func siblings() throws {
            let cache = try MemoryCache()
            let shelf = Shop.Shelf(id: "s", items: [item], next: Shop.Shelf(id: "t", items: []))
            try cache.write(shelf)
            #expect(try cache.model(try #require(shelf.modelIdentifier), as: Shop.Shelf.self) == shelf)
            let entries: [Shop.Entry] = [
                .item(item), .makers(named: [maker], Shop.Tag(text: "x")), .row(.makers(named: [], nil), shelf),
            ]
            for entry in entries {
                let list = Entries(id: 1, entries: [entry])
                try cache.write(list)
                #expect(try cache.model("Entries:1", as: Entries.self) == list)
            }
            let deep = Shop.Inner.Deep(id: 1, maker: maker, size: .large)
            try cache.write(deep)
            #expect(try cache.model(try #require(deep.modelIdentifier), as: Shop.Inner.Deep.self) == deep)
            let late = Shop.Late(id: 1, items: [item])
            try cache.write(late)
            #expect(try cache.model(try #require(late.modelIdentifier), as: Shop.Late.self) == late)
            let new = shelf.map { child in
                (child as? Shop.Item).map { Shop.Item(id: $0.id, maker: maker) } ?? child
            }
            #expect(new?.items == [Shop.Item(id: 1, maker: maker)])
        }

        @Test("Types of one name in two namespaces have records of their own")
        func names() throws {
            let cache = try MemoryCache()
            let other = Market.Item(id: 1, price: 2)
            try cache.write(item)
            try cache.write(other)
            #expect(item.modelIdentifier == "Shop.Item:1")
            #expect(other.modelIdentifier == "Market.Item:1")
            #expect(try cache.model("Shop.Item:1", as: Shop.Item.self) == item)
            #expect(try cache.model("Market.Item:1", as: Market.Item.self) == other)
        }

        @Test("The macro names a nested type as its default by hand does, wherever it stands")
        func namesByHand() throws {
            func expect<M: Model>(_ type: M.Type, _ name: String) {
                #expect(M.recordName == name)
                #expect(M.projectionName == name)
            }
            expect(Shop.Item.self, "Shop.Item")
            expect(Shop.Inner.Deep.self, "Shop.Inner.Deep")
            expect(Shop.Late.self, "Shop.Late")
            expect(Bazaar.Stall.self, "Market.Stall")
            expect(Market.Open.self, "Market.Open")
            expect(Hidden.User.self, "Hidden.User")
            expect(Entries.self, "Entries")
            expect(`default`.`case`.self, "default.case")
            #expect(Shop.ItemByCodable.recordName == "Shop.ItemByCodable")
            #expect(Market.StallByCodable.recordName == "Market.StallByCodable")
            #expect(`default`.ByCodable.recordName == "default.ByCodable")
            #expect(Hidden.ByCodable.recordName == "Hidden.ByCodable")
        }

        @Test("A type whose name is a word of the language has keys, as any other")
        func backticks() throws {
            let cache = try MemoryCache()
            try cache.write(`default`.`case`(id: 7))
            #expect(try cache.model(`default`.`case`.self, id: 7)?.id == 7)
        }

        @Test("A namespace that only its file sees")
        func hidden() throws {
            let cache = try MemoryCache()
            let hidden = Hidden.User(id: 1, pet: Hidden.Pet(id: 2), mark: Hidden.Mark(name: "m"))
            try cache.write(hidden)
            #expect(try cache.model(try #require(hidden.modelIdentifier), as: Hidden.User.self) == hidden)
            let local = Secret.User(id: 1, hidden: hidden)
            try cache.write(local)
            #expect(try cache.model(try #require(local.modelIdentifier), as: Secret.User.self) == local)
        }
    }

    @Cacheable
    struct Entries {
        let id: Int
        let entries: [Shop.Entry]
    }

    enum `default` {
        @Cacheable
        struct `case` {
            let id: Int
        }

        struct ByCodable: SimpleModel, Codable, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
    }

    extension Shop {
        struct ItemByCodable: SimpleModel, Codable, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
    }

    extension Bazaar {
        struct StallByCodable: SimpleModel, Codable, Equatable { var modelIdentifier: ModelIdentifier? { nil } }
    }

    private enum Hidden {
        struct ByCodable: SimpleModel, Codable, Equatable { var modelIdentifier: ModelIdentifier? { nil } }

        @Cacheable
        struct User {
            let id: Int
            let pet: Pet
            @CacheIgnored var visits = 0
            let mark: Mark
        }

        @Cacheable
        final class Pet {
            let id: Int
            init(id: Int) { self.id = id }
        }

        @Cacheable
        struct Mark {
            let name: String
        }
    }

    fileprivate enum Secret {
        @Cacheable
        fileprivate struct User {
            let id: Int
            let hidden: Hidden.User
        }
    }
#endif
