#if Postgres
    import GroveCoding
    import GroveModel
    import GrovePostgres
    import GroveShared
    import GroveSharedRules

    /// A tree of 21 nodes, to measure with: a shelf and twenty notes.
    struct Shelf: CodableModel, Equatable {
        static let count = 1_000
        static let notes = 20

        let id: String
        let texts: [Line]

        var modelIdentifier: ModelIdentifier? { ModelIdentifier("Shelf:\(id)") }

        /// One of its nodes.
        struct Line: CodableModel, Equatable {
            let id: String
            let text: String

            var modelIdentifier: ModelIdentifier? { ModelIdentifier("Line:\(id)") }
        }

        /// The rows, in three tables, and the whole tree as a text in a fourth; `line` numbers its commits, `plain`
        /// does not.
        static let sql = """
            DROP TABLE IF EXISTS shelf, line, plain, blob;
            CREATE TABLE shelf (id text PRIMARY KEY);
            CREATE TABLE line (id text PRIMARY KEY, shelf text NOT NULL, place int NOT NULL, text text NOT NULL);
            INSERT INTO shelf SELECT s::text FROM generate_series(0, \(count - 1)) s;
            INSERT INTO line SELECT s || '-' || n, s::text, n, 'A line of some forty characters, ' || s || '-' || n
                FROM generate_series(0, \(count - 1)) s, generate_series(0, \(notes - 1)) n;
            CREATE INDEX ON line (shelf, place);
            CREATE TABLE plain AS TABLE line;
            ALTER TABLE plain ADD PRIMARY KEY (id);
            CREATE TABLE blob (id text PRIMARY KEY, body text NOT NULL);
            \(SharedSchema(tables: [
                .init("shelf", identifier: "'Shelf:' || r.id"), .init("line", identifier: "'Line:' || r.id"),
            ]).sql)
            """

        /// The join that a read without a cache makes.
        static func join(_ condition: String) -> String {
            "SELECT s.id, l.id, l.text FROM shelf s JOIN line l ON l.shelf = s.id WHERE \(condition) ORDER BY s.id, l.place"
        }

        static func shelves(_ rows: PostgresRows) -> [Shelf] {
            Dictionary(grouping: rows.rows) { $0[0] ?? "" }
                .map { id, rows in Shelf(id: id, texts: rows.map { Line(id: $0[1] ?? "", text: $0[2] ?? "") }) }
        }

        static func update(_ table: String, _ line: String, _ text: String) -> String {
            "UPDATE \(table) SET text = \(PostgresMapping.literal(text)) WHERE id = \(PostgresMapping.literal(line))"
        }

        static let mapping = PostgresMapping(
            select: { ids in [join("s.id IN \(PostgresMapping.keys("Shelf:", in: ids))")] },
            models: { results in shelves(results[0]) },
            statement: { change in
                guard case .put(let line as Line) = change else {
                    throw SharedError(.refused, "Only lines are written.")
                }
                return update("line", line.id, line.text)
            })
    }
#endif
