/// A life of a cache, for one opening of it: a wipe or a replacement of its files begins another.
///
/// The cache gives it. It orders nothing: an answer that was asked for in one life is not stored in another.
package struct LifeID: Hashable, Sendable {
    /// A random number, so that no life of another opening is one of this.
    private let opening: UInt64
    /// The number of times that a call of this process emptied the cache, or deleted all models of a type.
    ///
    /// Files that were replaced, as by another process's wipe, do not count.
    package private(set) var wipes = WipeCount.zero
    private var replacements = 0

    private init(opening: UInt64) { self.opening = opening }

    /// The life of no cache.
    package static let none = LifeID(opening: 0)

    /// The first life of an opening.
    package static func first() -> LifeID { LifeID(opening: .random(in: 1 ... .max)) }

    /// Begins the life after a wipe by a call of this process.
    package mutating func wipe() { wipes = wipes + 1 }

    /// Begins the life after the files were replaced.
    package mutating func replace() { replacements += 1 }
}

/// The number of times that a cache was emptied.
///
/// The cache counts, and says of whose wipes: this process's, other processes', or all. A change that was made at one
/// count is not stored at another.
package struct WipeCount: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let zero = WipeCount(rawValue: 0)

    /// The count after `more` wipes.
    package static func + (count: WipeCount, more: Int) -> WipeCount {
        WipeCount(rawValue: count.rawValue &+ UInt64(max(more, 0)))
    }
}
