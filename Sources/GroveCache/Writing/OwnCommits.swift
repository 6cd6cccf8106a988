import GroveCoding
import GroveModel

/// The last commits of this process: the number that the store had with each, and the place in the queue up to which it
/// went.
///
/// ``StoreState`` names the last four processes that wrote. If more do, a read tells by this which of its process's
/// calls its view shows. Without it, a committed call that the read takes for queued would show over later commits of
/// other processes.
struct OwnCommits: Sendable {
    /// The most commits that are kept, and twice the least.
    ///
    /// A read that outlasts them, and the last four writers, shows committed calls again.
    private static let limit = 256

    private var commits: [(number: CallNumber, place: QueuePlace)] = []

    /// Notes a commit by `session`, this process's, after which the store's state is `stored`.
    mutating func note(_ stored: StoreState, of session: SessionID) {
        guard let place = stored.place(of: session) else { return }
        if commits.count >= OwnCommits.limit { commits.removeFirst(OwnCommits.limit / 2) }
        commits.append((stored.sequence, place))
    }

    /// The place up to which the store had this process's calls when its number was `number`; 0 if that is not known.
    func place(upTo number: CallNumber) -> QueuePlace { commits.last { $0.number <= number }?.place ?? .zero }
}
