import GroveModel

/// The changes since the oldest open request to the network: identifiers and turns, never models.
///
/// An answer is as old as its request. ``Engine/draft(_:asked:isList:found:)`` asks here which nodes of it are older
/// than those held.
struct RequestLog {
    /// The changes of one node.
    private struct Change {
        /// The last change of each projection.
        var projections: [(name: String, turn: Turn)] = []
        /// The turn of the last deletion.
        var deleted = Turn.zero

        var last: Turn { projections.reduce(deleted) { max($0, $1.turn) } }
    }

    /// The most identifiers that are kept.
    ///
    /// Beyond that, the requests that are open are sent again.
    static let most = 65_536

    private var open: [Turn: Int] = [:]
    private var changes: [ModelIdentifier: Change] = [:]
    /// The turn up to which changes are not known any more.
    ///
    /// The changes since turn zero, which a place of a cache has, are never known.
    private var forgotten = Turn.zero.next
    /// The turn of the last change that no answer brought.
    private(set) var lastEdit = Turn.zero

    var isOpen: Bool { !open.isEmpty }

    /// The number of identifiers that are kept.
    var count: Int { changes.count }

    /// Whether the changes since `turn` are not known any more.
    func isForgotten(since turn: Turn) -> Bool { turn < forgotten }

    mutating func begin(at turn: Turn) { open[turn, default: 0] += 1 }

    mutating func end(_ turn: Turn) {
        guard let count = open[turn] else { return }
        open[turn] = count > 1 ? count - 1 : nil
        if open.isEmpty { changes = [:] }
    }

    /// Notes that `projection` of a node changed.
    mutating func note(_ identifier: ModelIdentifier, _ projection: String, at turn: Turn) {
        func update(_ change: inout Change) {
            if let index = change.projections.firstIndex(where: { $0.name == projection }) {
                change.projections[index].turn = max(change.projections[index].turn, turn)
            } else {
                change.projections.append((projection, turn))
            }
        }
        update(&changes[identifier, default: Change()])
    }

    /// Notes an answer that was asked for at `turn`, except the nodes of `lost`, which it does not change.
    mutating func note(_ answer: [any Model], except lost: Set<ModelIdentifier>, at turn: Turn) {
        for model in answer {
            model.forEachInOrder { node in
                guard let identifier = node.modelIdentifier, !lost.contains(identifier) else { return }
                note(identifier, node.projectionIdentifier, at: turn)
            }
        }
    }

    /// Notes that a node was deleted.
    mutating func noteDeletion(_ identifier: ModelIdentifier, at turn: Turn) {
        changes[identifier, default: Change()].deleted = turn
    }

    /// Notes that a call, or another writer, changed or deleted something.
    mutating func noteEdit(at turn: Turn) { lastEdit = max(lastEdit, turn) }

    /// Forgets everything if more is kept than may be.
    ///
    /// - Returns: whether it did.
    mutating func forgetIfTooMany(beside learned: Int, at turn: Turn) -> Bool {
        guard changes.count + learned > RequestLog.most else { return false }
        forgotten = turn
        changes = [:]
        return true
    }

    /// The changes since `turn` of the nodes of `identifiers`.
    ///
    /// - Complexity: O(*n*) for *n* nodes, and those of them that each commit of others since then has changed.
    func changes(
        since turn: Turn, among identifiers: Set<ModelIdentifier>, and learned: LearnedCommits
    ) -> NodeChanges {
        var found = NodeChanges()
        if !changes.isEmpty {
            for identifier in identifiers {
                guard let change = changes[identifier], change.last > turn else { continue }
                if change.deleted > turn { found.deleted[identifier] = change.deleted }
                let projections = change.projections.filter { $0.turn > turn }
                if !projections.isEmpty { found.projections[identifier] = Dictionary(projections) { max($0, $1) } }
            }
        }
        learned.forEach(since: turn) { learnedAt, committed in
            let deleted = committed.deletedModelIds
            for identifier in committed.changed(among: identifiers, isHeld: identifiers.contains) {
                if committed.extent != .named {
                    found.uncertain.insert(identifier)
                } else if deleted.contains(identifier) {
                    found.deleted[identifier] = max(found.deleted[identifier] ?? .zero, learnedAt)
                } else {
                    found.others[identifier] = learnedAt
                }
            }
        }
        return found
    }
}

