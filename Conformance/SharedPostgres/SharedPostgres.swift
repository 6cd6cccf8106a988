#if Postgres
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
                return print("SharedPostgres CONNINFO [measure] [history SECONDS]")
            }
            let conninfo = CommandLine.arguments[1]
            var broken = 0
            for rule in SharedRule.all {
                do {
                    try await rule.check(SharedTrial(try await PostgresWorld(conninfo)))
                    print("\(rule.name) holds: \(rule.promise)")
                } catch {
                    broken += 1
                    print("\(rule.name) IS BROKEN: \(rule.promise)\n    \(error)")
                }
            }
            if CommandLine.arguments.contains("measure") { try await SharedMeasure(conninfo).run() }
            if let place = CommandLine.arguments.firstIndex(of: "history"), CommandLine.arguments.count > place + 1 {
                let seconds = Int(CommandLine.arguments[place + 1]) ?? 60
                broken += try await SharedHistoryRun(conninfo: conninfo, seconds: seconds).run()
            }
            guard broken == 0 else { throw SharedBroken(description: "\(broken) rules are broken, or lies were told.") }
        #else
            print("This build has no PostgreSQL: make shared builds it with the trait Postgres.")
        #endif
    }
}
