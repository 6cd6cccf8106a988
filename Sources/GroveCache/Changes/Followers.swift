import Synchronization

/// What a cache keeps for those who follow it, and for answers of the network.
final class Followers: Sendable {
    /// The queue in which their calls wait for a moment.
    let line = FollowerLine()
    /// Which of their edits of lists are in which commit.
    let ownEdits = OwnEdits()
    /// What this process did to lists lately, for answers that were asked for before.
    let listLog = ListLog()
    private let hasPlace = Atomic(false)

    /// Notes that a place was taken: an answer may be as of it.
    func notePlace() { hasPlace.store(true, ordering: .relaxed) }

    /// The log, if an answer can be as of a place.
    var neededLog: ListLog? { hasPlace.load(ordering: .relaxed) ? listLog : nil }
}
