public import GroveCoding
public import GroveModel

/// The database behind a ``NearCache``: what holds the models, numbers the commits, and says what each changed.
///
/// What a tier must guarantee, and the rules of `Conformance/Shared` check:
///
/// - The numbers of commits become visible in order. If a snapshot has commit *n*, it has every lower one.
/// - ``fetch(_:after:)`` is one snapshot: the models, the position and the changes are of the same moment. That moment is not
///   before the call.
/// - ``feed(after:)`` names every change between the two positions, or says that everything may have changed.
/// - A call that cannot be answered throws. A tier never answers from memory instead.
///
/// Calls come from any task, several at once. A ``NearCache`` stops waiting for a call after its time limit and cancels it.
public protocol FarTier: Sendable {
    /// The models of `identifiers`, each with its whole tree, and what changed after `position`, in one snapshot.
    ///
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut`.
    func fetch(
        _ identifiers: [ModelIdentifier], after position: FeedPosition?
    ) async throws(SharedError) -> FarSnapshot

    /// What changed after `position`, up to the last commit.
    ///
    /// - Parameter position: what the caller has accounted for; `nil` if that is nothing.
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut`.
    func feed(after position: FeedPosition?) async throws(SharedError) -> FeedWord

    /// Returns when there may be a new commit, after `limit`, or if the task is cancelled, whichever comes first.
    ///
    /// It is a hint that saves time: nothing relies on it. A tier that has no notifications sleeps.
    func wait(atMost limit: Duration) async

    /// Writes `changes` in one commit, and returns its number.
    ///
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut`: nothing was written. With code
    ///   `outcomeUnknown` the commit may have been made: ask ``outcome(of:)`` with the error's ticket.
    func write(_ changes: [FarChange]) async throws(SharedError) -> FeedNumber

    /// What became of a write whose outcome was unknown.
    ///
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut`; `outcomeUnknown` if it is still under way, or
    ///   so long ago that the database has forgotten it.
    func outcome(of ticket: WriteTicket) async throws(SharedError) -> FarOutcome
}

/// Models and the moment of the database that they are of.
public struct FarSnapshot: Sendable {
    /// The models that there are, by identifier.
    ///
    /// What was asked for and is not here is not in the database.
    public let models: [ModelIdentifier: any CacheableModel]
    /// The moment, and what changed up to it.
    public let word: FeedWord

    /// Makes a snapshot.
    public init(models: [ModelIdentifier: any CacheableModel], word: FeedWord) {
        self.models = models
        self.word = word
    }
}

/// One change of a write to the database.
public enum FarChange: Sendable {
    /// The model is written.
    case put(any CacheableModel)
    /// The model of the identifier is deleted.
    case delete(ModelIdentifier)
}

/// The name that a database knows a write by before it has a number.
public struct WriteTicket: Hashable, Sendable {
    /// The tier's own name of the write.
    public let rawValue: String

    /// Makes a ticket.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// What became of a write.
public enum FarOutcome: Hashable, Sendable {
    /// It was committed under this number.
    case committed(FeedNumber)
    /// It was not, and never will be.
    case notCommitted
}
