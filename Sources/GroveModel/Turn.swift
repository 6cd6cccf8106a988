/// The number of an event in the order of one manager's calls.
///
/// The manager's engine gives a number to each call, to each request, and to each commit of another writer when it
/// learns of the commit. The numbers order the events in memory.
package struct Turn: Comparable, Hashable, Sendable {
    package var rawValue: UInt64

    /// The turn before the first call.
    package static let zero = Turn(rawValue: 0)

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (one: Turn, other: Turn) -> Bool { one.rawValue < other.rawValue }

    /// The turn after this one.
    package var next: Turn { Turn(rawValue: rawValue + 1) }
    /// The turn before this one.
    package var previous: Turn { Turn(rawValue: rawValue - 1) }
}
