#if Postgres
    import GroveCache
    import GroveMemory
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules

    /// Servers and networks that do not answer, and limits.
    extension PostgresRule {
        private static let limit = Duration.milliseconds(300)

        private static func tier(_ conninfo: String, connections: Int = 1) -> PostgresTier {
            PostgresTier(
                conninfo, mapping: PostgresWorld.mapping, connections: connections, timeLimit: limit, listens: false)
        }

        /// Expects one of `codes` within `most`.
        private static func expect(
            _ codes: Set<SharedError.Code>, within most: Duration, _ what: String,
            _ body: () async throws -> some Sendable
        ) async throws {
            let begun = ContinuousClock.now
            do {
                let value = try await body()
                throw SharedBroken(description: "\(what): \(value) instead of an error \(codes)")
            } catch let error as SharedError {
                guard codes.contains(error.code) else { throw SharedBroken(description: "\(what): \(error)") }
            }
            let taken = begun.duration(to: .now)
            guard taken < most else { throw SharedBroken(description: "\(what): it took \(taken)") }
        }

        static let limits = [
            PostgresRule(
                name: "SHP-09",
                promise: "A stopped server is a typed error in time; hits go on, and so does all when it does."
            ) { server in
                let world = try await PostgresWorld(server.conninfo)
                try await world.commit([.put(Note("x", "1")), .put(Note("y", "1"))])
                let (near, strict) = (
                    NearCache(store: try MemoryCache(), far: tier(server.conninfo), patience: .seconds(60)),
                    NearCache(store: try MemoryCache(), far: tier(server.conninfo), patience: .milliseconds(1))
                )
                for worker in [near, strict] {
                    try await patiently { _ = try await worker.model("Note:x", as: Note.self) }
                }
                try server.do(.freeze)
                defer { try? server.do(.thaw) }
                guard try await near.model("Note:x", as: Note.self)?.text == "1" else {
                    throw SharedBroken(description: "a hit beside a stopped server")
                }
                let failures: Set<SharedError.Code> = [.timedOut, .unreachable]
                for _ in 0..<3 {
                    try await expect(failures, within: .seconds(3), "a miss") {
                        try await near.model("Note:y", as: Note.self)
                    }
                }
                try await expect([.notHeard], within: .seconds(3), "a read after patience") {
                    try await strict.model("Note:x", as: Note.self)
                }
                try await expect(failures, within: .seconds(3), "a write") {
                    try await near.write([.put(Note("x", "2"))])
                }
                try server.do(.thaw)
                let text = try await patiently { try await near.model("Note:x", as: Note.self, .fresh)?.text }
                guard text == "1" else {
                    throw SharedBroken(description: "A write that failed was made: \(text ?? "")")
                }
            },
            PostgresRule(
                name: "SHP-10", promise: "Too many clients are refused; hits go on, and so does all when there is room."
            ) { server in
                let world = try await PostgresWorld(server.conninfo)
                try await world.commit([.put(Note("x", "1")), .put(Note("y", "1"))])
                let near = NearCache(store: try MemoryCache(), far: tier(server.conninfo), patience: .seconds(60))
                _ = try await near.model("Note:x", as: Note.self)
                var others: [PostgresConnection] = []
                let full = NearCache(store: try MemoryCache(), far: tier(server.conninfo), patience: .seconds(60))
                while others.count < 200 {
                    guard let other = try? PostgresConnection(server.conninfo, by: .now + .seconds(5)) else { break }
                    others.append(other)
                }
                try await expect([.refused], within: .seconds(3), "a trip of one client too many") {
                    try await full.advance()
                }
                guard try await near.model("Note:x", as: Note.self)?.text == "1" else {
                    throw SharedBroken(description: "a hit beside a full server")
                }
                others = []
                let text = try await patiently { try await full.model("Note:y", as: Note.self)?.text }
                guard text == "1" else { throw SharedBroken(description: "a read when there is room") }
            },
            PostgresRule(
                name: "SHP-11", promise: "A statement that is too large for a silent server to take ends in time."
            ) { server in
                _ = try await PostgresWorld(server.conninfo)
                let far = tier(server.conninfo)
                _ = try await patiently { try await far.feed(after: nil) }
                try server.do(.freeze)
                defer { try? server.do(.thaw) }
                // So that a call which waits for ever is told of.
                let end = Task {
                    try await Task.sleep(for: .seconds(12))
                    try server.do(.thaw)
                }
                defer { end.cancel() }
                try await expect([.timedOut], within: .seconds(8), "a write of 8 MB") {
                    try await far.write([.put(Note("x", String(repeating: "a", count: 8_000_000)))])
                }
            },
            PostgresRule(
                name: "SHP-12",
                promise: "Calls that wait for a connection end in time, and a write that is given up is not made."
            ) { server in
                let trial = try await MessageTrial(server)
                defer { trial.relay.close() }
                let world = trial.world
                try await world.commit([.put(Note("x", "1"))])
                let far = tier(server.conninfo(through: trial.relay))
                _ = try await patiently { try await far.feed(after: nil) }
                trial.relay.arm { $0.kind == "Q" ? .isLate(.milliseconds(200)) : .passes }
                let most = await withTaskGroup(of: Duration.self) { group in
                    for number in 0..<40 {
                        group.addTask {
                            let begun = ContinuousClock.now
                            if number % 2 == 0 {
                                _ = try? await far.feed(after: nil)
                            } else {
                                // Its caller has gone when its turn comes.
                                let write = Task { try await far.write([.put(Note("x", "given up"))]) }
                                write.cancel()
                                _ = try? await write.value
                            }
                            return begun.duration(to: .now)
                        }
                    }
                    return await group.reduce(.zero) { max($0, $1) }
                }
                guard most < limit + .seconds(1) else { throw SharedBroken(description: "a call took \(most)") }
                trial.relay.arm(nil)
                let rows = try await PostgresAdmin(server.conninfo).run(
                    "SELECT text FROM note WHERE id = 'x' FOR UPDATE")
                guard rows.first?.rows.first?[0] == "1" else { throw SharedBroken(description: "It was made.") }
            },
            PostgresRule(
                name: "SHP-13",
                promise:
                    "Waiting for a commit ends at once when it is cancelled, and for all that wait when there is one."
            ) { server in
                let world = try await PostgresWorld(server.conninfo)
                let far = PostgresTier(server.conninfo, mapping: PostgresWorld.mapping)
                /// How long it takes two that wait at once, after `body`.
                func wait(_ body: (Task<Void, Never>) async throws -> Void) async throws -> Duration {
                    let waiting = Task {
                        async let one: Void = far.wait(atMost: .seconds(20))
                        async let other: Void = far.wait(atMost: .seconds(20))
                        _ = await (one, other)
                    }
                    try await Task.sleep(for: .milliseconds(100))
                    let begun = ContinuousClock.now
                    try await body(waiting)
                    await waiting.value
                    return begun.duration(to: .now)
                }
                // The first only connect: they may have missed a commit, and say so.
                guard try await wait({ _ in }) < .seconds(3) else {
                    throw SharedBroken(description: "It only connected.")
                }
                guard try await wait({ $0.cancel() }) < .seconds(3) else {
                    throw SharedBroken(description: "It was not cancelled.")
                }
                for number in 0..<10 {
                    let taken = try await wait { _ in try await world.commit([.put(Note("x", "\(number)"))]) }
                    guard taken < .seconds(3) else { throw SharedBroken(description: "One did not hear.") }
                }
            },
            PostgresRule(
                name: "SHP-21",
                promise: "A server that is down is not overrun, however many ask, and is found when it is back."
            ) { server in
                let trial = try await MessageTrial(server)
                defer { trial.relay.close() }
                let far = tier(server.conninfo(through: trial.relay), connections: 4)
                _ = try await patiently { try await far.feed(after: nil) }
                try server.do(.kill)
                let before = trial.relay.connections
                let calls = await withTaskGroup(of: Int.self) { group in
                    let end = ContinuousClock.now + .seconds(2)
                    for _ in 0..<50 {
                        group.addTask {
                            var calls = 0
                            while ContinuousClock.now < end {
                                _ = try? await far.feed(after: nil)
                                calls += 1
                                try? await Task.sleep(for: .milliseconds(5))
                            }
                            return calls
                        }
                    }
                    return await group.reduce(0, +)
                }
                let tries = trial.relay.connections - before
                try server.do(.start)
                // Four at once, after pauses of 20 ms at the least that double up to a second.
                guard calls > 500, tries > 1, tries <= 40 else {
                    throw SharedBroken(description: "\(calls) calls made \(tries) connections")
                }
                _ = try await patiently { try await far.feed(after: nil) }
            },
        ]
    }
#endif
