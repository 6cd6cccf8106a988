/// The number of a call that writes to a store.
///
/// The cache assigns it when the call is made. It orders the calls of all processes that share the store: a record says
/// which call wrote it last.
@usableFromInline
package struct CallNumber: Comparable, Hashable, Sendable {
    /// The number.
    @usableFromInline package let rawValue: UInt64

    /// Makes a number.
    @inlinable
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The number before the first call.
    @inlinable
    package static var zero: CallNumber { CallNumber(rawValue: 0) }

    /// The number after every call.
    @inlinable
    package static var max: CallNumber { CallNumber(rawValue: .max) }

    /// Whether the call of `one` is older than that of `other`.
    @inlinable
    package static func < (one: CallNumber, other: CallNumber) -> Bool { one.rawValue < other.rawValue }

    /// The number before this one.
    package var previous: CallNumber { CallNumber(rawValue: rawValue &- 1) }
    /// The number after this one.
    package var next: CallNumber { CallNumber(rawValue: rawValue + 1) }

    /// The count of numbers in the store's order that other processes have taken before those of this process.
    ///
    /// The cache counts it when it sees their commits. It is added to the number that a call has in its own process.
    @usableFromInline
    package struct Shift: Hashable, Sendable {
        @usableFromInline package let rawValue: UInt64

        @inlinable
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The shift if no other process has written.
        @inlinable
        package static var zero: Shift { Shift(rawValue: 0) }

        @inlinable
        package static func + (one: Shift, other: Shift) -> Shift { Shift(rawValue: one.rawValue + other.rawValue) }
    }

    /// The count of numbers that were given after `one` up to `other`; zero if `other` is no later.
    @inlinable
    package static func numbers(after one: CallNumber, upTo other: CallNumber) -> Shift {
        Shift(rawValue: other > one ? other.rawValue - one.rawValue : 0)
    }
}
