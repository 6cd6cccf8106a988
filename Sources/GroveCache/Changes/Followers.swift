import Synchronization

/// The state that a cache keeps for its followers and for answers of the network.
final class Followers: Sendable {
    /// The queue in which the followers' calls wait for a moment.
    let line = FollowerLine()
    /// The commits that have the followers' edits of lists.
    let ownEdits = OwnEdits()
    /// This process's recent changes of lists, for answers to earlier requests.
    let listLog = ListLog()
    private let hasPlace = Atomic(false)

    /// Notes that a place was taken: an answer may be as of it.
    func notePlace() { hasPlace.store(true, ordering: .relaxed) }

    /// The log, if an answer can be as of a place.
    var neededLog: ListLog? { hasPlace.load(ordering: .relaxed) ? listLog : nil }
}
