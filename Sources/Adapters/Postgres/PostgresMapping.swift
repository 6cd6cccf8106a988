#if Postgres
    public import GroveCoding
    public import GroveModel
    public import GroveShared

    /// How identifiers, rows and models of an application belong together.
    public struct PostgresMapping: Sendable {
        /// The queries that select the rows of identifiers.
        ///
        /// Each query must return rows, and none may end with a semicolon. They run in one snapshot and one round trip.
        /// Name keys by ``keys(_:in:)``, so that the server knows how many there are and uses its index.
        public let select: @Sendable (_ identifiers: [ModelIdentifier]) -> [String]
        /// The models, each with its tree, out of the results of ``select``, in order.
        public let models: @Sendable (_ results: [PostgresRows]) throws -> [any CacheableModel]
        /// The statement that makes a change, without a semicolon at its end.
        ///
        /// Texts go through ``literal(_:)``.
        public let statement: @Sendable (_ change: FarChange) throws -> String

        /// Makes a mapping.
        public init(
            select: @escaping @Sendable (_ identifiers: [ModelIdentifier]) -> [String],
            models: @escaping @Sendable (_ results: [PostgresRows]) throws -> [any CacheableModel],
            statement: @escaping @Sendable (_ change: FarChange) throws -> String
        ) {
            (self.select, self.models, self.statement) = (select, models, statement)
        }

        /// A SQL list for `IN`, such as `('17', '18')`: those of `identifiers` that begin with `prefix`, without it.
        ///
        /// If there is none, the list is `(NULL)`, which selects nothing.
        public static func keys(_ prefix: String, in identifiers: [ModelIdentifier]) -> String {
            let keys = identifiers.map(\.rawValue.utf8).filter { $0.starts(with: prefix.utf8) }
                .map { literal(String(decoding: $0.dropFirst(prefix.utf8.count), as: UTF8.self)) }
            return "(" + (keys.isEmpty ? "NULL" : keys.joined(separator: ", ")) + ")"
        }

        /// `text` as a SQL literal, quotes included.
        public static func literal(_ text: String) -> String { PostgresConnection.literal(text) }
    }
#endif
