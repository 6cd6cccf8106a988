#if Postgres
    import GroveCache
    import GroveMemory
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules

    /// How commits are numbered.
    extension PostgresRule {
        static let numbers = [
            PostgresRule(
                name: "SHP-14", promise: "A commit that takes its number first is visible first, also if it is slow."
            ) { server in try await slowCommit(try await PostgresWorld(server.conninfo), server) },
            PostgresRule(
                name: "SHP-15", promise: "The rule before finds numbers that come from a sequence."
            ) { server in
                let world = try await PostgresWorld(server.conninfo, isFromSequence: true)
                do {
                    try await slowCommit(world, server)
                } catch is SharedBroken {
                    return
                }
                throw SharedBroken(description: "It was not found.")
            },
            PostgresRule(
                name: "SHP-16",
                promise: "A change that is rolled back has no number, and one of a prepared transaction is refused."
            ) { server in
                let world = try await PostgresWorld(server.conninfo)
                let number = try await world.commit([.put(Note("x", "1"))])
                let admin = PostgresAdmin(server.conninfo)
                try await admin.run("BEGIN; UPDATE note SET text = 'rolled back'; ROLLBACK")
                do {
                    try await admin.run("BEGIN; UPDATE note SET text = 'prepared'; PREPARE TRANSACTION 'p'")
                    throw SharedBroken(description: "It was prepared.")
                } catch let error as SharedError {
                    guard error.message.contains("NOTIFY") else { throw error }
                }
                let word = try await world.far.feed(after: nil)
                guard word.position.number == number else { throw SharedBroken(description: "\(word.position)") }
            },
            PostgresRule(
                name: "SHP-17",
                promise: "A commit of more changes than the bound says that everything may have changed."
            ) { server in
                let world = try await PostgresWorld(server.conninfo, mostChanges: 10)
                try await world.commit([.put(Note("x", "1"))])
                let near = NearCache(store: try MemoryCache(), far: world.far)
                _ = try await near.model("Note:x", as: Note.self)
                try await world.commit((0..<10).map { .put(Note("few\($0)", "1")) })
                let few = try await world.far.feed(after: try near.applied())
                guard few.changes?.count == 10 else { throw SharedBroken(description: "\(few)") }
                try await world.commit([.put(Note("x", "2"))] + (0..<10).map { .put(Note("many\($0)", "1")) })
                let many = try await world.far.feed(after: try near.applied())
                guard many.changes == nil else { throw SharedBroken(description: "\(many)") }
                guard try await near.model("Note:x", as: Note.self, .fresh)?.text == "2" else {
                    throw SharedBroken(description: "what changed with many others is not read")
                }
            },
            PostgresRule(
                name: "SHP-18", promise: "After a TRUNCATE everything may have changed."
            ) { server in
                let world = try await PostgresWorld(server.conninfo)
                try await world.commit([.put(Note("x", "1"))])
                let near = NearCache(store: try MemoryCache(), far: world.far)
                _ = try await near.model("Note:x", as: Note.self)
                try await PostgresAdmin(server.conninfo).run("TRUNCATE note")
                guard try await near.model("Note:x", as: Note.self, .fresh) == nil else {
                    throw SharedBroken(description: "what was truncated is read")
                }
            },
            PostgresRule(
                name: "SHP-19", promise: "A write that the feed has forgotten is not called a failure."
            ) { server in
                let world = try await PostgresWorld(server.conninfo)
                try await world.commit([.put(Note("x", "old"))])
                try await world.loseNextWrite(.afterCommit)
                do {
                    try await world.commit([.put(Note("x", "new"))])
                    throw SharedBroken(description: "It was not lost.")
                } catch let error as SharedError {
                    guard let ticket = error.ticket else { throw error }
                    guard case .committed = try await patiently({ try await world.far.outcome(of: ticket) }) else {
                        throw SharedBroken(description: "It is not settled.")
                    }
                    try await world.trim()
                    let outcome = try? await world.far.outcome(of: ticket)
                    guard outcome == nil else { throw SharedBroken(description: "It is settled.") }
                }
            },
        ]

        /// One transaction takes its number and is then slow to commit; another one follows.
        private static func slowCommit(_ world: PostgresWorld, _ server: PostgresServer) async throws {
            try await world.commit([.put(Note("slow", "0")), .put(Note("quick", "0"))])
            let near = NearCache(store: try MemoryCache(), far: world.far, timeLimit: .seconds(20))
            for id in ["slow", "quick"] { _ = try await near.model(ModelIdentifier("Note:\(id)"), as: Note.self) }
            // It runs in the commit, after the number was taken, as the row of "grove.commit" is made then.
            let admin = PostgresAdmin(server.conninfo)
            try await admin.run(
                """
                CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF EXISTS (SELECT FROM grove.change WHERE number = NEW.number AND id = 'Note:slow') THEN
                        PERFORM pg_advisory_xact_lock_shared(48);
                    END IF;
                    RETURN NULL;
                END $$;
                CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON grove.commit DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION slow()
                """)
            let lock = try PostgresConnection(server.conninfo, by: .now + .seconds(5))
            try lock.run("SELECT pg_advisory_lock(48)", by: .now + .seconds(5))
            let slow = Task { try await world.commit([.put(Note("slow", "1"))]) }
            let waits = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            while try await admin.run(waits).first?.rows.isEmpty ?? true { try await Task.sleep(for: .milliseconds(5)) }
            let quick = Task { try await world.commit([.put(Note("quick", "1"))]) }
            try await Task.sleep(for: .milliseconds(300))
            try await near.advance()
            try lock.run("SELECT pg_advisory_unlock(48)", by: .now + .seconds(5))
            _ = try await (slow.value, quick.value)
            for id in ["slow", "quick"] {
                let text = try await near.model(ModelIdentifier("Note:\(id)"), as: Note.self, .fresh)?.text
                guard text == "1" else { throw SharedBroken(description: "\(id) is \(text ?? "not there")") }
            }
        }
    }
#endif
