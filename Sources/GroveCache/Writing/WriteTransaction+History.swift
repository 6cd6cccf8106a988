import GroveCoding
import GroveModel

/// The changes of a transaction so far, for the history of commits.
struct HistoryDraft {
    let limit: HistoryLimit
    private(set) var isEmpty = true
    private var changes: ChangeSetUnion? = ChangeSetUnion(sequence: .zero)
    private var nameCount = 0

    init(_ limit: HistoryLimit) { self.limit = limit }

    /// Takes in the changes of a call.
    mutating func add(_ set: ChangeSet) {
        guard !set.isEmpty else { return }
        isEmpty = false
        guard limit.places > 0, changes != nil else { return }
        // No entry can name the holders that may show a model again.
        guard !set.changesEverything else { return changes = nil }
        nameCount += set.nameCount
        // So many names do not fit, however short they are.
        guard nameCount < limit.mostBytes(limit.places) else { return changes = nil }
        changes?.add(set)
    }

    /// The changes; `nil` if they cannot all be named.
    var changeSet: ChangeSet? { changes?.changeSet }
}

extension WriteTransaction {
    /// Counts the commit, if it changes something, and stores its changes in the history.
    mutating func finishHistory() throws(CacheError) {
        guard !history.isEmpty else { return }
        if stored.store == .none { stored.store = .random() }
        stored.commit = stored.commit.next
        stored.mark = .random()
        guard history.limit.places > 0 else { return }
        // With more places, commits have other ones: earlier entries are a gap from now on.
        stored.historyPlaces = max(stored.historyPlaces, history.limit.places)
        let most = history.limit.mostBytes(stored.historyPlaces)
        var body = ByteBuffer(capacity: 256)
        defer { body.deallocate() }
        HistoryEntry.appendBody(stored.commit, mark: stored.mark, history.changeSet, most: most, to: &body)
        let (bytes, sequence) = unsafe (body.bytes, stored.sequence)
        try unsafe HistoryEntry.key(of: stored.commit, places: stored.historyPlaces).withUnsafeBytesTyped {
            (key) throws(CacheError) in
            try unsafe store(key) { (out) throws(CacheError) in
                try unsafe RecordBuilder.build(into: &out, key: key, sequence: sequence, body: bytes)
            }
        }
    }
}
