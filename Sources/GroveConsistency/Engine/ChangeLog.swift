import GroveModel

/// The models posted and deleted since the oldest read of the cache that is under way.
///
/// A tree that a read brings is older than these; see ``Engine/graft(_:since:over:)``.
struct ChangeLog {
    struct Entry {
        /// The turn that the change is as of.
        var sequence: Turn
        /// The turn at which it was applied: a later one if it was read.
        var appliedAt: Turn
        var change: ModelChange
        /// The turn of the last deletion: earlier holders do not hold the model again, even if it was posted since.
        var deletedAt = Turn.zero
    }

    private(set) var entries: [ModelIdentifier: Entry] = [:]
    private var openReads = 0

    var isOpen: Bool { openReads > 0 }

    mutating func open(_ count: Int = 1) { openReads += count }

    mutating func close() {
        openReads -= 1
        if openReads == 0 { entries = [:] }
    }

    /// The identifiers in the log that `changes` changed.
    func changed(by changes: any CommittedChanges) -> [ModelIdentifier] {
        entries.isEmpty ? [] : changes.changed(among: entries.keys) { entries[$0] != nil }
    }

    /// Whether the model was posted or deleted since `turn`.
    func hasChanged(_ identifier: ModelIdentifier, since turn: Turn) -> Bool {
        entries[identifier].map { $0.sequence > turn } ?? false
    }

    mutating func record(_ model: any Model, _ identifier: ModelIdentifier, at sequence: Turn, appliedAt: Turn) {
        var models: [any Model] = []
        if case .updated(let before)? = entries[identifier]?.change {
            let projection = model.projectionIdentifier
            models = before.filter { $0.projectionIdentifier != projection }
        }
        let deletedAt = entries[identifier]?.deletedAt ?? .zero
        let newest = max(sequence, entries[identifier]?.sequence ?? .zero)
        entries[identifier] = Entry(
            sequence: newest, appliedAt: appliedAt, change: .updated(models + [model]), deletedAt: deletedAt)
    }

    mutating func recordDelete(_ identifier: ModelIdentifier, at sequence: Turn, appliedAt: Turn) {
        let newest = max(sequence, entries[identifier]?.sequence ?? .zero)
        entries[identifier] = Entry(sequence: newest, appliedAt: appliedAt, change: .deleted, deletedAt: newest)
    }
}
