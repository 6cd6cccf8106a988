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

        /// Runs `body` with a connection, on a thread that may block.
        ///
        /// If the last connection could not be made, the next try waits longer each time, up to a second, by a random part:
        /// calls in between fail at once. So however many ask, a server that comes back is not overrun.
        func with<Value: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws(SharedError) -> Value
        ) async throws(SharedError) -> Value {
            let wait = FirstOf<Turn>()
            state.withLock { state in
                guard state.inUse < size else { return state.waiting.append(wait) }
                state.inUse += 1
                wait.offer(state.idle.popLast().map { .idle($0) } ?? .connect)
            }
            let turn = await wait.value()
            let result = await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.run(turn, body)) }
            }
            return try result.get()
        }

        private func run<Value>(
            _ turn: Turn, _ body: (PostgresConnection) throws(SharedError) -> Value
        ) -> Result<Value, SharedError> {
            var connection: PostgresConnection?
            defer { finish(connection) }
            do throws(SharedError) {
                let open =
                    switch turn {
                    case .idle(let idle): idle
                    case .connect: try connect()
                    }
                connection = open
                return .success(try body(open))
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
        func connect() throws(SharedError) -> PostgresConnection {
            let isTooEarly = state.withLock { $0.failures > 0 && ContinuousClock.now < $0.notBefore }
            guard !isTooEarly else { throw SharedError(.unreachable, "The server could not be reached a moment ago.") }
            do throws(SharedError) {
                let connection = try PostgresConnection(conninfo, limit: limit)
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
        func blocking(_ body: @escaping @Sendable () -> Void) async {
            await withCheckedContinuation { continuation in
                queue.async {
                    body()
                    continuation.resume()
                }
            }
        }
    }
#endif
