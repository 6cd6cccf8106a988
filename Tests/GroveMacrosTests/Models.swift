#if Macros
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    public import GroveMacros

    // Models of every kind, as an application declares them. The same by `Codable` are in CodableModels.swift.

    @Cacheable
    enum Mood: String, Codable, CaseIterable {
        case calm, cross
    }

    /// A leaf that conforms to `NodeCodable` without the macro.
    enum Rank: Int, Codable, NodeCodable {
        case low = 1
        case high = 300
    }

    /// A leaf whose only coding is `Codable`.
    struct Badge: Hashable, Codable {
        var name: String
        var level: Int?
    }

    /// A leaf whose only coding is `Codable`, and which may be null.
    enum Flag: String, Codable { case on, off }

    @Cacheable
    struct Person: Hashable {
        let id: Int
        let name: String
    }

    /// Without an identifier: it stands in its holder's record.
    @Cacheable
    struct Frame {
        var owner: Person?
        var width: Double
    }

    @Cacheable
    struct Message {
        let zeta: Person
        let id: String
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
        var scores: Swift.Dictionary<String, Double>
        var ratio: Float
        var small: Int8, tiny: Int8
        var big: UInt64
        var isRead: Bool
        var crowds: [[Person]]
        var teams: [String: [Person]?]
        var fans: Set<Person>
        var `default`: Int
    }

    /// What a record leaves out, and what equality ignores.
    @Cacheable
    struct Draft {
        static let limit = 10
        static var shared: Draft { Draft(id: 0, text: "") }
        let kind = "draft"
        let id: Int
        private(set) var text: String {
            didSet { edits += 1 }
        }
        private var secret = 7
        @CacheIgnored var edits = 0
        @CacheIgnored @EqualityIgnored var onChange: (@Sendable () -> Void)?
        @EqualityIgnored var seen: Bool = false
        var length: Int { text.count }
        var upper: String {
            get { text.uppercased() }
            set { text = newValue.lowercased() }
        }

        init(id: Int, text: String, secret: Int = 7) {
            self.id = id
            self.text = text
            self.secret = secret
        }
    }

    @Cacheable
    final class Fork {
        let id: String
        let left: Fork?
        let right: Fork?

        init(_ id: String, _ left: Fork? = nil, _ right: Fork? = nil) {
            self.id = id
            self.left = left
            self.right = right
        }
    }

    /// A heterogeneous feed.
    @Cacheable
    enum Item {
        case person(Person)
        case fork(it: Fork)
        case note(text: String, count: Int?)
        case separator
        case pair(Person, Person)
        case frame(Frame)
        case badge(Badge)
        case people([Person])
        indirect case nested(Item)
    }

    @Cacheable
    struct Feed {
        let id: String
        let items: [Item]
        let top: Item?
        let byName: [String: Item]
    }

    // MARK: Identity

    @Cacheable(id: "userID")
    struct Account {
        let userID: UUID
        let name: String
    }

    @Cacheable
    struct Custom {
        let id: Int
        let name: String
        var modelIdentifier: ModelIdentifier? { "custom-\(id)-\(name)" }
    }

    /// Identified in some values only.
    @Cacheable
    struct Attachment {
        let id: Int?
        let name: String
    }

    @Cacheable
    struct Mail {
        let id: Int
        let attachments: [Attachment]
    }

    @Cacheable
    struct Settings {
        let id = "only"
        var isDark: Bool
    }

    // MARK: Projections

    @Cacheable
    struct Profile {
        let id: Int
        let name: String
        let bio: String?
        let friend: Profile.Friend?
        let friends: [Profile.Friend]

        @Cacheable(record: "Friend", projection: "Full")
        struct Friend {
            let id: Int
            let name: String
            let age: Int
        }
    }

    @Cacheable(record: "Profile")
    struct SmallProfile {
        let id: Int
        let name: String
        let friend: SmallFriend?
        let friends: [SmallFriend]
    }

    @Cacheable(record: "Friend")
    struct SmallFriend {
        let id: Int
        let name: String
    }

    // MARK: Access

    /// A public model: what is generated is public too.
    @Cacheable
    public struct Open {
        /// The identifier.
        public let id: String
        let inner: Inner
        private let hidden: Hidden

        init(id: String, inner: Inner, hidden: Int) {
            self.id = id
            self.inner = inner
            self.hidden = Hidden(value: hidden)
        }

        @Cacheable
        struct Inner {
            let value: Int
        }

        private struct Hidden: Codable, Equatable {
            let value: Int
        }
    }

    @Cacheable
    private struct Private {
        let id: Int
    }

    /// Children that are models by hand and have no `==`, and some behind an alias.
    @Cacheable
    struct Holder {
        typealias Crowd = [ByHand]

        let id: Int
        let one: ByHand
        let maybe: ByHand?
        let crowd: Crowd
    }

    struct ByHand: Model, Codable {
        let id: Int
        var modelIdentifier: ModelIdentifier? { "ByHand:\(id)" }
        func isEqual(to model: any SimpleModel) -> Bool { (model as? ByHand)?.id == id }
        func map(_ transform: (any Model) -> (any Model)?) -> ByHand? { self }
        func forEach(_ visit: (any Model) -> Void) {}
    }

    // Two projections of one record, and what they hold in place.

    @Cacheable
    struct Label { let text: String; let note: String? }

    @Cacheable
    struct BriefLabel { let text: String }

    @Cacheable
    enum Choice { case some(text: String, note: String?) }

    @Cacheable
    enum BriefChoice { case some(text: String) }

    @Cacheable
    struct Tagged {
        let id: Int
        let label: Label?
        let labels: [Label]?
        let choice: Choice?
    }

    @Cacheable
    struct BriefTagged {
        let id: Int
        let label: BriefLabel?
        let labels: [BriefLabel]?
        let choice: BriefChoice?
        static let recordName = "Tagged"
        var modelIdentifier: ModelIdentifier? { "Tagged:\(id)" }
    }
#endif
