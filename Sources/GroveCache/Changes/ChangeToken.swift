import GroveCoding
import GroveModel

/// The name of a commit of a store; with it, an application later gets every change after that commit.
///
/// Get one from ``ChangeSet/token``, and pass it to ``Cache/changes(since:)``. It is `Codable`, so that the
/// application can keep it beside the data that it derived from the changes. A token is valid for the store that it
/// came from, until that store is wiped or replaced. For any other store it is like no token.
public struct ChangeToken: Sendable, Hashable, Codable {
    /// The store's random number.
    let store: StoreID
    /// The number of commits that had changed something by then.
    let commit: CommitNumber
    /// The commit's random number: after a loss of power another commit may have its place.
    let mark: CommitMark
}

/// The tokens of a commit and of the one before.
struct CommitTokens {
    /// The number of the commit.
    let commit: CommitNumber
    /// The token of the commit before; both tokens are `nil` if the cache keeps no history.
    var before: ChangeToken?
    var after: ChangeToken?

    init(_ summary: TransactionSummary, hasHistory: Bool) {
        commit = summary.stored.commit
        guard hasHistory else { return }
        before = ChangeToken(store: summary.stored.store, commit: summary.found.commit, mark: summary.found.mark)
        after = summary.stored.token
    }
}
