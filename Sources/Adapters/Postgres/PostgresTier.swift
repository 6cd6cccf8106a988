#if Postgres
    import GroveCoding
    public import GroveModel
    public import GroveShared
    import Synchronization

    /// A PostgreSQL database behind a ``NearCache``: the team's own rows, with the feed that `grove shared-schema`
    /// prints.
    ///
    /// ```swift
    /// let tier = PostgresTier("host=db dbname=shop", mapping: mapping)
    /// let near = NearCache(store: try SQLiteCache(directory: directory), far: tier)
    /// ```
    ///
    /// A miss is one round trip in one snapshot, a fresh read's feed is one round trip. TLS, service and password files
    /// are libpq's: name them in `conninfo`. Calls block threads of the tier's own, as many as it has connections, and
    /// one more for each near cache that listens. libpq looks up a host's name without a limit: give `hostaddr` if your
    /// resolver may be silent.
    public final class PostgresTier: FarTier {
        private let pool: PostgresPool
        private let mapping: PostgresMapping
        private let limit: Duration
        private let listensForNotifications: Bool
        /// Connections that listen, and that no call waits on.
        private let listeners = Mutex<[PostgresConnection]>([])

        /// Makes a tier; it connects when it is first called.
        ///
        /// - Parameters:
        ///   - conninfo: libpq's connection string.
        ///   - mapping: from identifiers to rows to models.
        ///   - connections: the most connections that calls use at once; other calls wait for one.
        ///   - timeLimit: the longest that a call may take, with all its trips and the wait for a connection. Let it be
        ///     shorter than the near cache's: then every write whose outcome is unknown has a ticket.
        ///   - listens: whether one more connection for each near cache listens for notifications. Without it, for
        ///     instance behind pgbouncer, the feed is polled.
        public init(
            _ conninfo: String, mapping: PostgresMapping, connections: Int = 4, timeLimit: Duration = .seconds(3),
            listens: Bool = true
        ) {
            pool = PostgresPool(conninfo, size: max(connections, 1), limit: timeLimit)
            (self.mapping, limit, listensForNotifications) = (mapping, timeLimit, listens)
        }

        /// See ``FarTier/fetch(_:after:)``.
        public func fetch(
            _ identifiers: [ModelIdentifier], after position: FeedPosition?
        ) async throws(SharedError) -> FarSnapshot {
            let results = try await snapshot(Self.feedQueries(position) + mapping.select(identifiers))
            let word = try Self.word(results, after: position)
            var models: [ModelIdentifier: any CacheableModel] = [:]
            do {
                for model in try mapping.models(Array(results.dropFirst(2))) {
                    if let identifier = model.modelIdentifier { models[identifier] = model }
                }
            } catch {
                throw SharedError(.refused, "The rows are no models: \(error)")
            }
            return FarSnapshot(models: models, word: word)
        }

        /// See ``FarTier/feed(after:)``.
        public func feed(after position: FeedPosition?) async throws(SharedError) -> FeedWord {
            try Self.word(try await snapshot(Self.feedQueries(position)), after: position)
        }

        /// See ``FarTier/wait(atMost:)``.
        public func wait(atMost span: Duration) async {
            guard listensForNotifications else {
                try? await Task.sleep(for: span)
                return
            }
            let end = ContinuousClock.now + span
            let isCancelled = Flag()
            let isHeard = await withTaskCancellationHandler {
                await pool.blocking { self.hears(by: end, unless: isCancelled) }
            } onCancel: {
                isCancelled.set()
            }
            // A hint that fails is a wait: the next call connects again.
            if !isHeard { try? await Task.sleep(until: end) }
        }

        private func hears(by end: ContinuousClock.Instant, unless isCancelled: Flag) -> Bool {
            do throws(SharedError) {
                guard let connection = listeners.withLock({ $0.popLast() }) else {
                    let new = try listening()
                    listeners.withLock { $0.append(new) }
                    // Of a commit before it listened it is not told.
                    return true
                }
                var isHeard = false
                // libpq can be woken only by the server, so that it looks now and then.
                while !isHeard, !isCancelled.isSet, .now < end {
                    isHeard = try connection.hears(by: min(end, .now + .milliseconds(100)))
                }
                listeners.withLock { $0.append(connection) }
                return isHeard
            } catch {
                return false
            }
        }

        private func listening() throws(SharedError) -> PostgresConnection {
            let deadline = ContinuousClock.now + limit
            let connection = try pool.connect(by: deadline)
            _ = try connection.run("LISTEN grove", by: deadline)
            return connection
        }

        /// See ``FarTier/write(_:)``.
        public func write(_ changes: [FarChange]) async throws(SharedError) -> FeedNumber {
            let statements: [String]
            do {
                statements = try changes.map(mapping.statement)
            } catch {
                throw SharedError(.refused, "A change has no statement: \(error)")
            }
            return try await pool.with { [limit] (connection, deadline) throws(SharedError) in
                let name = String(UInt64.random(in: .min ... .max), radix: 36)
                let sql =
                    ["BEGIN", "SET LOCAL grove.ticket = '\(name)'"] + Self.bounds(limit) + statements
                    + ["SELECT pg_current_xact_id(), identity, last FROM grove.feed"]
                let begun: [PostgresRows]
                do throws(SharedError) {
                    begun = try connection.run(sql.joined(separator: ";\n"), by: deadline)
                } catch  where error.code == .refused {
                    _ = try? connection.run("ROLLBACK", by: deadline)
                    throw error
                }
                guard let row = begun.last?.rows.first, let xact = row[0], let feed = row[1], let last = row[2] else {
                    throw SharedError(.refused, "The database has no schema of Grove's.")
                }
                let number =
                    "SELECT coalesce((SELECT number FROM grove.commit WHERE xact = '\(xact)'), last) FROM grove.feed"
                let ticket = WriteTicket("\(feed)/\(xact)/\(last)/\(name)")
                do throws(SharedError) {
                    _ = try connection.run("COMMIT", by: deadline)
                } catch  where error.code != .refused {
                    throw SharedError(
                        .outcomeUnknown, "The connection was lost in the commit: \(error)", ticket: ticket)
                }
                do throws(SharedError) {
                    // A trip of its own: in one string with the commit it would be asked before that.
                    return try Self.number(try connection.run(number, by: deadline).first?.rows.first?.first)
                } catch {
                    // The commit is made, also if the server refuses to say its number.
                    throw SharedError(.outcomeUnknown, "The commit's number was not told: \(error)", ticket: ticket)
                }
            }
        }

        /// See ``FarTier/outcome(of:)``.
        public func outcome(of ticket: WriteTicket) async throws(SharedError) -> FarOutcome {
            let parts = ticket.rawValue.split(separator: "/").map(String.init)
            guard parts.count == 4, let xact = UInt64(parts[1]), let last = UInt64(parts[2]) else {
                throw SharedError(.refused, "This is no ticket of PostgreSQL's: \(ticket.rawValue)")
            }
            // The transaction's id says only that it is over: a server that was killed gives lost ids to others. The
            // second statement sees every commit that was over in the first.
            let sql = """
                BEGIN ISOLATION LEVEL READ COMMITTED;
                SELECT CASE WHEN '\(xact)'::xid8 < pg_current_xact_id() THEN pg_xact_status('\(xact)'::xid8) END;
                SELECT identity, trimmed, (SELECT number FROM grove.commit
                    WHERE xact = '\(xact)'::xid8 AND ticket = \(PostgresConnection.literal(parts[3]))) FROM grove.feed;
                COMMIT
                """
            let results = try await pool.with { (connection, deadline) throws(SharedError) in
                try connection.run(sql, by: deadline)
            }
            guard results.count == 2, let row = results[1].rows.first, row[0] == parts[0] else {
                throw SharedError(.outcomeUnknown, "The feed is another one than the write's.", ticket: ticket)
            }
            if let number = row[2] { return .committed(try Self.number(number)) }
            guard results[0].rows.first?[0] != "in progress" else {
                throw SharedError(.outcomeUnknown, "The write is still under way.", ticket: ticket)
            }
            guard try Self.number(row[1]).rawValue <= last else {
                throw SharedError(.outcomeUnknown, "The feed was trimmed since the write.", ticket: ticket)
            }
            return .notCommitted
        }

        // MARK: SQL

        /// Statements that let the server end a transaction whose client is silent, or which waits for a lock: the
        /// client may be stopped, or cut off without the server's being told.
        ///
        /// `statement_timeout` is none of them: it would end the wait of a commit for its replicas, and call the commit
        /// made.
        private static func bounds(_ limit: Duration) -> [String] {
            let milliseconds = max(Int(limit / .milliseconds(1)), 1)
            return ["lock_timeout", "idle_in_transaction_session_timeout"].map { "SET LOCAL \($0) = \(milliseconds)" }
        }

        private func snapshot(_ queries: [String]) async throws(SharedError) -> [PostgresRows] {
            let sql = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] + queries + ["COMMIT"]
            return try await pool.with { (connection, deadline) throws(SharedError) in
                do throws(SharedError) {
                    return try connection.run(sql.joined(separator: ";\n"), by: deadline)
                } catch  where error.code == .refused {
                    _ = try? connection.run("ROLLBACK", by: deadline)
                    throw error
                }
            }
        }

        private static func feedQueries(_ position: FeedPosition?) -> [String] {
            let after = position.map { String($0.number.rawValue) } ?? "NULL"
            let feed = position.map { PostgresConnection.literal($0.feed.description) } ?? "NULL"
            return [
                "SELECT identity, last, identity::text = \(feed) AND trimmed <= \(after) FROM grove.feed",
                """
                SELECT c.id, max(c.number) FROM grove.change c, grove.feed f
                    WHERE f.identity::text = \(feed) AND f.trimmed <= \(after) AND c.number > \(after) GROUP BY c.id
                """,
            ]
        }

        private static func word(_ results: [PostgresRows], after position: FeedPosition?) throws(SharedError)
            -> FeedWord
        {
            guard results.count >= 2, let row = results[0].rows.first, let feed = row[0] else {
                throw SharedError(.refused, "The database has no schema of Grove's.")
            }
            let now = FeedPosition(feed: FeedIdentity(feed), number: try number(row[1]))
            guard row[2] == "t" else { return FeedWord(position: now, changes: nil) }
            var changes: [ModelIdentifier: FeedNumber] = [:]
            for row in results[1].rows {
                guard let identifier = row[0] else { return FeedWord(position: now, changes: nil) }
                changes[ModelIdentifier(identifier)] = try number(row[1])
            }
            return FeedWord(position: now, changes: changes)
        }

        private static func number(_ text: String??) throws(SharedError) -> FeedNumber {
            guard let text, let text, let number = UInt64(text) else {
                throw SharedError(.refused, "The database has no schema of Grove's.")
            }
            return FeedNumber(number)
        }
    }

    /// A flag that is set once.
    private final class Flag: Sendable {
        private let state = Mutex(false)

        var isSet: Bool { state.withLock { $0 } }

        func set() { state.withLock { $0 = true } }
    }
#endif
