public import GroveCoding
public import GroveModel

/// The database behind a ``NearCache``: it stores the models, numbers the commits, and lists the changes of each
/// commit.
///
/// A tier must guarantee the following. The rules of `Conformance/Shared` check it:
///
/// - The numbers of commits become visible in order. If a snapshot includes commit *n*, it includes every lower one.
/// - ``fetch(_:after:)`` is one snapshot: the models, the position and the changes are of the same moment. That moment
///   is not before the call.
/// - ``feed(after:)`` names every change between the two positions, or says that everything may have changed.
/// - A call that cannot be answered throws. A tier never answers from memory instead.
///
/// Calls come from any task, several at once. A ``NearCache`` stops waiting for a call after its time limit and cancels
/// it.
public protocol FarTier: Sendable {
    /// The models of `identifiers`, each with its whole tree, and the changes after `position`, in one snapshot.
    ///
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut`.
    func fetch(
        _ identifiers: [ModelIdentifier], after position: FeedPosition?
    ) async throws(SharedError) -> FarSnapshot

    /// The changes after `position`, up to the last commit.
    ///
    /// - Parameter position: the last position that the caller has taken into account; `nil` if there is none.
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut`.
    func feed(after position: FeedPosition?) async throws(SharedError) -> FeedWord

    /// Returns when there may be a new commit, after `limit`, or when the task is cancelled, whichever comes first.
    ///
    /// It is only a hint that saves time: nothing relies on it. A tier without notifications sleeps.
    func wait(atMost limit: Duration) async

    /// Writes `changes` in one commit, and returns its number.
    ///
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut` if nothing was written. With code
    ///   `outcomeUnknown`, the changes may have been committed: pass the error's ticket to ``outcome(of:)``.
    func write(_ changes: [FarChange]) async throws(SharedError) -> FeedNumber

    /// The outcome of a write whose error had the code `outcomeUnknown`.
    ///
    /// - Throws: ``SharedError`` with code `unreachable`, `refused` or `timedOut`. With code `outcomeUnknown` if the
    ///   write is still under way, or so old that the database has forgotten it.
    func outcome(of ticket: WriteTicket) async throws(SharedError) -> FarOutcome
}

/// Models, and the moment of the database at which they were read.
public struct FarSnapshot: Sendable {
    /// The models that were found, by identifier.
    ///
    /// If an identifier was asked for and is not here, the database has no such model.
    public let models: [ModelIdentifier: any CacheableModel]
    /// The moment, and the changes up to it.
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

/// The name of a write before it has a number; ``FarTier/outcome(of:)`` finds the write by it.
public struct WriteTicket: Hashable, Sendable {
    /// The tier's own name of the write.
    public let rawValue: String

    /// Makes a ticket.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The outcome of a write.
public enum FarOutcome: Hashable, Sendable {
    /// It was committed under this number.
    case committed(FeedNumber)
    /// The write was not committed, and never will be.
    case notCommitted
}
