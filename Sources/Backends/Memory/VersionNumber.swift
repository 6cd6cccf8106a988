/// The number of a version of a ``ByteTree``.
///
/// The transaction that makes the tree takes the number after the last version's. It orders versions. A node has the
/// number of the tree that made it.
struct VersionNumber: Comparable, Sendable {
    private let rawValue: UInt64

    /// The number before the first version's.
    static var none: VersionNumber { VersionNumber(rawValue: 0) }

    private init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The version after this one.
    var next: VersionNumber { VersionNumber(rawValue: rawValue + 1) }
    /// The version before this one.
    var previous: VersionNumber { VersionNumber(rawValue: rawValue - 1) }

    static func < (one: VersionNumber, other: VersionNumber) -> Bool { one.rawValue < other.rawValue }
}
