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
            guard CommandLine.arguments.count > 1 else { return print("SharedPostgres CONNINFO [measure]") }
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
            guard broken == 0 else { throw SharedBroken(description: "\(broken) rules are broken.") }
        #else
            print("This build has no PostgreSQL: make shared builds it with the trait Postgres.")
        #endif
    }
}
