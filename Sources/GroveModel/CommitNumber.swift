/// The number of a commit.
///
/// The store assigns it when the commit is made. It orders the commits of all processes that share the store, and a
/// history is read in that order.
package struct CommitNumber: RawRepresentable, Comparable, Hashable, Codable, Sendable {
    /// The number.
    package let rawValue: UInt64

    /// The number before the first commit.
    package static var zero: CommitNumber { CommitNumber(rawValue: 0) }

    /// The count of commits after `one` up to `other`; 0 if `other` is no later.
    package static func commits(after one: CommitNumber, upTo other: CommitNumber) -> UInt64 {
        other > one ? other.rawValue - one.rawValue : 0
    }

    /// The commit before this one, if there was one.
    package var previous: CommitNumber { CommitNumber(rawValue: rawValue - min(rawValue, 1)) }

    /// The commit after this one.
    package var next: CommitNumber { CommitNumber(rawValue: rawValue + 1) }

    /// Makes a number.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether commit `one` was made before `other`.
    package static func < (one: CommitNumber, other: CommitNumber) -> Bool { one.rawValue < other.rawValue }
}
