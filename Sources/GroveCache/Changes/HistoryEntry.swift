import GroveCoding
import GroveModel

/// An entry of the history of commits: a record of the changes of one commit.
///
/// Entries are in a ring: the entry of a commit takes the place of one so many commits before. So the history has a
/// bound although no entry is removed, and an entry of another commit than the one asked for is a gap.
enum HistoryEntry {
    /// The store's key of the entry of commit `commit` in a ring of `places`.
    static func key(of commit: CommitNumber, places: UInt16) -> [UInt8] {
        let place = UInt16(commit.rawValue % UInt64(max(places, 1)))
        return [Namespace.history, UInt8(place >> 8), UInt8(truncatingIfNeeded: place)]
    }

    /// Appends the body of the entry of commit `commit`, which made `changes`, in at most `most` bytes.
    ///
    /// If the names are too many for that, it says that anything may have changed. If the changes of lists do not fit
    /// beside the names, the lists are only named.
    static func appendBody(
        _ commit: CommitNumber, mark: CommitMark, _ changes: ChangeSet?, most: Int, to body: inout ByteBuffer
    ) {
        defer {
            if changes == nil || body.count > most {
                body.removeAll()
                body.appendHead(CBORMajor.array, 2)
                body.appendHead(CBORMajor.unsigned, commit.rawValue)
                body.appendHead(CBORMajor.unsigned, UInt64(mark.rawValue))
            }
        }
        guard let changes else { return }
        let names = [
            changes.changedModelIds, changes.deletedModelIds, changes.evictedModelIds, changes.changedCollectionKeys,
            changes.changedAliases,
        ].map { Array($0) }
        func append(_ lists: [ListHistory]) {
            body.removeAll()
            body.appendHead(CBORMajor.array, lists.isEmpty ? 7 : 8)
            body.appendHead(CBORMajor.unsigned, commit.rawValue)
            body.appendHead(CBORMajor.unsigned, UInt64(mark.rawValue))
            for names in names { body.append(names) }
            if !lists.isEmpty { body.append(lists) }
        }
        let lists = ListHistory.told(changes.lists, of: names[3])
        append(lists)
        if body.count > most, !lists.isEmpty { append([]) }
    }

    /// The mark and the changes of commit `commit` in the record of `header`; `nil` if the record is another commit's.
    static func changes(
        _ commit: CommitNumber, _ header: RecordHeader
    ) throws(NodeReadFailure) -> (mark: CommitMark, set: ChangeSet)? {
        var decoder = unsafe NodeDecoder(header.body, source: NoSource.shared, isStable: true)
        let count = try decoder.readArrayHead()
        guard try decoder.readInteger(UInt64.self) == commit.rawValue else { return nil }
        let mark = CommitMark(rawValue: try decoder.readInteger(UInt32.self))
        guard count == 7 || count == 8 else {
            return (mark, ChangeSet(sequence: header.sequence, changesEverything: true))
        }
        var names: [[ModelIdentifier]] = []
        for _ in 0..<5 { names.append(try decoder.readNames()) }
        var set = ChangeSet(
            sequence: header.sequence,
            names: ChangeSet.Names(
                changed: Set(names[0]), deleted: names[1], evicted: EvictedNames(nodes: names[2]),
                collections: names[3], aliases: names[4],
                lists: count == 8 ? try ListHistory.changes(&decoder, of: names[3]) : []))
        set.commitNumber = commit
        return (mark, set)
    }
}

/// The bounds of a cache's history of commits.
struct HistoryLimit: Sendable {
    /// The places in the ring; 0 if the cache does not ask for a history.
    var places: UInt16
    /// The most bytes of a budget that the history may take.
    var share: Int

    static let none = HistoryLimit(commits: 0, within: nil)

    /// The bytes of an entry with a few names.
    private static let leastBytes = 128

    /// At most `commits`, within a budget of `bytes`.
    init(commits: Int, within bytes: Int?) {
        share = bytes.map { $0 / 16 } ?? .max
        // The ring has the commit of the oldest token too, so that it can be told from another.
        let places = commits > 0 ? min(commits, 65_534) + 1 : 0
        self.places = UInt16(clamping: min(places, share / HistoryLimit.leastBytes))
    }

    /// The most bytes of an entry's body, if there are `places`.
    func mostBytes(_ places: UInt16) -> Int { max(min(4_096, share / max(Int(places), 1) - 32), 32) }

    /// The most elements of a list in an entry: no more identifiers fit, however short they are.
    var mostElementsTold: Int { places > 0 ? mostBytes(places) / 2 : 0 }

    /// `load` with an entry of the history.
    func added(to load: WriteLoad) -> WriteLoad {
        guard places > 0 else { return load }
        var load = load
        load.entries += 1
        load.replaced += 1
        load.bytes += mostBytes(places) + 32
        return load
    }
}

extension NodeView {
    /// The changes of the commits after `first` up to `last`, in order.
    ///
    /// - Parameter state: the state in the view.
    /// - Returns: the changes; `nil` if an entry is missing.
    func history(
        after first: CommitNumber, upTo last: CommitNumber, _ state: StoreState
    ) throws(CacheError) -> [ChangeSet]? {
        guard first <= last, CommitNumber.commits(after: first, upTo: last) <= UInt64(state.historyPlaces) else {
            return nil
        }
        var sets: [ChangeSet] = []
        var commit = first
        while commit < last {
            commit = commit.next
            guard var entry = try entry(of: commit, state) else { return nil }
            entry.set.token = ChangeToken(store: state.store, commit: commit, mark: entry.mark)
            sets.append(entry.set)
        }
        return sets
    }

    /// Whether the store still has the commit of `token`, as far as the history says.
    func knows(_ token: ChangeToken, _ state: StoreState) throws(CacheError) -> Bool {
        guard token.store == state.store, token.commit <= state.commit else { return false }
        if token.commit == .zero { return true }
        if token.commit == state.commit { return token.mark == state.mark }
        return try entry(of: token.commit, state)?.mark == token.mark
    }

    private func entry(
        of commit: CommitNumber, _ state: StoreState
    ) throws(CacheError) -> (mark: CommitMark, set: ChangeSet)? {
        try header(HistoryEntry.key(of: commit, places: state.historyPlaces)).flatMap {
            try? HistoryEntry.changes(commit, $0)
        }
    }
}
