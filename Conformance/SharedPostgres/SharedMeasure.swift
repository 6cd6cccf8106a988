#if Postgres
    import Foundation
    import GroveCache
    import GroveMemory
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules
    import GroveSQLite

    /// Measures what reads and writes cost over a link with a delay, beside a join, a blob, and Redis.
    struct SharedMeasure {
        private let server: PostgresServer
        private let redis: String?
        /// The figures of each line, one for each delay.
        private var lines: [(what: String, figures: [String])] = []

        init(_ server: PostgresServer) {
            self.server = server
            redis = ProcessInfo.processInfo.environment["GROVE_SHARED_REDIS"]
        }

        mutating func run() async throws {
            try await prepare()
            let delays: [Duration] = [.zero, .microseconds(500), .milliseconds(1)]
            for delay in delays {
                var relays: [Relay] = []
                func through(_ socket: String, isPostgres: Bool) throws -> Relay? {
                    guard delay > .zero else { return nil }
                    let relay = try Relay(before: socket, isPostgres: isPostgres)
                    relay.arm { $0.isToServer ? .isLate(delay) : .passes }
                    relays.append(relay)
                    return relay
                }
                let postgres = try through(server.socket, isPostgres: true)
                let conninfo = postgres.map { server.conninfo(through: $0) } ?? server.conninfo
                try await reads(conninfo)
                try floors(conninfo, try redis.map { try through($0, isPostgres: false)?.path ?? $0 })
                for workers in [1, 2, 4, 8] { try await writes(conninfo, workers) }
                for workers in [1, 8] { try await plainWrites(conninfo, workers) }
                for relay in relays { relay.close() }
            }
            print("\n| | no delay | 0.5 ms | 1 ms |\n|---|---|---|---|")
            for line in lines { print("| \(line.what) | \(line.figures.joined(separator: " | ")) |") }
        }

        private func prepare() async throws {
            _ = try await PostgresWorld(server.conninfo)
            let connection = try connection(server.conninfo)
            _ = try connection.run(Shelf.sql, by: .now + .seconds(60))
            _ = try connection.run("VACUUM ANALYZE", by: .now + .seconds(60))
            let redis = try redis.map { try RedisConnection($0) }
            let shelves = Shelf.shelves(try connection.run(Shelf.join("true"), by: .now + .seconds(60))[0])
            for shelf in shelves {
                let body = try JSONEncoder().encode(shelf)
                let text = PostgresMapping.literal(String(decoding: body, as: UTF8.self))
                _ = try connection.run("INSERT INTO blob VALUES ('\(shelf.id)', \(text))", by: .now + .seconds(5))
                try redis?.set("Shelf:\(shelf.id)", Array(body))
            }
        }

        private func connection(_ conninfo: String) throws -> PostgresConnection {
            try PostgresConnection(conninfo, by: .now + .seconds(5))
        }

        /// A tier whose limits a busy machine does not reach.
        private func makeTier(
            _ conninfo: String, _ mapping: PostgresMapping = Shelf.mapping, connections: Int = 4
        ) -> PostgresTier {
            PostgresTier(conninfo, mapping: mapping, connections: connections, timeLimit: .seconds(30))
        }

        // MARK: Grove

        private mutating func reads(_ conninfo: String) async throws {
            let tier = makeTier(conninfo)
            let directory =
                FileManager.default.temporaryDirectory.path + "/grove-measure-\(UInt32.random(in: .min ... .max))"
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let near = NearCache(store: try MemoryCache(), far: tier, timeLimit: .seconds(60))
            let onDisk = NearCache(store: try SQLiteCache(directory: directory), far: tier, timeLimit: .seconds(60))
            let listeners = [Task { await near.run() }, Task { await onDisk.run() }]
            defer { for listener in listeners { listener.cancel() } }
            _ = try await (near.advance(), onDisk.advance())
            let trip = try connection(conninfo)
            try await measure("a trip: `SELECT 1`", 1_000) { _ in _ = try trip.run("SELECT 1", by: .now + .seconds(5)) }
            try await measure("a miss", 500) { try await Self.read(near, $0) }
            for id in 500..<Shelf.count { try await Self.read(near, id) }
            for id in 0..<Shelf.count { try await Self.read(onDisk, id) }
            try await measure("a hit, in memory", 50_000) { try await Self.read(near, $0) }
            try await measure("a hit, SQLite", 10_000) { try await Self.read(onDisk, $0) }
            try await measure("a fresh read", 1_000) { try await Self.read(near, $0, .fresh) }
            try await measure("a write of one row", 500) { number in
                _ = try await near.write([.put(Shelf.Line(id: "\(number)-1", text: "written"))])
            }
            try await staleness(near)
            try await beside50Writes(near)
        }

        private static func read<Store>(
            _ near: NearCache<Store>, _ number: Int, _ freshness: Freshness = .near
        ) async throws {
            let id = ModelIdentifier("Shelf:\(number % Shelf.count)")
            guard try await near.model(id, as: Shelf.self, freshness)?.texts.count == Shelf.notes else {
                throw SharedBroken(description: "\(id.rawValue) is not whole.")
            }
        }

        /// How long after a commit a read near still brings what was before.
        private mutating func staleness(_ near: NearCache<MemoryStore>) async throws {
            let other = makeTier(server.conninfo)
            var delays: [Duration] = []
            for number in 0..<200 {
                try await Self.read(near, 0)
                // Commits that follow each other within a hundredth of a second are heard of together.
                try await Task.sleep(for: .milliseconds(20))
                _ = try await other.write([.put(Shelf.Line(id: "0-0", text: "s\(number)"))])
                let done = ContinuousClock.now
                while try await near.model("Shelf:0", as: Shelf.self)?.texts[0].text != "s\(number)" {
                    try await Task.sleep(for: .microseconds(50))
                }
                delays.append(done.duration(to: .now))
            }
            delays.sort()
            add("staleness of a read near, median", Self.text(delays[100]))
            add("the same, at most, of 200", Self.text(delays[199]))
        }

        /// Reads of random trees for two seconds, beside fifty writes a second.
        private mutating func beside50Writes(_ near: NearCache<MemoryStore>) async throws {
            for id in 0..<Shelf.count { try await Self.read(near, id) }
            let other = makeTier(server.conninfo)
            let writer = Task {
                while !Task.isCancelled {
                    let line = Shelf.Line(id: "\(Int.random(in: 0..<Shelf.count))-3", text: "w")
                    _ = try? await other.write([.put(line)])
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
            defer { writer.cancel() }
            let (begun, hits) = (ContinuousClock.now, near.store.statistics.hits)
            var count = 0
            while begun.duration(to: .now) < .seconds(2) {
                for _ in 0..<100 { try await Self.read(near, Int.random(in: 0..<Shelf.count)) }
                count += 100
            }
            let share = Double(near.store.statistics.hits - hits) / Double(count) * 100
            add(
                "reads near beside 50 writes/s, and hits",
                "\(Int(Double(count) / (begun.duration(to: .now) / .seconds(1))))/s, \(String(format: "%.2f", min(share, 100))) %"
            )
        }

        private mutating func writes(_ conninfo: String, _ workers: Int) async throws {
            let tier = makeTier(conninfo, connections: workers)
            try await rate("commits with \(workers) \(workers == 1 ? "worker" : "workers")", workers) {
                worker, number in
                let line = Shelf.Line(id: "\(worker * 100 + number % 100)-2", text: "w\(number)")
                _ = try await tier.write([.put(line)])
            }
        }

        // MARK: What is beside it

        /// The same rows in a table without triggers: three trips, as a write of Grove's.
        private mutating func plainWrites(_ conninfo: String, _ workers: Int) async throws {
            let mapping = PostgresMapping(
                select: { _ in [] }, models: { _ in [] },
                statement: { change in
                    guard case .put(let line as Shelf.Line) = change else { throw SharedError(.refused, "no line") }
                    return Shelf.update("plain", line.id, line.text)
                })
            let tier = makeTier(conninfo, mapping, connections: workers)
            try await rate(
                "the same to a table without triggers, \(workers) \(workers == 1 ? "worker" : "workers")", workers
            ) { worker, number in
                let line = Shelf.Line(id: "\(worker * 100 + number % 100)-2", text: "w\(number)")
                _ = try await tier.write([.put(line)])
            }
        }

        private mutating func floors(_ conninfo: String, _ redis: String?) throws {
            let connection = try connection(conninfo)
            func rows(_ sql: String) throws -> PostgresRows { try connection.run(sql, by: .now + .seconds(5))[0] }
            try measureNow("one join a read") { id in
                guard Shelf.shelves(try rows(Shelf.join("s.id = '\(id)'"))).first?.texts.count == Shelf.notes else {
                    throw SharedBroken(description: "A join is not whole.")
                }
            }
            try measureNow("`SELECT` of a blob by key") { id in
                _ = try rows("SELECT body FROM blob WHERE id = '\(id)'").rows[0][0]
            }
            try measureNow("the blob, decoded from JSON") { id in
                let body = try rows("SELECT body FROM blob WHERE id = '\(id)'").rows[0][0] ?? ""
                _ = try JSONDecoder().decode(Shelf.self, from: Data(body.utf8))
            }
            guard let redis else { return }
            let client = try RedisConnection(redis)
            try measureNow("Redis, `GET` by key") { id in _ = try client.get("Shelf:\(id)") }
            try measureNow("Redis, decoded from JSON") { id in
                _ = try JSONDecoder().decode(Shelf.self, from: Data(try client.get("Shelf:\(id)")))
            }
        }

        // MARK: Figures

        private mutating func measureNow(_ what: String, _ body: (Int) throws -> Void) throws {
            for number in 0..<20 { try body(number) }
            let begun = ContinuousClock.now
            for number in 0..<1_000 { try body(number % Shelf.count) }
            add(what, Self.text(begun.duration(to: .now) / 1_000))
        }

        private mutating func measure(_ what: String, _ count: Int, _ body: (Int) async throws -> Void) async throws {
            let begun = ContinuousClock.now
            for number in 0..<count { try await body(number) }
            add(what, Self.text(begun.duration(to: .now) / count))
        }

        /// How often `body` runs in a second, for two seconds, if `workers` do nothing else.
        private mutating func rate(
            _ what: String, _ workers: Int,
            _ body: @escaping @Sendable (_ worker: Int, _ number: Int) async throws -> Void
        ) async throws {
            let begun = ContinuousClock.now
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        var number = 0
                        while begun.duration(to: .now) < .seconds(2) {
                            try await body(worker, number)
                            number += 1
                        }
                        return number
                    }
                }
                return try await group.reduce(0, +)
            }
            add(what, "\(Int(Double(count) / (begun.duration(to: .now) / .seconds(1))))/s")
        }

        private mutating func add(_ what: String, _ figure: String) {
            print("\(what): \(figure)")
            fflush(nil)
            if let place = lines.firstIndex(where: { $0.what == what }) {
                lines[place].figures.append(figure)
            } else {
                lines.append((what, [figure]))
            }
        }

        private static func text(_ duration: Duration) -> String {
            let microseconds = duration / .microseconds(1)
            return microseconds < 100
                ? String(format: "%.1f µs", microseconds) : String(format: "%.2f ms", microseconds / 1_000)
        }
    }
#endif
