#if Macros
    import GroveMacros

    // Models as two versions of an application declare them, under the same names of record and projection.

    /// Types of the earlier version.
    enum Old {
        @Cacheable(record: "Post", projection: "Post")
        struct Post {
            let id: Int
            let headline: String
            var likes = 0
        }

        /// A still earlier version of it.
        @Cacheable(record: "Post", projection: "Post")
        struct First {
            let id: Int
            let name: String
        }

        @Cacheable(record: "Letter", projection: "Letter")
        struct Letter {
            let id: Int
            let writer: Person
            let readers: [Person]
            let seal: Badge
        }

        @Cacheable(record: "Card", projection: "Card")
        struct Card {
            let id: Int
            let label: Label?
            let labels: [Label]
            let shape: Shape
        }

        /// Called Contact later, and no longer in this enum.
        @Cacheable
        struct Friend {
            let id: Int
            let name: String
        }

        @Cacheable
        struct Label {
            let text: String
        }

        @Cacheable
        enum Shape {
            case circle(radius: Double)
            case dot
        }

        @Cacheable(record: "Numbers", projection: "Numbers")
        struct Numbers {
            let id: Int
            let small: Int32
            let whole: Int
            let single: Float
            let double: Double
        }

        @Cacheable(record: "Note", projection: "Note")
        struct Note {
            let id: Int
            let text: String
            let reply: String?
        }

        @Cacheable(record: "Mood", projection: "Mood")
        struct Moody {
            let id: Int
            let mood: String
            let moods: [String]
        }
    }

    /// Types of the later version.
    enum New {
        /// "headline" is "title", "likes" is gone, the others came.
        @Cacheable(record: "Post", projection: "Post")
        struct Post {
            static let most = 10

            let id: Int
            @CacheField(was: "name", "headline") let title: String
            let summary: String?
            var views = 0
            private(set) var tags: [String] = ["new"]
            var editors: [Person] = [Person(id: 1, name: "one")]
            var badge: Badge = Badge(name: "none", level: 0)
            var level: Level = .plain(Self.most)
            var limit: Int = New.base + Self.most {
                didSet { edits += 1 }
            }
            var note: String? = "none"
            @CacheField(default: 9) let stars: Int
            @CacheField("w", was: "word", default: ["first", New.word]) let words: [String]
            let kind = "post"
            @CacheIgnored var edits = 0
        }

        static let base = 1
        static let word = "second"

        @Cacheable
        enum Level { case plain(Int) }

        /// "headline" is "title", without saying so.
        @Cacheable(record: "Post", projection: "Post")
        struct Forgetful {
            let id: Int
            let title: String
        }

        @Cacheable(record: "Letter", projection: "Letter")
        struct Letter {
            let id: Int
            @CacheField(was: "writer") let author: Person
            @CacheField(was: "readers") let audience: [Person]
            @CacheField(was: "seal") let stamp: Badge
            var note: Old.Label = Old.Label(text: "")
        }

        /// A class, whose fields are constants.
        @Cacheable(record: "Post", projection: "Post")
        final class Article {
            let id: Int
            @CacheField("t", was: "headline") let title: String
            let author: Person?

            init(id: Int, title: String, author: Person? = nil) {
                self.id = id
                self.title = title
                self.author = author
            }
        }

        @Cacheable(record: "Card", projection: "Card")
        struct Card {
            let id: Int
            let label: Label?
            let labels: [Label]
            let shape: Shape
        }

        @Cacheable(record: "Old.Friend", projection: "Old.Friend")
        struct Contact {
            let id: Int
            let name: String
            var isFriend = false
        }

        /// With the old record's name alone.
        @Cacheable(record: "Old.Friend")
        struct Shown {
            let id: Int
            let name: String
            var isFriend = false
        }

        @Cacheable
        struct Label {
            @CacheField(was: "text") let title: String
            var color = "red"
        }

        @Cacheable
        enum Shape {
            case circle(radius: Double, x: Double = 1, y: Double = 2, fill: String? = "none")
            case dot(size: Int = 3)
        }

        /// With an identifier that its values did not have.
        @Cacheable(record: "Card", projection: "Card")
        struct Identified {
            let id: Int
            let label: Named?

            @Cacheable
            struct Named {
                var id = 7
                let text: String
            }
        }

        @Cacheable(record: "Card", projection: "Card")
        struct MaybeIdentified {
            let id: Int
            let label: Named?

            @Cacheable
            struct Named {
                let id: Int?
                let text: String
            }
        }

        @Cacheable(record: "Numbers", projection: "Numbers")
        struct Wide {
            let id: Int
            let small: Int64
            let whole: Double
            let single: Double
            let double: Double
        }

        @Cacheable(record: "Numbers", projection: "Numbers")
        struct Narrow {
            let id: Int
            let small: UInt8
            let whole: Float
            let single: Int16
            let double: Int
        }

        @Cacheable(record: "Numbers", projection: "Numbers")
        struct Single {
            let id: Int
            let double: Float
        }

        @Cacheable(record: "Note", projection: "Note")
        struct Note {
            let id: Int
            let text: String?
            let reply: String
        }

        @Cacheable(record: "Note", projection: "Note")
        struct DefaultNote {
            let id: Int
            var text: String = ""
            var reply: String = ""
        }

        @Cacheable(record: "Note", projection: "Note")
        struct NumberNote {
            let id: Int
            let text: Int
        }

        @Cacheable
        enum Mood: String {
            case calm, other
            static let cacheFallback = Mood.other
        }

        /// By hand, with another coding beside it.
        enum HandMood: String, NodeCodable, Codable, CacheFallback {
            case calm, other
            static var cacheFallback: HandMood { .other }
        }

        /// A leaf whose only coding is `Codable`.
        enum PlainMood: String, Codable, CacheFallback {
            case calm, other
            static let cacheFallback = PlainMood.other
        }

        @Cacheable
        enum StrictMood: String { case calm }

        @Cacheable(record: "Mood", projection: "Mood")
        struct Moody {
            let id: Int
            let mood: Mood
            let moods: [Mood]
        }

        @Cacheable(record: "Mood", projection: "Mood")
        struct HandMoody {
            let id: Int
            let mood: HandMood
            let moods: Set<HandMood>
        }

        @Cacheable(record: "Mood", projection: "Mood")
        struct PlainMoody {
            let id: Int
            let mood: PlainMood
            let moods: [PlainMood]
        }

        @Cacheable(record: "Mood", projection: "Mood")
        struct StrictMoody {
            let id: Int
            let mood: StrictMood
        }
    }

    // Other projections of the records above.

    @Cacheable(record: "Post")
    struct Ticker {
        let id: Int
        let headline: String
    }

    @Cacheable(record: "Card")
    struct BriefCard {
        let id: Int
        let label: BriefLabel?
        let labels: [BriefLabel]
    }

    // Types by hand and by `Codable`.

    /// ``New/Post`` by hand, with fewer fields.
    struct PostByHand: CacheableModel, Equatable {
        let id: Int
        var title: String
        var views = 0
        var badge = Badge(name: "none", level: 0)

        static let recordName = "Post"
        static let projectionName = "Post"
        var modelIdentifier: ModelIdentifier? { "Post:\(id)" }

        static let fields = FieldTable("id", "badge", "title", "views", was: ["title": ["name", "headline"]])

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(id, at: 0)
            try node.encode(badge, at: 1)
            try node.encode(title, at: 2)
            try node.encode(views, at: 3)
        }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PostByHand {
            let id = try node.scan(Int.self, at: 0)
            let badge = try node.scanIfPresent(Badge.self, at: 1)
            let title = try node.scan(String.self, at: 2)
            let views = try node.scanIfPresent(Int.self, at: 3)
            return PostByHand(
                id: try node.finish(id), title: try node.finish(title), views: try node.finishIfPresent(views) ?? 5,
                badge: try node.finishIfPresent(badge) ?? Badge(name: "hand", level: 1))
        }
    }

    /// ``New/Post`` with no coding but `Codable`.
    struct PlainPost: CodableModel, Equatable {
        let id: Int
        let title: String
        let summary: String?
        let views: Int

        static let recordName = "Post"
        static let projectionName = "Post"
        var modelIdentifier: ModelIdentifier? { "Post:\(id)" }

        enum CodingKeys: String, CodingKey { case id, headline, title, summary, views }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            id = try values.decode(Int.self, forKey: .id)
            title =
                try values.decodeIfPresent(String.self, forKey: .title)
                ?? values.decode(String.self, forKey: .headline)
            summary = try values.decodeIfPresent(String.self, forKey: .summary)
            views = try values.decodeIfPresent(Int.self, forKey: .views) ?? 3
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(id, forKey: .id)
            try values.encode(title, forKey: .title)
            try values.encode(summary, forKey: .summary)
            try values.encode(views, forKey: .views)
        }
    }

    struct PlainNumbers: CodableModel, Equatable {
        let id: Int
        let small: Int64
        let whole: Double
        let single: Double

        static let recordName = "Numbers"
        static let projectionName = "Numbers"
        var modelIdentifier: ModelIdentifier? { "Numbers:\(id)" }
    }

    struct PlainWholes: CodableModel, Equatable {
        let id: Int
        let double: Int

        static let recordName = "Numbers"
        static let projectionName = "Numbers"
        var modelIdentifier: ModelIdentifier? { "Numbers:\(id)" }
    }

    /// A value of several types, which its coding tries one after another.
    enum AnyNumber: Codable, Equatable {
        case whole(Int)
        case wholes([Int])
        case fraction(Double)
        case fractions([Double])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let whole = try? value.decode(Int.self) {
                self = .whole(whole)
            } else if let fraction = try? value.decode(Double.self) {
                self = .fraction(fraction)
            } else if let wholes = try? value.decode([Int].self) {
                self = .wholes(wholes)
            } else {
                self = .fractions(try value.decode([Double].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .whole(let whole): try value.encode(whole)
            case .wholes(let wholes): try value.encode(wholes)
            case .fraction(let fraction): try value.encode(fraction)
            case .fractions(let fractions): try value.encode(fractions)
            }
        }
    }

    /// Tries the types the other way round.
    enum FractionFirst: Codable, Equatable {
        case whole(Int)
        case fraction(Double)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let fraction = try? value.decode(Double.self) {
                self = .fraction(fraction)
            } else {
                self = .whole(try value.decode(Int.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .whole(let whole): try value.encode(whole)
            case .fraction(let fraction): try value.encode(fraction)
            }
        }
    }

    struct FractionsFirst: CodableModel, Equatable {
        let id: Int
        let one: FractionFirst
        let many: [FractionFirst]
        var modelIdentifier: ModelIdentifier? { "FractionsFirst:\(id)" }
    }

    /// A number in a wrapper, which the later version makes a fraction.
    struct Walk: CodableModel, Equatable {
        struct Meters: RawRepresentable, Codable, Equatable { let rawValue: Int }
        let way: Meters
        var modelIdentifier: ModelIdentifier? { "Walk:1" }
    }

    struct ExactWalk: CodableModel, Equatable {
        struct Meters: RawRepresentable, Codable, Equatable { let rawValue: Double }
        static var recordName: String { "Walk" }
        static var projectionName: String { "Walk" }
        let way: Meters
        var modelIdentifier: ModelIdentifier? { "Walk:1" }
    }

    @Cacheable
    struct AnyNumbers {
        let id: Int
        let one: AnyNumber
        let many: [AnyNumber]
    }
#endif
