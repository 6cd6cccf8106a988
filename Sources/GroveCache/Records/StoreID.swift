/// A store's content, from its first commit until it is wiped.
///
/// The first commit draws it at random. It orders nothing: commits of two contents are not compared.
struct StoreID: RawRepresentable, Hashable, Codable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The identity of a store without a commit.
    static let none = StoreID(rawValue: 0)

    static func random() -> StoreID { StoreID(rawValue: .random(in: 1 ... .max)) }
}

/// A number that tells a commit from another one of the same number: after a loss of power, another commit may have its number.
///
/// The commit draws it at random. It orders nothing.
struct CommitMark: RawRepresentable, Hashable, Codable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The mark of no commit.
    static let none = CommitMark(rawValue: 0)

    static func random() -> CommitMark { CommitMark(rawValue: .random(in: .min ... .max)) }
}
