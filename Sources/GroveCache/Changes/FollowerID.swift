/// A follower of a cache, such as a data model manager.
///
/// The cache gives it when the follower begins; its order means nothing. A follower is not told of the commits of its
/// own calls.
struct FollowerID: Hashable, Sendable {
    let rawValue: UInt64

    /// The value for a call that no follower made.
    static let none = FollowerID(rawValue: 0)
}
