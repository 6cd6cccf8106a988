#if Postgres
    import GroveCoding
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules
    import Synchronization

    /// The world over a PostgreSQL server: two tables, and Grove's schema.
    final class PostgresWorld: FarWorld {
        let far: any FarTier
        let gated: GatedTier
        private let base: PostgresTier
        private let admin: PostgresAdmin

        private static let tables: [SharedSchema.Table] = [
            .init("note", identifier: "'Note:' || r.id"), .init("pair", identifier: "'Pair:' || r.id"),
        ]

        static let mapping = PostgresMapping(
            select: { ids in
                [
                    "SELECT id, text FROM note WHERE id IN \(PostgresMapping.keys("Note:", in: ids))",
                    """
                    SELECT p.id, l.id, l.text, r.id, r.text FROM pair p JOIN note l ON l.id = p.l JOIN note r ON r.id = p.r
                        WHERE p.id IN \(PostgresMapping.keys("Pair:", in: ids))
                    """,
                ]
            },
            models: { results in
                let notes = results[0].rows.map { Note($0[0] ?? "", $0[1] ?? "") }
                let pairs = results[1].rows.map { row in
                    Pair(row[0] ?? "", Note(row[1] ?? "", row[2] ?? ""), Note(row[3] ?? "", row[4] ?? ""))
                }
                return notes + pairs
            },
            statement: { change in
                let literal = PostgresMapping.literal
                switch change {
                case .put(let note as Note):
                    return """
                        INSERT INTO note VALUES (\(literal(note.id)), \(literal(note.text)))
                            ON CONFLICT (id) DO UPDATE SET text = excluded.text
                        """
                case .put(let pair as Pair):
                    return """
                        INSERT INTO pair VALUES (\(literal(pair.id)), \(literal(pair.left.id)), \(literal(pair.right.id)))
                            ON CONFLICT (id) DO UPDATE SET l = excluded.l, r = excluded.r
                        """
                case .delete(let identifier):
                    return "DELETE FROM note WHERE 'Note:' || id = \(literal(identifier.rawValue))"
                case .put(let other): throw SharedError(.refused, "\(other) has no table.")
                }
            })

        /// Makes the database empty.
        ///
        /// - Parameters:
        ///   - mostChanges: the most identifiers of one commit that are listed.
        ///   - isFromSequence: whether numbers come from a sequence, which is a mutant: a commit may be visible before
        ///     one of a lower number.
        init(_ conninfo: String, mostChanges: Int = 10_000, isFromSequence: Bool = false) async throws {
            var sql = SharedSchema(tables: Self.tables, mostChanges: mostChanges).sql
            if isFromSequence {
                sql = sql.replacing(
                    "UPDATE grove.feed SET last = last + 1 RETURNING last INTO n;",
                    with: "n := nextval('grove.numbers');")
                sql += """
                    CREATE SEQUENCE grove.numbers; ALTER TABLE grove.feed RENAME TO feed_row;
                    CREATE VIEW grove.feed AS SELECT identity, trimmed,
                        coalesce((SELECT max(number) FROM grove.commit), 0) AS last FROM grove.feed_row;
                    """
            }
            base = PostgresTier(conninfo, mapping: Self.mapping)
            gated = GatedTier(base)
            far = gated
            admin = PostgresAdmin(conninfo)
            try await admin.run(
                """
                DROP SCHEMA IF EXISTS grove, saved CASCADE; DROP TABLE IF EXISTS note, pair;
                CREATE TABLE note (id text PRIMARY KEY, text text NOT NULL);
                CREATE TABLE pair (id text PRIMARY KEY, l text NOT NULL, r text NOT NULL);
                CREATE SCHEMA saved;
                \(sql)
                """)
        }

        @discardableResult
        func commit(_ changes: [FarChange]) async throws -> FeedNumber { try await base.write(changes) }

        func trim() async throws { try await admin.run("SELECT grove.trim('0')") }

        func renew() async throws {
            try await admin.run("SELECT grove.renew(); UPDATE grove.feed SET last = 0, trimmed = 0")
        }

        private static let copied = ["grove.feed", "grove.commit", "grove.change", "note", "pair"]

        func keepReplica() async throws {
            let copies = Self.copied.map { "CREATE TABLE saved.\($0.replacing("grove.", with: "")) AS TABLE \($0);" }
            try await admin.run(copies.joined())
        }

        func failOver() async throws {
            let copies = Self.copied.map { name in
                "DELETE FROM \(name); INSERT INTO \(name) TABLE saved.\(name.replacing("grove.", with: ""));"
            }
            // "Setting this to replica disables all foreign key checks" and triggers, as in a replica's own replay.
            try await admin.run("SET session_replication_role = replica; \(copies.joined())")
        }

        func loseNextWrite(_ loss: MemoryFarTier.Loss) async throws {
            switch loss {
            case .beforeCommit:
                // A deferred trigger that ends its own connection.
                try await admin.run(
                    """
                    CREATE OR REPLACE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $$;
                    DROP TRIGGER IF EXISTS lose ON note;
                    CREATE CONSTRAINT TRIGGER lose AFTER INSERT OR UPDATE ON note DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW WHEN (NEW.text = 'new') EXECUTE FUNCTION lose()
                    """)
            case .afterCommit:
                // A commit waits for a standby that there is not: it is made, and its client is not told. Then it is
                // ended.
                try await admin.run("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
                try await admin.run("SELECT pg_reload_conf()")
                try await Task.sleep(for: .milliseconds(300))
                Task { [admin] in
                    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                    while try await admin.run(end).first?.rows.isEmpty ?? true {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    try await admin.run("ALTER SYSTEM RESET synchronous_standby_names")
                    try await admin.run("SELECT pg_reload_conf()")
                }
            }
        }
    }

    /// Runs SQL as the server's owner, on a connection for each call.
    struct PostgresAdmin: Sendable {
        let conninfo: String

        init(_ conninfo: String) { self.conninfo = conninfo }

        @discardableResult
        func run(_ sql: String) async throws -> [PostgresRows] {
            try PostgresConnection(conninfo, by: .now + .seconds(5)).run(sql, by: .now + .seconds(10))
        }
    }
#endif
