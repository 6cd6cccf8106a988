#if Postgres
    import GroveMemory
    import GrovePostgres
    import GroveShared
    import GroveSharedRules

    /// Measures what a hit, a miss, a fresh read and a write cost, and how stale a read near is.
    struct SharedMeasure {
        let conninfo: String

        init(_ conninfo: String) { self.conninfo = conninfo }

        func run() async throws {
            let world = try await PostgresWorld(conninfo)
            let count = 500
            for number in 0..<count {
                try await world.commit([
                    .put(Note("a\(number)", "1")), .put(Note("b\(number)", "1")),
                    .put(Pair("\(number)", Note("a\(number)", ""), Note("b\(number)", ""))),
                ])
            }
            let near = NearCache(store: try MemoryCache(), far: world.far, patience: .seconds(1))
            let listener = Task { await near.run() }
            defer { listener.cancel() }
            _ = try await near.advance()
            func read(_ number: Int, _ freshness: Freshness = .near) async throws {
                guard try await near.model("Pair:\(number % count)", as: Pair.self, freshness) != nil else {
                    throw SharedBroken(description: "A pair is not there.")
                }
            }
            try await measure("a miss, a tree of three nodes", count) { try await read($0) }
            try await measure("a hit", 100_000) { try await read($0) }
            try await measure("a fresh read", 2_000) { try await read($0, .fresh) }
            try await measure("a write of one row", 500) { number in
                _ = try await near.write([.put(Note("a\(number)", "2"))])
            }
            var delays: [Duration] = []
            for number in 0..<200 {
                _ = try await near.model("Note:a0", as: Note.self)
                _ = try await world.commit([.put(Note("a0", "s\(number)"))])
                let done = ContinuousClock.now
                while try await near.model("Note:a0", as: Note.self)?.text != "s\(number)" {
                    try await Task.sleep(for: .microseconds(50))
                }
                delays.append(done.duration(to: .now))
            }
            delays.sort()
            print("staleness of a read near after a commit: median \(delays[100]), most \(delays[199])")
        }

        private func measure(_ what: String, _ count: Int, _ body: (Int) async throws -> Void) async throws {
            let begun = ContinuousClock.now
            for number in 0..<count { try await body(number) }
            print("\(what): \(begun.duration(to: .now) / count)")
        }
    }
#endif
