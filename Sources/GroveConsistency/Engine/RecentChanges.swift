import GroveModel

/// The changes since the oldest read or request that is open: they win over what it brings.
struct RecentChanges {
    /// The updates since the oldest fetch that is under way, while there is one.
    var log = ChangeLog()
    /// The changes since the oldest request that is open.
    var requests = RequestLog()
    /// The commits of others since the oldest read or request that is open.
    var learned = LearnedCommits()
    /// The closure that is told of stale nodes that a read or an answer has brought.
    var tellStale: ConsistencyManager.StaleHandler?

    /// The changes since `asked` of the nodes of `identifiers`, by this process and by others.
    func changes(since asked: Turn, among identifiers: Set<ModelIdentifier>) -> NodeChanges {
        requests.changes(since: asked, among: identifiers, and: learned)
    }

    /// Notes, for requests, that `call` posted a projection of a node.
    mutating func note(_ identifier: ModelIdentifier, _ projection: String, by call: CallUnderWay) {
        switch call.source {
        case .read: break
        case .answer(let asked): requests.note(identifier, projection, at: asked)
        case .edit:
            requests.note(identifier, projection, at: call.sequence)
            requests.noteEdit(at: call.sequence)
        }
    }

    /// Notes that `call` deleted a node.
    mutating func noteDeletion(_ identifier: ModelIdentifier, by call: CallUnderWay) {
        if log.isOpen { log.recordDelete(identifier, at: call.asOf, appliedAt: call.sequence) }
        switch call.source {
        case .read: break
        case .answer(let asked): if requests.isOpen { requests.noteDeletion(identifier, at: asked) }
        case .edit:
            if requests.isOpen { requests.noteDeletion(identifier, at: call.sequence) }
            requests.noteEdit(at: call.sequence)
        }
    }

    /// Notes a commit of another writer, of which the manager has just learned.
    mutating func learn(_ changes: any CommittedChanges, at turn: Turn) {
        requests.noteEdit(at: turn)
        guard log.isOpen || requests.isOpen else { return }
        learned.add(changes, at: turn)
        forgetIfTooMany(at: turn)
    }

    /// Lets the requests that are open be sent again if too much has changed since.
    mutating func forgetIfTooMany(at turn: Turn) {
        guard requests.isOpen, requests.forgetIfTooMany(beside: learned.count, at: turn) else { return }
        if log.isOpen { learned.beginCounting() } else { learned.removeAll() }
    }

    /// Ends a request.
    mutating func endRequest(_ turn: Turn) {
        requests.end(turn)
        forgetIfIdle()
    }

    /// Ends a read.
    mutating func endRead() {
        log.close()
        forgetIfIdle()
    }

    private mutating func forgetIfIdle() {
        if !log.isOpen, !requests.isOpen { learned.removeAll() }
    }
}
