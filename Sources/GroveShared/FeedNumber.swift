public import GroveModel

/// The number of a commit of the database; each commit that changes models gets the next number.
///
/// A feed lists a commit only when the commit is visible, and numbers become visible in order.
public struct FeedNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt64

    /// Makes a number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Orders numbers as the commits were made.
    public static func < (left: FeedNumber, right: FeedNumber) -> Bool { left.rawValue < right.rawValue }

    /// The number as text.
    public var description: String { String(rawValue) }
}

/// The random identity of a feed; a database that was created again, or restored from a backup, has a new one.
///
/// Numbers of different feeds cannot be compared.
public struct FeedIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The identity as text.
    public let description: String

    /// Makes an identity.
    public init(_ description: String) { self.description = description }
}

/// A moment of the database: after one commit of a feed, and before the next.
public struct FeedPosition: Hashable, Sendable {
    /// The feed that numbers the commits.
    public let feed: FeedIdentity
    /// The last commit that is included.
    public let number: FeedNumber

    /// Makes a position.
    public init(feed: FeedIdentity, number: FeedNumber) {
        self.feed = feed
        self.number = number
    }
}

/// The changes of the database after the position that a cache asked about.
public struct FeedWord: Sendable {
    /// The last commit that the answer covers.
    public let position: FeedPosition
    /// Every identifier that was changed or deleted after the position asked about, up to ``position``, with the number
    /// of the last commit that changed it.
    ///
    /// It is `nil` if everything may have changed. That is so if no position was given, or if it is of another feed. It
    /// is also so if the feed was trimmed since, or if a commit changed more identifiers than the database remembers.
    public let changes: [ModelIdentifier: FeedNumber]?

    /// Makes an answer.
    public init(position: FeedPosition, changes: [ModelIdentifier: FeedNumber]?) {
        self.position = position
        self.changes = changes
    }
}
