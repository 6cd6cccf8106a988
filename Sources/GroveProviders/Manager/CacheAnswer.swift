/// The cache's answer to a load, for which the load may wait.
struct CacheAnswer: Sendable {
    private let answers: AsyncStream<Bool>
    private let continuation: AsyncStream<Bool>.Continuation

    init() { (answers, continuation) = AsyncStream.makeStream() }

    /// Says that the cache has answered and that its answer is shown.
    func arrive(isHit: Bool) {
        continuation.yield(isHit)
        continuation.finish()
    }

    /// Waits for the answer; false on a miss, when it was given already, and promptly when the task is cancelled.
    func isHit() async -> Bool {
        for await isHit in answers { return isHit }
        return false
    }
}
