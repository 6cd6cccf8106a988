#if Postgres
    import GroveCoding
    public import GroveModel
    public import GroveShared
    import Synchronization

    /// A PostgreSQL database behind a ``NearCache``: the team's own rows, with the feed that `grove shared-schema` prints.
    ///
    /// ```swift
    /// let tier = PostgresTier("host=db dbname=shop", mapping: mapping)
    /// let near = NearCache(store: try SQLiteCache(directory: directory), far: tier)
    /// ```
    ///
    /// A miss is one round trip in one snapshot, a fresh read's feed is one round trip. TLS, service and password files are
    /// libpq's: name them in `conninfo`. Calls block threads of the tier's own, as many as it has connections, and one more that
    /// listens.
    public final class PostgresTier: FarTier {
        private let pool: PostgresPool
        private let mapping: PostgresMapping
        private let limit: Duration
        private let listensForNotifications: Bool
        private let listener = Mutex<PostgresConnection?>(nil)

        /// Makes a tier; it connects when it is first called.
        ///
        /// - Parameters:
        ///   - conninfo: libpq's connection string.
        ///   - mapping: from identifiers to rows to models.
        ///   - connections: the most connections that calls use at once; other calls wait for one.
        ///   - timeLimit: the longest that connecting, and each trip to the server, may take.
        ///   - listens: whether one more connection listens for notifications. Without it, for instance behind pgbouncer,
        ///     the feed is polled.
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
            let array =
                "ARRAY[" + identifiers.map { PostgresConnection.literal($0.rawValue) }.joined(separator: ",")
                + "]::text[]"
            let results = try await snapshot(Self.feedQueries(position) + mapping.select(array))
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
            let begun = ContinuousClock.now
            let heard = Mutex(false)
            await pool.blocking { [self] in
                let connection = listener.withLock { $0.take() }
                do throws(SharedError) {
                    let open: PostgresConnection
                    if let connection { open = connection } else { open = try listening() }
                    let isHeard = try open.hears(within: span)
                    heard.withLock { $0 = isHeard }
                    listener.withLock { $0 = open }
                } catch {
                    // A hint that fails is a wait: the next call connects again.
                }
            }
            let left = span - begun.duration(to: .now)
            if !heard.withLock({ $0 }), left > .zero { try? await Task.sleep(for: left) }
        }

        private func listening() throws(SharedError) -> PostgresConnection {
            let connection = try pool.connect()
            _ = try connection.run("LISTEN grove", limit: limit)
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
            return try await pool.with { [limit] (connection) throws(SharedError) in
                let sql = ["BEGIN"] + statements + ["SELECT pg_current_xact_id(), identity FROM grove.feed"]
                let begun: [PostgresRows]
                do throws(SharedError) {
                    begun = try connection.run(sql.joined(separator: ";\n"), limit: limit)
                } catch {
                    _ = try? connection.run("ROLLBACK", limit: limit)
                    throw error
                }
                guard let row = begun.last?.rows.first, let xact = row[0], let feed = row[1] else {
                    throw SharedError(.refused, "The database has no schema of Grove's.")
                }
                let number =
                    "SELECT coalesce((SELECT number FROM grove.commit WHERE xact = '\(xact)'), last) FROM grove.feed"
                let ticket = WriteTicket("\(feed)/\(xact)")
                do throws(SharedError) {
                    _ = try connection.run("COMMIT", limit: limit)
                } catch  where error.code != .refused {
                    throw SharedError(
                        .outcomeUnknown, "The connection was lost in the commit: \(error)", ticket: ticket)
                }
                do throws(SharedError) {
                    // A trip of its own: in one string with the commit it would be asked before that.
                    return try Self.number(try connection.run(number, limit: limit).first?.rows.first?.first)
                } catch {
                    // The commit is made, also if the server refuses to say its number.
                    throw SharedError(.outcomeUnknown, "The commit's number was not told: \(error)", ticket: ticket)
                }
            }
        }

        /// See ``FarTier/outcome(of:)``.
        public func outcome(of ticket: WriteTicket) async throws(SharedError) -> FarOutcome {
            let parts = ticket.rawValue.split(separator: "/")
            guard parts.count == 2, let xact = UInt64(parts[1]) else {
                throw SharedError(.refused, "This is no ticket of PostgreSQL's: \(ticket.rawValue)")
            }
            let rows = try await pool.with { [limit] (connection) throws(SharedError) in
                try connection.run(
                    """
                    SELECT pg_xact_status('\(xact)'::xid8), identity,
                        coalesce((SELECT number FROM grove.commit WHERE xact = '\(xact)'::xid8), last) FROM grove.feed
                    """, limit: limit)
            }
            guard let row = rows.first?.rows.first, row[1] == String(parts[0]) else {
                throw SharedError(.outcomeUnknown, "The feed is another one than the write's.", ticket: ticket)
            }
            switch row[0] {
            case "committed": return .committed(try Self.number(row[2]))
            case "aborted": return .notCommitted
            default: throw SharedError(.outcomeUnknown, "The database says \(row[0] ?? "nothing").", ticket: ticket)
            }
        }

        // MARK: SQL

        private func snapshot(_ queries: [String]) async throws(SharedError) -> [PostgresRows] {
            let sql = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] + queries + ["COMMIT"]
            return try await pool.with { [limit] (connection) throws(SharedError) in
                do throws(SharedError) {
                    return try connection.run(sql.joined(separator: ";\n"), limit: limit)
                } catch  where error.code == .refused {
                    _ = try? connection.run("ROLLBACK", limit: limit)
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
#endif
