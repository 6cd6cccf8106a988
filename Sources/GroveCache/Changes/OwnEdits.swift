import GroveModel

/// The followers' edits of lists and the commits that have them: they tell a follower which of its edits a list has
/// that it reads again.
final class OwnEdits: Sendable {
    private struct Entry {
        let origin: FollowerID
        let ticket: EditTicket
        let commit: CommitNumber
    }

    private let entries = Lock<[Entry]>([])
    private static let most = 4_096

    /// Notes that commit `commit`, which is about to be made, has the edits of `calls`.
    func announce(_ calls: [PendingWrite], _ commit: CommitNumber) {
        let new = calls.filter { $0.content.ticket != .none }.map {
            Entry(origin: $0.origin, ticket: $0.content.ticket, commit: commit)
        }
        guard !new.isEmpty else { return }
        entries.withLock { entries in
            entries += new
            if entries.count > 2 * OwnEdits.most { entries.removeFirst(entries.count - OwnEdits.most) }
        }
    }

    /// Notes that the commit of `calls` was not made.
    func withdraw(_ calls: [PendingWrite]) {
        let own = calls.filter { $0.content.ticket != .none }
        guard !own.isEmpty else { return }
        entries.withLock { entries in
            entries.removeAll { entry in own.contains { $0.origin == entry.origin && $0.content.ticket == entry.ticket }
            }
        }
    }

    /// The last of a follower's edits that commit `commit` or an earlier one has.
    func last(of origin: FollowerID, in commit: CommitNumber) -> EditTicket {
        entries.withLock { entries in
            entries.last { $0.origin == origin && $0.commit <= commit }?.ticket ?? .none
        }
    }
}
