import GroveModel

/// A commit of a store: what an application keeps to hear later of everything after it.
///
/// Get one from ``ChangeSet/token``, and give it to ``NormalizedCache/changes(since:)``. It is `Codable`, so that it can be kept
/// where the application keeps what it made of the changes. It means something to the store that it came from, until that is
/// wiped or made again; any other store takes it for a gap.
public struct ChangeToken: Sendable, Hashable, Codable {
    /// The store's random number.
    let store: UInt32
    /// How many commits had changed something then.
    let commit: CommitNumber
    /// The commit's random number: after a loss of power another commit may have its place.
    let mark: UInt32
}

/// A commit, and the one before.
struct CommitTokens {
    /// The number of the commit.
    let commit: CommitNumber
    /// `nil` if the cache keeps no history, as the other.
    var before: ChangeToken?
    var after: ChangeToken?

    init(_ summary: TransactionSummary, hasHistory: Bool) {
        commit = summary.stored.commit
        guard hasHistory else { return }
        before = ChangeToken(store: summary.stored.store, commit: summary.found.commit, mark: summary.found.mark)
        after = summary.stored.token
    }
}
