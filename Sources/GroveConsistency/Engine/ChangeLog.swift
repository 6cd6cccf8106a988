import GroveModel

/// What was posted and deleted since the oldest fetch that is under way.
///
/// A tree that a fetch brings is older than that; see ``Engine/graft(_:since:)``.
struct ChangeLog {
    struct Entry {
        /// As of which place it is.
        var sequence: UInt64
        /// At which place it was applied: a later one where it was read.
        var appliedAt: UInt64
        var change: ModelChange
        /// The last deletion: who held the model before does not hold it again, even if it was posted since.
        var deletedAt: UInt64 = 0
    }

    private(set) var entries: [ModelIdentifier: Entry] = [:]
    private var openFetches = 0
    /// Those that read what a cache committed.
    private var openFollowings = 0
    /// What was committed since the oldest of them began, and when its own reading began.
    private var followed: [(began: UInt64, changes: any CommittedChanges)] = []
    /// What was committed since the oldest of the other fetches began.
    private var unsettled: [any CommittedChanges] = []

    var isOpen: Bool { openFetches > 0 }

    /// Whether something was committed while something else was read.
    var isFollowed: Bool { !followed.isEmpty }

    mutating func open() { openFetches += 1 }

    mutating func close() {
        openFetches -= 1
        if openFetches == 0 { entries = [:] }
    }

    /// - Parameter changes: what was committed; `nil` where it is what was looked at before.
    mutating func openFollowing(_ changes: (any CommittedChanges)?, at sequence: UInt64) {
        if let changes, openFetches > openFollowings { unsettled.append(changes) }
        if let changes, openFollowings > 0 { followed.append((sequence, changes)) }
        openFollowings += 1
        open()
    }

    mutating func closeFollowing() {
        openFollowings -= 1
        if openFollowings == 0 { followed = [] }
        close()
    }

    /// What the log has of `changes`.
    func changed(by changes: any CommittedChanges) -> [ModelIdentifier] {
        entries.isEmpty ? [] : changes.changed(among: entries.keys) { entries[$0] != nil }
    }

    /// Those of `identifiers` of which a newer version was committed than what was read as of `began`.
    func changed(since began: UInt64, among identifiers: Set<ModelIdentifier>) -> Set<ModelIdentifier> {
        followed.reduce(into: []) { changed, followed in
            guard followed.began > began else { return }
            changed.formUnion(followed.changes.changed(among: identifiers) { identifiers.contains($0) })
        }
    }

    /// What was committed while fetches were under way, given out once.
    mutating func takeUnsettled() -> [any CommittedChanges] {
        defer { unsettled = [] }
        return unsettled
    }

    mutating func record(_ model: any Model, _ identifier: ModelIdentifier, at sequence: UInt64, appliedAt: UInt64) {
        var models: [any Model] = []
        if case .updated(let before)? = entries[identifier]?.change {
            let projection = model.projectionIdentifier
            models = before.filter { $0.projectionIdentifier != projection }
        }
        let deletedAt = entries[identifier]?.deletedAt ?? 0
        let newest = max(sequence, entries[identifier]?.sequence ?? 0)
        entries[identifier] = Entry(
            sequence: newest, appliedAt: appliedAt, change: .updated(models + [model]), deletedAt: deletedAt)
    }

    mutating func recordDelete(_ identifier: ModelIdentifier, at sequence: UInt64, appliedAt: UInt64) {
        let newest = max(sequence, entries[identifier]?.sequence ?? 0)
        entries[identifier] = Entry(sequence: newest, appliedAt: appliedAt, change: .deleted, deletedAt: newest)
    }
}
