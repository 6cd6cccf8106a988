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
}

/// The number of a call that writes to a store.
///
/// The cache gives it when the call is made. It orders the calls of all processes that share the store: a record says which call
/// wrote it last.
public struct CallNumber: Comparable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Before the first call.
    package static let first = CallNumber(rawValue: 0)

    /// Makes a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether the call of `one` is older than that of `other`.
    public static func < (one: CallNumber, other: CallNumber) -> Bool { one.rawValue < other.rawValue }
}

/// The number of a commit.
///
/// The store gives it when the commit is made. It orders the commits of all processes that share the store; a history is read by
/// it.
public struct CommitNumber: Comparable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Before the first commit.
    package static let first = CommitNumber(rawValue: 0)

    /// The commit before this one.
    package var before: CommitNumber { CommitNumber(rawValue: rawValue &- 1) }

    /// Makes a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether commit `one` was made before `other`.
    public static func < (one: CommitNumber, other: CommitNumber) -> Bool { one.rawValue < other.rawValue }
}
