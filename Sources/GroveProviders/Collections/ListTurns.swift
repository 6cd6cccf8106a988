import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an answer of the network or a read is compared with: when a shared list was last set, edited and changed, and
/// how.
struct ListTurns<T: SimpleModel> {
    /// The time at which the network last brought the list as it is; an edit does not confirm it.
    var confirmed: Date?
    /// The turn at which the list was last edited or set.
    var editedAt = Turn.zero
    /// The turn as of which a change by others was last shown.
    var changedAt = Turn.zero
    /// The turn at which the whole list was set, or asked for.
    var setAt = Turn.zero
    /// The last edits, for answers that were asked for before.
    var recent: [(turn: Turn, edit: EntryEdit<T>)] = []

    /// Notes an edit at `turn`, for the answers of the open requests: the oldest of them was sent at `oldest`.
    mutating func note(_ edit: EntryEdit<T>, at turn: Turn, since oldest: Turn?) {
        editedAt = max(editedAt, turn)
        confirmed = nil
        guard let oldest else { return recent = [] }
        recent.removeAll { $0.turn <= oldest }
        recent.append((turn, edit))
    }
}
