import GroveModel

/// The knowledge that this process has of the commits of all processes.
struct KnownCommits: Sendable {
    /// How many there were; see ``StoreGeneration/commitCount``.
    var count: CommitCount
    /// The last commit that the audience was told of.
    var last: KnownCommit
    /// The last commits of this process.
    private(set) var own = OwnCommits()
    /// Whether the writer is about to look for what other processes wrote.
    var isLookScheduled = false

    /// The commits known to a process that has just opened a store, whose state is `stored`.
    init(_ count: CommitCount, _ stored: StoreState) { (self.count, last) = (count, KnownCommit(stored)) }

    /// Notes a commit of this process, in `session`.
    mutating func note(_ stored: StoreState, of session: SessionID) {
        last.advance(to: stored)
        own.note(stored, of: session)
    }

    /// Takes another store for known, whose state is `stored`.
    mutating func begin(_ stored: StoreState) {
        last.advance(to: stored)
        own = OwnCommits()
    }
}

/// A commit that is known, and whose it is.
struct KnownCommit: Sendable {
    /// See ``StoreState/commit``.
    private(set) var number: CommitNumber
    /// See ``StoreState/store``.
    private var store: StoreID

    /// The last one that `stored` names.
    init(_ stored: StoreState) { (number, store) = (stored.commit, stored.store) }

    /// Whether `stored` is of the same store, rather than of one that was made since.
    func isSame(_ stored: StoreState) -> Bool { store == .none || stored.store == store }

    /// Takes the last one that `stored` names, unless that is an earlier one of the same store.
    mutating func advance(to stored: StoreState) {
        number = isSame(stored) ? max(number, stored.commit) : stored.commit
        store = stored.store
    }
}
