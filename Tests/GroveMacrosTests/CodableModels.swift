#if Macros
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import GroveMacros

    /// The models of Models.swift with no coding but `Codable`, under the same record names.
    enum Plain {
        struct Person: Model, CodableModel, Hashable {
            static var recordName: String { "Person" }
            static var projectionName: String { "Person" }
            var id: Int
            var name: String
            var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
            func map(_ transform: (any Model) -> (any Model)?) -> Person? { self }
            func forEach(_ visit: (any Model) -> Void) {}
        }

        struct Frame: CodableModel, Equatable {
            var owner: Person?
            var width: Double
            var modelIdentifier: ModelIdentifier? { nil }
        }

        struct Message: CodableModel, Equatable {
            static var recordName: String { "Message" }
            static var projectionName: String { "Message" }
            var zeta: Person
            var id: String
            var text: String?
            var mood: Mood
            var rank: Rank
            var date: Date
            var data: Data
            var uuid: UUID
            var link: URL
            var price: Decimal
            var badge: Badge
            var badges: [Badge]
            var unique: Set<Badge>
            var alpha: Person?
            var replies: [Person]
            var byName: [String: Person]
            var byNumber: [Int: Badge]
            var flags: [Flag?]
            var frame: Frame?
            var frames: [Frame?]
            var twice: Int??
            var badgeTwice: Badge??
            var tags: Set<String>
            var scores: [String: Double]
            var ratio: Float
            var small: Int8
            var tiny: Int8
            var big: UInt64
            var isRead: Bool
            var crowds: [[Person]]
            var teams: [String: [Person]?]
            var fans: Set<Person>
            var `default`: Int
            var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
        }

        enum Item: CodableModel, Equatable {
            case person(Person)
            case note(text: String, count: Int?)
            case separator
            case pair(Person, Person)
            case frame(Frame)
            case badge(Badge)
            case people([Person])
            indirect case nested(Item)

            var modelIdentifier: ModelIdentifier? {
                switch self {
                case .person(let person): person.modelIdentifier
                default: nil
                }
            }
        }

        struct Feed: CodableModel, Equatable {
            static var recordName: String { "Feed" }
            static var projectionName: String { "Feed" }
            var id: String
            var items: [Item]
            var top: Item?
            var byName: [String: Item]
            var modelIdentifier: ModelIdentifier? { "Feed:\(id)" }
        }
    }

    extension Plain.Person { init(_ person: Person) { self.init(id: person.id, name: person.name) } }

    extension Plain.Frame {
        init(_ frame: Frame) { self.init(owner: frame.owner.map { Plain.Person($0) }, width: frame.width) }
    }

    extension Plain.Message {
        init(_ message: Message) {
            self.init(
                zeta: Plain.Person(message.zeta), id: message.id, text: message.text, mood: message.mood,
                rank: message.rank, date: message.date, data: message.data, uuid: message.uuid, link: message.link,
                price: message.price, badge: message.badge, badges: message.badges, unique: message.unique,
                alpha: message.alpha.map { Plain.Person($0) }, replies: message.replies.map { Plain.Person($0) },
                byName: message.byName.mapValues { Plain.Person($0) }, byNumber: message.byNumber,
                flags: message.flags, frame: message.frame.map { Plain.Frame($0) },
                frames: message.frames.map { $0.map { Plain.Frame($0) } }, twice: message.twice,
                badgeTwice: message.badgeTwice, tags: message.tags, scores: message.scores, ratio: message.ratio,
                small: message.small, tiny: message.tiny, big: message.big, isRead: message.isRead,
                crowds: message.crowds.map { $0.map { Plain.Person($0) } },
                teams: message.teams.mapValues { $0?.map { Plain.Person($0) } },
                fans: Set(message.fans.map { Plain.Person($0) }), default: message.default)
        }
    }

    extension Message {
        /// A message with something in every field.
        static func sample(_ seed: Int) -> Message {
            func person(_ id: Int) -> Person { Person(id: id, name: "Person number \(id)") }
            func badge(_ index: Int) -> Badge {
                Badge(name: "badge \(index * seed)", level: index % 2 == 0 ? nil : index)
            }
            let twices: [Int??] = [.none, .some(.none), .some(.some(5))]
            let badgeTwices: [Badge??] = [.none, .some(.none), .some(.some(badge(3)))]
            return Message(
                zeta: person(1), id: "m\(seed)", text: seed % 2 == 0 ? "grüße 👋\u{0}" : nil,
                mood: seed % 2 == 0 ? .calm : .cross, rank: .high,
                date: Date(timeIntervalSinceReferenceDate: Double(seed) * 12_345.678),
                data: Data((0..<40).map { UInt8(truncatingIfNeeded: $0 * seed) }),
                uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(truncatingIfNeeded: seed))),
                link: URL(string: "https://example.org/path?q=%20&seed=\(seed)") ?? URL(filePath: "/"),
                price: Decimal(sign: .minus, exponent: -2, significand: Decimal(seed * 7 + 1)),
                badge: badge(1), badges: (0..<3).map(badge), unique: Set((0..<20).map(badge)),
                alpha: seed % 3 == 0 ? nil : person(2), replies: [person(3), person(1), person(3)],
                byName: ["one": person(1), "a longer key": person(4), "": person(5)],
                byNumber: [3: badge(4), -1: badge(5), 100_000: badge(6)], flags: [.on, nil, .off],
                frame: Frame(owner: person(6), width: 1.5),
                frames: [nil, Frame(owner: nil, width: .infinity), Frame(owner: person(7), width: -0.0)],
                twice: twices[seed % 3], badgeTwice: badgeTwices[seed / 3 % 3],
                tags: ["swift", "cbor", "a", "bb", "aa"],
                scores: ["x": 0.1, "yy": 2, "zzz": .pi], ratio: 0.1, small: -128, tiny: 1, big: .max, isRead: true,
                crowds: [[person(8)], [], [person(9), person(8)]], teams: ["none": nil, "some": [person(10)]],
                fans: [person(11), person(12), person(113)], default: seed)
        }
    }
#endif
