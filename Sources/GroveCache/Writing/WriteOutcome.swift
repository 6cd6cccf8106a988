import GroveModel

/// The place in which the writer leaves the outcome of a call for the thread that waits for it.
final class WriteOutcome: Sendable {
    private let result = Lock<Result<ChangeSet, CacheError>?>(nil)

    func store(_ outcome: Result<ChangeSet, CacheError>) { result.withLock { $0 = outcome } }

    /// The outcome that was stored; the writer always stores one before the wait ends.
    func take() -> Result<ChangeSet, CacheError> {
        result.withLock { $0 } ?? .failure(CacheError(.other, "The write was lost; this is a defect of Grove."))
    }
}
