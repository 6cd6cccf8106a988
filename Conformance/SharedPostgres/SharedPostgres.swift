import Foundation
import GroveSharedRules

#if Postgres
    import GrovePostgres
    import GroveShared
#endif

/// Runs the rules for a cache of many machines over the PostgreSQL server that the first argument names, or over a
/// database in memory, if that is `memory`.
@main
struct SharedPostgres {
    static func main() async throws {
        guard CommandLine.arguments.count > 1 else {
            return print("SharedPostgres memory [RULE…] | CONNINFO [RULE…] [measure] [history SECONDS]")
        }
        let known = SharedRule.all.map(\.name) + serverRules
        if let wrong = CommandLine.arguments.first(where: { $0.hasPrefix("SH") && !known.contains($0) }) {
            print("There is no rule \(wrong). There are \(known.joined(separator: ", ")).")
            exit(2)
        }
        if CommandLine.arguments[1] == "memory" { exit(await rules { MemoryWorld() } == 0 ? 0 : 1) }
        #if Postgres
            if ["work", "once"].contains(CommandLine.arguments[1]) {
                return try await WorkerProcess.main(Array(CommandLine.arguments.dropFirst()))
            }
            let conninfo = CommandLine.arguments[1]
            var broken = await rules { try await PostgresWorld(conninfo) }
            let server = try PostgresServer(conninfo)
            for rule in PostgresRule.all where isAsked(rule.name) {
                do {
                    try await rule.check(server)
                    print("\(rule.name) holds: \(rule.promise)")
                } catch {
                    broken += 1
                    print("\(rule.name) IS BROKEN: \(rule.promise)\n    \(error)")
                }
                fflush(nil)
            }
            if CommandLine.arguments.contains("measure") {
                var measure = SharedMeasure(server)
                do {
                    try await measure.run()
                } catch {
                    broken += 1
                    print("The measure ended: \(error)")
                }
            }
            if let place = CommandLine.arguments.firstIndex(of: "history"), CommandLine.arguments.count > place + 1 {
                let seconds = Int(CommandLine.arguments[place + 1]) ?? 60
                do {
                    broken += try await SharedHistoryRun(server).run(for: .seconds(seconds))
                } catch {
                    broken += 1
                    print("The history could not be written: \(error)")
                }
            }
            guard broken == 0 else {
                print("\(broken) rules are broken, or lies were told.")
                exit(1)
            }
        #else
            print("This build has no PostgreSQL: make shared builds it with the trait Postgres.")
            exit(1)
        #endif
    }

    /// The names of the rules that need a server.
    private static var serverRules: [String] {
        #if Postgres
            PostgresRule.all.map(\.name)
        #else
            []
        #endif
    }

    /// Whether the arguments name the rule, or nothing that is to be run.
    private static func isAsked(_ name: String) -> Bool {
        let asked = CommandLine.arguments.dropFirst(2)
        return asked.isEmpty || asked.contains(name)
    }

    /// Checks the rules, each over a world of its own, and returns how many are broken.
    private static func rules(_ world: @Sendable () async throws -> any FarWorld) async -> Int {
        var broken = 0
        for rule in SharedRule.all where isAsked(rule.name) {
            do {
                try await rule.check(over: try await world())
                print("\(rule.name) holds: \(rule.promise)")
            } catch {
                broken += 1
                print("\(rule.name) IS BROKEN: \(rule.promise)\n    \(error)")
            }
            fflush(nil)
        }
        return broken
    }
}
