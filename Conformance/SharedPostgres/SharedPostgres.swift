#if Postgres
    import Foundation
    import GrovePostgres
    import GroveShared
    import GroveSharedRules
#endif

/// Runs the rules for a cache of many machines over the PostgreSQL server that the first argument names.
@main
struct SharedPostgres {
    static func main() async throws {
        #if Postgres
            guard CommandLine.arguments.count > 1 else {
                return print("SharedPostgres CONNINFO [RULE…] [measure] [history SECONDS]")
            }
            if ["work", "once"].contains(CommandLine.arguments[1]) {
                return try await WorkerProcess.main(Array(CommandLine.arguments.dropFirst()))
            }
            let conninfo = CommandLine.arguments[1]
            var broken = 0
            let named = Set(CommandLine.arguments.filter { $0.hasPrefix("SH") })
            for rule in SharedRule.all where named.isEmpty || named.contains(rule.name) {
                do {
                    try await rule.check(SharedTrial(try await PostgresWorld(conninfo)))
                    print("\(rule.name) holds: \(rule.promise)")
                } catch {
                    broken += 1
                    print("\(rule.name) IS BROKEN: \(rule.promise)\n    \(error)")
                }
                fflush(nil)
            }
            let server = try PostgresServer(conninfo)
            for rule in PostgresRule.all where named.isEmpty || named.contains(rule.name) {
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
        #endif
    }
}
