#if Postgres
    import Foundation
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules
    import GroveSQLite
    import Synchronization

    /// Workers that are processes, with a store on disk.
    extension PostgresRule {
        static let workers = [
            PostgresRule(
                name: "SHP-20",
                promise: "All promises hold if a worker process is killed at any message of a miss, a feed or a write."
            ) { server in
                let world = try await PostgresWorld(server.conninfo)
                let relay = try Relay(before: server.socket)
                defer { relay.close() }
                let directory = "\(relay.folder)/store"
                func round(_ number: Int?, _ text: String) async throws -> Int {
                    try await world.commit([.put(Note("x", "before \(text)"))])
                    let victim = Mutex<Child?>(nil)
                    relay.arm { message in
                        guard message.number == number else { return .passes }
                        victim.withLock { $0?.signal(SIGKILL) }
                        return .isCut
                    }
                    let child = try Child(
                        CommandLine.arguments[0], ["once", server.conninfo(through: relay), directory, text])
                    victim.withLock { $0 = child }
                    let status = child.run()
                    guard status == (number == nil ? 0 : -SIGKILL) else {
                        throw SharedBroken(description: "\(text): the worker ended with \(status)")
                    }
                    let count = relay.count
                    // What it has left is read by the next worker, which does not know of it.
                    let sql = "SELECT text FROM note WHERE id = 'x' FOR UPDATE"
                    let truth = try await PostgresAdmin(server.conninfo).run(sql).first?.rows.first?[0]
                    let store = try SQLiteCache(directory: directory)
                    defer { store.close() }
                    let near = NearCache(store: store, far: world.far)
                    for freshness in [Freshness.near, .fresh, .near] {
                        let read = try await near.model("Note:x", as: Note.self, freshness)?.text
                        guard read == truth else {
                            throw SharedBroken(
                                description: "\(text): the next worker reads \(read ?? "nothing"), not \(truth ?? "")")
                        }
                    }
                    return count
                }
                let count = try await round(nil, "no kill")
                for number in 1...count { _ = try await round(number, "kill at \(number) of \(count)") }
            }
        ]
    }
#endif
