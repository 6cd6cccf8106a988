/// A turn in the order of one manager's calls.
///
/// The manager's engine gives it when a call is made, a request is sent, or a commit of another writer is learned of. It orders
/// what happens in memory.
package struct Turn: Comparable, Hashable, Sendable {
    package var rawValue: UInt64

    /// Before the first call.
    package static let zero = Turn(rawValue: 0)

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (one: Turn, other: Turn) -> Bool { one.rawValue < other.rawValue }

    /// The turn after this one.
    package var next: Turn { Turn(rawValue: rawValue + 1) }
    /// The turn before this one.
    package var previous: Turn { Turn(rawValue: rawValue - 1) }
}

/// The number of a call that writes to a store.
///
/// The cache assigns it when the call is made. It orders the calls of all processes that share the store: a record says
/// which call wrote it last.
@frozen
public struct CallNumber: Comparable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Makes a number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Before the first call.
    @inlinable
    package static var zero: CallNumber { CallNumber(rawValue: 0) }

    /// After every call.
    @inlinable
    package static var max: CallNumber { CallNumber(rawValue: .max) }

    /// Whether the call of `one` is older than that of `other`.
    @inlinable
    public static func < (one: CallNumber, other: CallNumber) -> Bool { one.rawValue < other.rawValue }

    /// The number before this one.
    package var previous: CallNumber { CallNumber(rawValue: rawValue &- 1) }

    /// How many numbers were given after `one` up to `other`; 0 if it is no later.
    @inlinable
    package static func numbers(after one: CallNumber, upTo other: CallNumber) -> UInt64 {
        other > one ? other.rawValue - one.rawValue : 0
    }
}

/// The number of a commit.
///
/// The store assigns it when the commit is made. It orders the commits of all processes that share the store, and a
/// history is read in that order.
public struct CommitNumber: RawRepresentable, Comparable, Hashable, Codable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Before the first commit.
    package static var zero: CommitNumber { CommitNumber(rawValue: 0) }

    /// How many commits were made after `one` up to `other`; 0 if it is no later.
    package static func commits(after one: CommitNumber, upTo other: CommitNumber) -> UInt64 {
        other > one ? other.rawValue - one.rawValue : 0
    }

    /// The commit before this one, if there was one.
    package var previous: CommitNumber { CommitNumber(rawValue: rawValue - min(rawValue, 1)) }

    /// The commit after this one.
    package var next: CommitNumber { CommitNumber(rawValue: rawValue + 1) }

    /// Makes a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether commit `one` was made before `other`.
    public static func < (one: CommitNumber, other: CommitNumber) -> Bool { one.rawValue < other.rawValue }
}
