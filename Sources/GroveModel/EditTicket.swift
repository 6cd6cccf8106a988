/// The number of a follower's edit of a list.
///
/// The follower gives it when the edit is made. It orders the edits of that follower; commits and lists that are read
/// name the last one that is in them.
package struct EditTicket: Comparable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The ticket of no edit of the follower's.
    package static let none = EditTicket(rawValue: 0)

    /// The ticket of the next edit.
    package var next: EditTicket { EditTicket(rawValue: rawValue + 1) }

    package static func < (one: EditTicket, other: EditTicket) -> Bool { one.rawValue < other.rawValue }
}
