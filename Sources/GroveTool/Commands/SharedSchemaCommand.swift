#if Tool
    import ArgumentParser
    import GroveShared

    /// `grove shared-schema`: the SQL for a database behind a near cache.
    struct SharedSchemaCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "shared-schema",
            abstract: "Prints the SQL that a PostgreSQL database needs to stand behind a NearCache.",
            discussion: """
                EXAMPLE
                  grove shared-schema note "'Note:' || r.id" pair "'Pair:' || r.id" | psql
                """)

        @Argument(help: "Tables, each with the SQL expression of its models' identifiers, in which the row is r.")
        var tables: [String] = []

        @Option(help: "The most identifiers of one commit that are listed.")
        var mostChanges = 10_000

        func validate() throws {
            guard tables.count.isMultiple(of: 2) else {
                throw ValidationError("Each table needs the expression of its models' identifiers.")
            }
        }

        func run() {
            let described = stride(from: 0, to: tables.count, by: 2).map {
                SharedSchema.Table(tables[$0], identifier: tables[$0 + 1])
            }
            print(SharedSchema(tables: described, mostChanges: mostChanges).sql)
        }
    }
#endif
