#if Postgres
    // The example of Docs/Guides/ManyMachines.md that needs PostgreSQL. Nothing calls it: it is compiled.
    import GroveCache
    import GroveCoding
    import GroveModel
    import GrovePostgres
    import GroveSQLite
    import GroveShared

    enum Fragments {
        struct Note: CodableModel, Equatable {
            let id: String
            let text: String
            var modelIdentifier: ModelIdentifier? { "Note:\(id)" }
        }

        struct Unsupported: Error {}

        static func share(_ directory: String) throws -> Task<Void, Never> {
            let mapping = PostgresMapping(
                select: { ids in ["SELECT id, text FROM note WHERE id IN \(PostgresMapping.keys("Note:", in: ids))"] },
                models: { results in results[0].rows.map { Note(id: $0[0] ?? "", text: $0[1] ?? "") } },
                statement: { change in
                    guard case .put(let note as Note) = change else { throw Unsupported() }
                    let (id, text) = (PostgresMapping.literal(note.id), PostgresMapping.literal(note.text))
                    return
                        "INSERT INTO note VALUES (\(id), \(text)) ON CONFLICT (id) DO UPDATE SET text = excluded.text"
                })
            let tier = PostgresTier("host=db dbname=shop", mapping: mapping)
            let near = NearCache(store: try SQLiteCache(directory: directory), far: tier)
            let listener = Task { await near.run() }
            return listener
        }
    }
#endif
