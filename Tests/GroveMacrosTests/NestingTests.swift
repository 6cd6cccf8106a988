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

        @Test("A namespace that only its file sees")
        func hidden() throws {
            let cache = try MemoryCache()
            let hidden = Hidden.User(id: 1, pet: Hidden.Pet(id: 2), mark: Hidden.Mark(name: "m"))
            try cache.write(hidden)
            #expect(try cache.model(try #require(hidden.modelIdentifier), as: Hidden.User.self) == hidden)
            let local = Secret.User(id: 2, hidden: hidden)
            try cache.write(local)
            #expect(try cache.model(try #require(local.modelIdentifier), as: Secret.User.self) == local)
        }
    }

    @Cacheable
    struct Entries {
        let id: Int
        let entries: [Shop.Entry]
    }

    private enum Hidden {
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
