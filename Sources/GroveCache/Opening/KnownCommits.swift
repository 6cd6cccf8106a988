import GroveCoding
import GroveModel

/// The knowledge of this process about the commits of all processes.
struct KnownCommits: Sendable {
    /// The number of commits; see ``StoreGeneration/commitCount``.
    var count: CommitCount
    /// The last commit that the audience was told of.
    var last: KnownCommit
    /// The last commits of this process.
    private(set) var own = OwnCommits()
    /// Whether the writer is about to look for the commits of other processes.
    var isLookScheduled = false

    /// The knowledge of a process that has just opened a store whose state is `stored`.
    init(_ count: CommitCount, _ stored: StoreState) { (self.count, last) = (count, KnownCommit(stored)) }

    /// Notes a commit of this process, in `session`.
    mutating func note(_ stored: StoreState, of session: SessionID) {
        last.advance(to: stored)
        own.note(stored, of: session)
    }

    /// Takes over another store, whose state is `stored`.
    mutating func begin(_ stored: StoreState) {
        last.advance(to: stored)
        own = OwnCommits()
    }
}

/// A known commit, and the store that it belongs to.
struct KnownCommit: Sendable {
    /// See ``StoreState/commit``.
    private(set) var number: CommitNumber
    /// See ``StoreState/store``.
    private var store: StoreID

    /// The last commit that `stored` names.
    init(_ stored: StoreState) { (number, store) = (stored.commit, stored.store) }

    /// Whether `stored` is the state of the same store, rather than of one that was made since.
    func isSame(_ stored: StoreState) -> Bool { store == .none || stored.store == store }

    /// Takes the last commit that `stored` names, unless that is an earlier one of the same store.
    mutating func advance(to stored: StoreState) {
        number = isSame(stored) ? max(number, stored.commit) : stored.commit
        store = stored.store
    }
}
