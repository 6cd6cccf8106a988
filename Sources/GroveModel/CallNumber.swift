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

    /// Before the first call.
    @inlinable
    package static var zero: CallNumber { CallNumber(rawValue: 0) }

    /// After every call.
    @inlinable
    package static var max: CallNumber { CallNumber(rawValue: .max) }

    /// Whether the call of `one` is older than that of `other`.
    @inlinable
    package static func < (one: CallNumber, other: CallNumber) -> Bool { one.rawValue < other.rawValue }

    /// The number before this one.
    package var previous: CallNumber { CallNumber(rawValue: rawValue &- 1) }

    /// How many numbers were given after `one` up to `other`; 0 if it is no later.
    @inlinable
    package static func numbers(after one: CallNumber, upTo other: CallNumber) -> UInt64 {
        other > one ? other.rawValue - one.rawValue : 0
    }
}
