public import GroveModel

/// The number of a commit of the database: each commit that changes models has the next one.
///
/// A commit's number is known to its feed only when the commit is visible, and numbers become visible in order.
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

/// The random identity of a feed: a database that was made again, or restored from a backup, has another one.
///
/// Numbers of two feeds have nothing to do with each other.
public struct FeedIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The identity as text.
    public let description: String

    /// Makes an identity.
    public init(_ description: String) { self.description = description }
}

/// A moment of the database: after one commit of one feed, and before the next.
public struct FeedPosition: Hashable, Sendable {
    /// Which feed numbers the commits.
    public let feed: FeedIdentity
    /// The last commit that is in.
    public let number: FeedNumber

    /// Makes a position.
    public init(feed: FeedIdentity, number: FeedNumber) {
        self.feed = feed
        self.number = number
    }
}

/// What the database says changed after a position that a cache asked about.
public struct FeedWord: Sendable {
    /// The last commit that the answer covers.
    public let position: FeedPosition
    /// Every identifier that was changed or deleted after the position asked about, up to ``position``, with the number of
    /// the last commit that changed it.
    ///
    /// `nil` says that everything may have changed: there was no position, it is another feed's, the feed was trimmed
    /// since, or a commit changed more identifiers than are remembered.
    public let changes: [ModelIdentifier: FeedNumber]?

    /// Makes an answer.
    public init(position: FeedPosition, changes: [ModelIdentifier: FeedNumber]?) {
        self.position = position
        self.changes = changes
    }
}
