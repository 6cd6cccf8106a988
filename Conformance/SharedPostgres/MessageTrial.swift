#if Postgres
    import GroveCache
    import GroveMemory
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules

    /// One call of a near cache over PostgreSQL, with a fault at one message of it, and what must hold then.
    ///
    /// A read brings what the database had, or a typed error. A write that succeeded is in the database, and one that
    /// failed is not; an unknown outcome is settled by its ticket. All calls return in time. Afterwards every worker
    /// reads the truth.
    struct MessageTrial {
        /// What is called.
        enum Step: String, CaseIterable {
            case firstMiss = "a first connection and a miss"
            case miss = "a miss"
            case feed = "a fresh read"
            case write = "a write"
        }

        /// What happens at the message.
        enum Fault: String, CaseIterable {
            case cut = "cut before"
            case last = "cut after"
            case stopped = "stopped at"
            case late = "late at"
        }

        let server: PostgresServer
        let world: PostgresWorld
        let relay: Relay
        /// A fault of the tier, which the trial must find.
        var mutation: TierMutant.Mutation?

        init(_ server: PostgresServer, mutation: TierMutant.Mutation? = nil) async throws {
            (self.server, self.mutation) = (server, mutation)
            world = try await PostgresWorld(server.conninfo)
            relay = try Relay(before: server.socket)
        }

        /// Puts the fault at each message of the step, one after the other, and returns how many there were.
        @discardableResult
        func check(_ step: Step, _ fault: Fault) async throws -> Int {
            let count = try await run(step, "no fault", limit: .seconds(5)) { _ in .passes }
            for number in 1...count {
                let what = "\(step.rawValue), \(fault.rawValue) message \(number) of \(count)"
                // What is stopped ends by the limit.
                let limit = Duration.milliseconds(fault == .stopped ? 300 : 5_000)
                try await run(step, what, limit: limit, isLateAt: fault == .late ? number : nil) { message in
                    guard message.number == number else { return .passes }
                    switch fault {
                    case .cut: return .isCut
                    case .last: return .isLast
                    case .stopped: return .isStopped
                    case .late: return .isLate(.milliseconds(30))
                    }
                }
            }
            return count
        }

        /// Makes the call of `step` with `gate` in between, checks what must hold, and returns how many messages there
        /// were.
        ///
        /// - Parameters:
        ///   - number: the message at which another machine commits, while it is on its way.
        ///   - afterwards: repairs what the gate has done to the server.
        @discardableResult
        func run(
            _ step: Step, _ what: String, limit: Duration, isLateAt number: Int? = nil,
            afterwards: () async throws -> Void = {}, _ gate: @escaping Relay.Gate
        ) async throws -> Int {
            relay.arm(nil)
            let tier = PostgresTier(
                server.conninfo(through: relay), mapping: PostgresWorld.mapping, connections: 1, timeLimit: limit,
                listens: false)
            let store = try MemoryCache()
            let far: any FarTier = mutation.map { TierMutant($0, tier, tier) } ?? tier
            let near = NearCache(store: store, far: far, patience: .seconds(60), timeLimit: limit * 3)
            let old = "\(what), before"
            try await patiently { try await world.commit([.put(Note("x", old))]) }
            if step != .firstMiss { try await patiently { try await near.advance() } }
            if step == .feed { try await patiently { _ = try await near.model("Note:x", as: Note.self) } }
            let begun = ContinuousClock.now
            relay.arm(gate)
            let call = Task { await Self.call(step, near, "\(what), after") }
            if let number {
                while relay.count < number, !Task.isCancelled { try await Task.sleep(for: .milliseconds(1)) }
                if step != .write {
                    try await world.commit([.put(Note("x", "\(what), of another"))])
                    let other = NearCache(store: store, far: world.far, patience: .seconds(60))
                    try await other.advance()
                }
            }
            let result = await call.value
            let count = relay.count
            let taken = begun.duration(to: .now)
            guard taken < limit * 3 + .seconds(1) else {
                throw SharedBroken(description: "\(what): it took \(taken), with a limit of \(limit)")
            }
            try await afterwards()
            let truth = try await truth(what, limit: limit)
            switch (step, result) {
            case (.write, .success):
                guard truth == "\(what), after" else {
                    throw SharedBroken(description: "\(what): it returned, and the database has \(truth)")
                }
            case (.write, .failure(let error)): try await settle(error, truth, what)
            case (_, .success(let text)):
                guard text == old || text == truth else {
                    throw SharedBroken(description: "\(what): read \(text ?? "nothing"), and there is \(truth)")
                }
            case (_, .failure(let error)):
                guard [.unreachable, .timedOut, .notHeard].contains(error.code) else {
                    throw SharedBroken(description: "\(what): \(error)")
                }
            }
            relay.release()
            relay.arm(nil)
            // Of the worker that met the fault, and of another one of its machine.
            let second = NearCache(store: store, far: world.far, patience: .seconds(60))
            for (name, worker) in [("it", near), ("another worker", second)] {
                for freshness in [Freshness.near, .fresh, .near] where number != nil || freshness == .fresh {
                    let text = try await patiently { try await worker.model("Note:x", as: Note.self, freshness)?.text }
                    guard text == truth else {
                        throw SharedBroken(
                            description:
                                "\(what): \(name) reads \(text ?? "nothing") \(freshness), and there is \(truth)")
                    }
                }
            }
            return count
        }

        private static func call(
            _ step: Step, _ near: NearCache<MemoryStore>, _ text: String
        ) async -> Result<String?, SharedError> {
            do throws(SharedError) {
                switch step {
                case .firstMiss, .miss: return .success(try await near.model("Note:x", as: Note.self)?.text)
                case .feed: return .success(try await near.model("Note:x", as: Note.self, .fresh)?.text)
                case .write:
                    _ = try await near.write([.put(Note("x", text))])
                    return .success(text)
                }
            } catch {
                return .failure(error)
            }
        }

        /// What the database has, past the network, when no open transaction has the row.
        private func truth(_ what: String, limit: Duration) async throws -> String {
            let begun = ContinuousClock.now
            let rows = try await PostgresAdmin(server.conninfo).run("SELECT text FROM note WHERE id = 'x' FOR UPDATE")
            let taken = begun.duration(to: .now)
            guard taken < limit + .seconds(2) else {
                throw SharedBroken(description: "\(what): the row was locked for \(taken), with a limit of \(limit)")
            }
            return rows.first?.rows.first?[0] ?? ""
        }

        /// Checks an error of a write.
        private func settle(_ error: SharedError, _ truth: String, _ what: String) async throws {
            var isWritten = false
            switch error.code {
            case .outcomeUnknown:
                guard let ticket = error.ticket else { throw SharedBroken(description: "\(what): no ticket: \(error)") }
                let outcome = try await patiently { try await world.far.outcome(of: ticket) }
                if case .committed = outcome { isWritten = true }
            case .unreachable, .timedOut: break
            default: throw SharedBroken(description: "\(what): \(error)")
            }
            guard isWritten == (truth == "\(what), after") else {
                throw SharedBroken(description: "\(what): \(error), written \(isWritten), and there is \(truth)")
            }
        }
    }

    /// Tries again while the database cannot be asked, for some seconds.
    @discardableResult
    func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            do {
                return try await body()
            } catch let error as SharedError where ContinuousClock.now < end && error.code != .behind {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
#endif
