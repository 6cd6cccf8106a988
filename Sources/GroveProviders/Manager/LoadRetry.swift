/// The retries of a load after the network has failed: how many, and when.
public struct LoadRetry: Sendable {
    private let retries: Int
    private let delay: Duration
    private let clock: any Clock<Duration>
    private let isWorthwhile: @Sendable (any Error) -> Bool

    /// No retries: the first failure ends the load.
    public static let never = LoadRetry(0)

    /// Retries up to `retries` times.
    ///
    /// The wait before the first retry is `delay`, and each later wait is twice the one before. The present data are
    /// shown meanwhile, and cancelling the load ends the wait.
    ///
    /// - Parameters:
    ///   - clock: the clock that measures the waits; a test passes its own.
    ///   - isWorthwhile: whether another attempt may succeed after this error; by default true for every error.
    public init(
        _ retries: Int, after delay: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock(),
        if isWorthwhile: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) {
        self.retries = retries
        self.delay = delay
        self.clock = clock
        self.isWorthwhile = isWorthwhile
    }

    func run<Value: Sendable>(_ fetch: @Sendable () async throws -> Value) async throws -> Value {
        var wait = delay
        for _ in 0..<max(retries, 0) {
            try Task.checkCancellation()
            do {
                return try await fetch()
            } catch  where !(error is CancellationError) && isWorthwhile(error) {
                try await clock.sleep(for: wait)
                wait *= 2
            }
        }
        try Task.checkCancellation()
        return try await fetch()
    }
}
