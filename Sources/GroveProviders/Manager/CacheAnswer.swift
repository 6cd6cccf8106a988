/// The cache's answer to a load, for which the load may wait.
struct CacheAnswer: Sendable {
    /// The cache's result for a load.
    struct Answer: Sendable {
        var isHit = false
        /// Whether all of it was confirmed as lately as the load asks for.
        var isFresh = false
    }

    private let answers: AsyncStream<Answer>
    private let continuation: AsyncStream<Answer>.Continuation

    init() { (answers, continuation) = AsyncStream.makeStream() }

    /// Says that the cache has answered and that its answer is shown.
    func arrive(isHit: Bool, isFresh: Bool) {
        continuation.yield(Answer(isHit: isHit, isFresh: isHit && isFresh))
        continuation.finish()
    }

    /// Waits for the answer; returns a miss if it was given already, and at once if the task is cancelled.
    func answer() async -> Answer {
        for await answer in answers { return answer }
        return Answer()
    }
}
