#if Macros
    public import GroveMacros

    // Types inside namespaces, which name what stands beside them as an application does.

    enum Shop {
        struct Tag: Codable, Hashable {
            let text: String
        }

        @Cacheable
        struct Item: Hashable {
            let id: Int
            let maker: Maker
            let parts: [Self]
            let tags: [String: [Tag?]]
            private let origin: Origin

            init(id: Int, maker: Maker, parts: [Item] = [], tags: [String: [Tag?]] = [:]) {
                self.id = id
                self.maker = maker
                self.parts = parts
                self.tags = tags
                origin = Origin(country: "NZ")
            }

            private struct Origin: Codable, Hashable {
                let country: String
            }
        }

        /// It keeps its memberwise initialiser.
        @Cacheable
        struct Maker: Hashable {
            let id: Int
            var name: String
        }

        @Cacheable
        final class Shelf {
            let id: String
            let items: [Item]
            let next: Shelf?

            init(id: String, items: [Item], next: Shelf? = nil) {
                self.id = id
                self.items = items
                self.next = next
            }
        }

        @Cacheable
        enum Entry {
            case item(Item)
            case makers(named: [Maker], Tag?)
            indirect case row(Self, Shelf)
        }

        @Cacheable
        enum Size: String, Codable { case small, large }

        enum Inner {
            @Cacheable
            struct Deep {
                let id: Int
                let maker: Maker
                let size: Size
            }
        }
    }

    extension Shop {
        @Cacheable
        struct Late {
            let id: Int
            let items: [Item]
        }
    }

    /// Another namespace with a type of the same name.
    public enum Market {
        /// It has the name of another type, in another namespace.
        @Cacheable
        public struct Item: Hashable {
            /// The identifier.
            public let id: Int
            let price: Double
        }
    }

    typealias Bazaar = Market

    extension Bazaar {
        @Cacheable
        struct Stall {
            let id: Int
            let item: Item
        }
    }

    public extension Market {
        @Cacheable
        struct Open {
            /// The identifier.
            public let id: Int
            let item: Item
        }
    }
#endif
