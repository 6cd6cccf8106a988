import GroveModel

/// The store's files as they were when this process opened the store last.
struct KnownFiles: Sendable {
    /// The generation's word; `nil` if no other process may have them open.
    var word: StoreGeneration.Word?
    /// The main file; `nil` in memory, or if it was gone.
    var identity: FileIdentity?
    /// Whether the engine has found damage, and the store was opened by a fresh handle since.
    var isSuspect = false
}

/// What this process knows of the commits of all processes.
struct KnownCommits: Sendable {
    /// How many there were; see ``StoreGeneration/commitCount``.
    var count: CommitCount
    /// The last commit that the audience was told of; see ``StoreState/commit``.
    private(set) var last: CommitNumber
    /// Whose commit that is; see ``StoreState/store``.
    private(set) var store: StoreID
    /// The last commits of this process.
    private(set) var own = OwnCommits()
    /// Whether the writer is about to look for what other processes wrote.
    var isLookScheduled = false

    /// Those of a process that has just opened a store which says `stored` of itself.
    init(_ count: CommitCount, _ stored: StoreState) {
        (self.count, last, store) = (count, stored.commit, stored.store)
    }

    /// Whether `stored` is of the store that is known, rather than of one that was made since.
    func isSame(_ stored: StoreState) -> Bool { store == .none || stored.store == store }

    /// Takes the last commit that `stored` names for known.
    mutating func know(_ stored: StoreState) {
        last = isSame(stored) ? max(last, stored.commit) : stored.commit
        store = stored.store
    }

    /// Notes a commit of this process, in `session`.
    mutating func note(_ stored: StoreState, of session: SessionID) {
        know(stored)
        own.note(stored, of: session)
    }

    /// Takes another store for known, which says `stored` of itself.
    mutating func begin(_ stored: StoreState) {
        know(stored)
        own = OwnCommits()
    }
}

/// What this process knows of wipes.
struct KnownWipes: Sendable {
    /// How many there were, of all processes; see ``StoreGeneration/wipeCount``.
    private var count: WipeCount
    /// How many of them were another process's, found since this one has opened the store.
    private(set) var byOthers = WipeCount.zero
    /// The life of the cache: what was asked for in another one is not stored.
    var life = LifeID.first()

    init(_ generation: StoreGeneration?) { count = generation?.wipeCount ?? .zero }

    /// Counts a wipe by a call of this process, which holds the lock of `generation`, for all processes.
    mutating func count(_ generation: StoreGeneration) {
        generation.countWipe()
        count = generation.wipeCount
    }

    /// Notes how often calls of all processes have emptied the cache; returns whether another process has, since this one knew.
    mutating func noteOthers(_ generation: StoreGeneration?) -> Bool {
        guard let now = generation?.wipeCount, now != count else { return false }
        count = now
        byOthers = byOthers + 1
        return true
    }
}