/// The changes of some nodes since a request was sent.
struct NodeChanges {
    fileprivate var projections: [ModelIdentifier: [String: Turn]] = [:]
    fileprivate var others: [ModelIdentifier: Turn] = [:]
    fileprivate var deleted: [ModelIdentifier: Turn] = [:]
    /// The nodes that other writers may have changed: it is not known which ones they did.
    fileprivate var uncertain: Set<ModelIdentifier> = []

    enum Verdict {
        case unchanged
        case uncertain
        case changed
        case deleted
    }

    var isEmpty: Bool { projections.isEmpty && others.isEmpty && deleted.isEmpty && uncertain.isEmpty }

    /// Whether the node was deleted, also if it was written again.
    func wasDeleted(_ identifier: ModelIdentifier) -> Bool { deleted[identifier] != nil }

    /// The verdict on `projection` of a node.
    func verdict(_ identifier: ModelIdentifier, _ projection: String) -> Verdict {
        let changed = max(projections[identifier]?[projection] ?? .zero, others[identifier] ?? .zero)
        let deleted = deleted[identifier] ?? .zero
        if deleted > changed { return .deleted }
        if changed > .zero { return .changed }
        return uncertain.contains(identifier) ? .uncertain : .unchanged
    }
}

/// The commits of other writers while a read or a request was open, by the turns at which they were learned of.
struct LearnedCommits {
    private var commits: [(turn: Turn, changes: any CommittedChanges)] = []
    /// The nodes that were read again because the cache has newer versions, by the turn of that read.
    private var reread: [(turn: Turn, names: Set<ModelIdentifier>)] = []
    /// The number of nodes that commits name which were learned of since requests were last forgotten.
    private(set) var count = 0

    var isEmpty: Bool { commits.isEmpty && reread.isEmpty }

    mutating func add(_ changes: any CommittedChanges, at turn: Turn) {
        commits.append((turn, changes))
        count += max(changes.count, 1)
    }

    /// Notes that `names` were read again at `turn`: an earlier read or answer may still bring older versions.
    mutating func add(rereadOf names: Set<ModelIdentifier>, at turn: Turn) {
        if !names.isEmpty { reread.append((turn, names)) }
    }

    mutating func removeAll() { self = LearnedCommits() }

    /// Keeps the commits for the read that is open, and counts only those that come.
    mutating func beginCounting() { count = 0 }

    /// Whether everything, or everything of a type, was emptied since `turn`.
    func isOver(since turn: Turn) -> Bool { commits.contains { $0.turn > turn && $0.changes.beginsLife } }

    func forEach(since turn: Turn, _ body: (Turn, any CommittedChanges) -> Void) {
        for (learnedAt, changes) in commits where learnedAt > turn { body(learnedAt, changes) }
    }

    /// The ones of `identifiers` that were deleted since `turn`, also if they were written again.
    func deleted(since turn: Turn, among identifiers: Set<ModelIdentifier>) -> Set<ModelIdentifier> {
        guard !identifiers.isEmpty else { return [] }
        var deleted: Set<ModelIdentifier> = []
        forEach(since: turn) { deleted.formUnion($1.deletedModelIds.intersection(identifiers)) }
        return deleted
    }

    /// The ones of `identifiers` that were changed, or read again, since `turn`.
    func changed(since turn: Turn, among identifiers: Set<ModelIdentifier>) -> Set<ModelIdentifier> {
        guard !identifiers.isEmpty else { return [] }
        var changed: Set<ModelIdentifier> = []
        forEach(since: turn) { changed.formUnion($1.changed(among: identifiers, isHeld: identifiers.contains)) }
        for (readAt, names) in reread where readAt > turn { changed.formUnion(names.intersection(identifiers)) }
        return changed
    }
}
