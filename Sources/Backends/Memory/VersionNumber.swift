/// A version of a ``ByteTree``.
///
/// The transaction that makes the tree gives it: the one after the last version. It orders versions; a node's is that of the tree that
/// made it.
struct VersionNumber: Comparable, Sendable {
    private let rawValue: UInt64

    /// Before the first version.
    static var none: VersionNumber { VersionNumber(rawValue: 0) }

    private init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The version after this one.
    var next: VersionNumber { VersionNumber(rawValue: rawValue + 1) }
    /// The version before this one.
    var previous: VersionNumber { VersionNumber(rawValue: rawValue - 1) }

    static func < (one: VersionNumber, other: VersionNumber) -> Bool { one.rawValue < other.rawValue }
}
