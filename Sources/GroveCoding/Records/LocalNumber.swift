package import GroveModel

/// The number of a call in the process that made it.
///
/// The cache gives it when the call is made. It orders the calls of this process; the order of the store, in which
/// other processes' calls have numbers too, is told when the call is committed, by ``number(shiftedBy:)``.
package struct LocalNumber: Comparable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The call that had `number` in the store's order when other processes' commits had added `shift`.
    package init(_ number: CallNumber, shiftedBy shift: CallNumber.Shift) {
        rawValue = CallNumber.numbers(after: CallNumber(rawValue: shift.rawValue), upTo: number).rawValue
    }

    /// The number before the first call's.
    package static var zero: LocalNumber { LocalNumber(rawValue: 0) }

    package static func < (one: LocalNumber, other: LocalNumber) -> Bool { one.rawValue < other.rawValue }

    /// The number of the next call.
    package var next: LocalNumber { LocalNumber(rawValue: rawValue + 1) }

    /// The number in the store's order, if other processes' commits have added `shift`.
    package func number(shiftedBy shift: CallNumber.Shift) -> CallNumber {
        CallNumber(rawValue: rawValue + shift.rawValue)
    }

    /// The shift by which this number comes next after `last`, which is no less than it.
    package func shift(after last: CallNumber) -> CallNumber.Shift {
        CallNumber.Shift(rawValue: last.rawValue + 1 - rawValue)
    }
}
