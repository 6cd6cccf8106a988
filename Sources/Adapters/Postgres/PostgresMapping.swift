#if Postgres
    public import GroveCoding
    public import GroveShared

    /// How identifiers, rows and models of an application belong together.
    public struct PostgresMapping: Sendable {
        /// The queries that select the rows of identifiers, for a SQL expression of type `text[]` that lists these.
        ///
        /// Each query must return rows, and none may end with a semicolon. They run in one snapshot and one round trip.
        public let select: @Sendable (_ identifiers: String) -> [String]
        /// The models, each with its tree, out of the results of ``select``, in order.
        public let models: @Sendable (_ results: [PostgresRows]) throws -> [any CacheableModel]
        /// The statement that makes a change, without a semicolon at its end.
        ///
        /// Texts go through ``literal(_:)``.
        public let statement: @Sendable (_ change: FarChange) throws -> String

        /// Makes a mapping.
        public init(
            select: @escaping @Sendable (_ identifiers: String) -> [String],
            models: @escaping @Sendable (_ results: [PostgresRows]) throws -> [any CacheableModel],
            statement: @escaping @Sendable (_ change: FarChange) throws -> String
        ) {
            (self.select, self.models, self.statement) = (select, models, statement)
        }

        /// `text` as a SQL literal, quotes included.
        public static func literal(_ text: String) -> String { PostgresConnection.literal(text) }
    }
#endif
