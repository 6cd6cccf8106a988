#if Postgres
    import Dispatch
    import GroveShared
    import Synchronization

    /// A bounded number of connections.
    final class PostgresPool: Sendable {
        private enum Turn: Sendable {
            case idle(PostgresConnection)
            case connect
        }

        private struct State {
            var idle: [PostgresConnection] = []
            var inUse = 0
            var waiting: [FirstOf<Turn>] = []
            var failures = 0
            var notBefore = ContinuousClock.now
        }

        private let conninfo: String
        private let size: Int
        private let limit: Duration
        private let state = Mutex(State())
        private let queue = DispatchQueue(label: "grove.postgres", attributes: .concurrent)

        init(_ conninfo: String, size: Int, limit: Duration) {
            (self.conninfo, self.size, self.limit) = (conninfo, size, limit)
        }

        /// Runs `body` with a connection, on a thread that may block, and tells it by when it must be done.
        ///
        /// That is `limit` after the call. All that called before have earlier deadlines, so that a call waits for a
        /// connection no longer than its own. If its task is cancelled before its turn, `body` is not run.
        ///
        /// If the last connection could not be made, the next try waits longer each time, up to a second, by a random
        /// part: calls in between fail at once. So however many ask, a server that comes back is not overrun.
        func with<Value: Sendable>(
            _ body:
                @escaping @Sendable (PostgresConnection, _ deadline: ContinuousClock.Instant) throws(SharedError) ->
                Value
        ) async throws(SharedError) -> Value {
            let deadline = ContinuousClock.now + limit
            let wait = FirstOf<Turn>()
            state.withLock { state in
                guard state.inUse < size else { return state.waiting.append(wait) }
                state.inUse += 1
                wait.offer(state.idle.popLast().map { .idle($0) } ?? .connect)
            }
            let turn = await wait.value()
            let isCancelled = Task.isCancelled
            return try await blocking { self.run(turn, isCancelled, deadline, body) }.get()
        }

        private func run<Value>(
            _ turn: Turn, _ isCancelled: Bool, _ deadline: ContinuousClock.Instant,
            _ body: (PostgresConnection, ContinuousClock.Instant) throws(SharedError) -> Value
        ) -> Result<Value, SharedError> {
            var connection: PostgresConnection?
            if case .idle(let idle) = turn { connection = idle }
            defer { finish(connection) }
            do throws(SharedError) {
                guard !isCancelled, .now < deadline else {
                    throw SharedError(.timedOut, "No connection was free in time.")
                }
                let open: PostgresConnection
                if let connection { open = connection } else { open = try connect(by: deadline) }
                connection = open
                return .success(try body(open, deadline))
            } catch {
                return .failure(error)
            }
        }

        private func finish(_ connection: PostgresConnection?) {
            let usable = connection.flatMap { $0.isUsable ? $0 : nil }
            state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.inUse -= 1
                    if let usable { state.idle.append(usable) }
                    return
                }
                state.waiting.removeFirst().offer(usable.map { .idle($0) } ?? .connect)
            }
        }

        /// Makes a connection, unless that failed a moment ago.
        func connect(by deadline: ContinuousClock.Instant) throws(SharedError) -> PostgresConnection {
            let isTooEarly = state.withLock { $0.failures > 0 && ContinuousClock.now < $0.notBefore }
            guard !isTooEarly else { throw SharedError(.unreachable, "The server could not be reached a moment ago.") }
            do throws(SharedError) {
                let connection = try PostgresConnection(conninfo, by: deadline)
                state.withLock { $0.failures = 0 }
                return connection
            } catch {
                state.withLock { state in
                    state.failures = min(state.failures + 1, 6)
                    let most = min(Duration.milliseconds(20 << state.failures), .seconds(1))
                    state.notBefore = .now + most * Double.random(in: 0.5...1)
                }
                throw error
            }
        }

        /// Runs `body` on a thread that may block, without a connection of the pool.
        func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body()) }
            }
        }
    }
#endif
