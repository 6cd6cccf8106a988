#if Postgres
    import GroveCache
    import GroveMemory
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules

    /// A promise that holds over PostgreSQL whatever its server, its network and its clients do.
    struct PostgresRule {
        /// Its name in the catalogue; never used again.
        let name: String
        /// What is promised, in one sentence.
        let promise: String
        /// Throws if the promise is broken.
        let check: @Sendable (PostgresServer) async throws -> Void

        /// All rules.
        static let all = messages + limits + numbers + workers

        private static let messages =
            MessageTrial.Fault.allCases.enumerated().map { place, fault in
                PostgresRule(
                    name: "SHP-0\(place + 1)",
                    promise:
                        "All promises hold if the connection is \(fault.rawValue) any message of a miss, a feed or a write."
                ) { server in
                    let trial = try await MessageTrial(server)
                    defer { trial.relay.close() }
                    for step in MessageTrial.Step.allCases { try await trial.check(step, fault) }
                }
            } + [
                PostgresRule(
                    name: "SHP-05", promise: "All promises hold if the server is killed at any message."
                ) { server in
                    let trial = try await MessageTrial(server)
                    defer { trial.relay.close() }
                    for step in [MessageTrial.Step.miss, .feed, .write] {
                        let count = try await trial.run(step, "no fault", limit: .seconds(5)) { _ in .passes }
                        for number in 1...count {
                            let what = "\(step.rawValue), the server killed at message \(number) of \(count)"
                            try await trial.run(
                                step, what, limit: .seconds(5), afterwards: { try server.do(.start) }
                            ) { message in
                                guard message.number == number else { return .passes }
                                try? server.do(.kill)
                                return .isCut
                            }
                        }
                    }
                },
                PostgresRule(
                    name: "SHP-06", promise: "The rules find a tier that calls an unknown outcome a failure."
                ) { server in try await finds(.unknownIsFailure, .write, .last, server) },
                PostgresRule(
                    name: "SHP-07", promise: "The rules find a tier that calls a failure an absent model."
                ) { server in try await finds(.failureIsAbsence, .miss, .cut, server) },
                PostgresRule(
                    name: "SHP-08", promise: "The rules find a tier that reads the feed outside the snapshot."
                ) { server in try await finds(.feedOutsideSnapshot, .miss, .late, server) },
            ]

        private static func finds(
            _ mutation: TierMutant.Mutation, _ step: MessageTrial.Step, _ fault: MessageTrial.Fault,
            _ server: PostgresServer
        ) async throws {
            let trial = try await MessageTrial(server, mutation: mutation)
            defer { trial.relay.close() }
            do {
                try await trial.check(step, fault)
            } catch is SharedBroken {
                return
            }
            throw SharedBroken(description: "\(mutation.rawValue) was not found")
        }
    }
#endif
