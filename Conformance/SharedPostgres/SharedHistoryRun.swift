#if Postgres
    import GroveMemory
    import GroveShared
    import GroveSharedRules

    /// Eight workers on four machines over a server whose connections are ended all the time; the script also kills the server.
    struct SharedHistoryRun {
        let conninfo: String
        let seconds: Int

        /// Returns how many lies were found.
        func run() async throws -> Int {
            let world = try await PostgresWorld(conninfo)
            let history = SharedHistory()
            let stores = try (0..<4).map { _ in try MemoryCache() }
            let end = ContinuousClock.now + .seconds(seconds)
            let killer = Task {
                let kill = """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND random() < 0.3
                    """
                while !Task.isCancelled {
                    _ = try? await PostgresAdmin(conninfo).run(kill)
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            defer { killer.cancel() }
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    let near = NearCache(store: stores[worker / 2], far: world.far, patience: .milliseconds(20))
                    group.addTask {
                        while ContinuousClock.now < end {
                            await history.work(worker, near, steps: 200)
                            // What fails at once would fill the time.
                            try? await Task.sleep(for: .milliseconds(1))
                        }
                    }
                }
            }
            let totals = history.totals
            print("\(seconds) s: \(totals.reads) reads, \(totals.writes) writes, \(totals.failures) typed failures")
            for lie in history.found.prefix(10) { print("A LIE: \(lie)") }
            if history.found.isEmpty { print("no lie") }
            return history.found.count
        }
    }
#endif
