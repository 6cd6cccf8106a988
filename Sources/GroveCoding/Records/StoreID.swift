/// A store's content, from its first commit until it is wiped.
///
/// The first commit draws it at random. It orders nothing: commits of two contents are not compared.
package struct StoreID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The identity of a store without a commit.
    package static let none = StoreID(rawValue: 0)

    package static func random() -> StoreID { StoreID(rawValue: .random(in: 1 ... .max)) }
}

/// A number that tells a commit from another one of the same number: after a loss of power, another commit may have its
/// number.
///
/// The commit draws it at random. It orders nothing.
package struct CommitMark: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The mark of no commit.
    package static let none = CommitMark(rawValue: 0)

    package static func random() -> CommitMark { CommitMark(rawValue: .random(in: .min ... .max)) }
}
