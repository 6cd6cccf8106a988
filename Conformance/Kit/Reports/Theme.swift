/// A family of rules as a report names it.
enum Theme {
    private static let names: [(family: String, name: String)] = [
        ("HAR", "harness"), ("STO", "the bare store"), ("CON", "contract"), ("NRM", "normalization"),
        ("RCN", "reconstruction"), ("DEL", "deletion"), ("COL", "collections"), ("TXN", "transactions and views"),
        ("PRJ", "projections"), ("KEY", "keys and hostile input"), ("SCH", "schema drift and formats"),
        ("LIF", "life cycle"), ("CNC", "concurrency"), ("MBT", "random programs beside a model"),
        ("DUR", "durability"), ("EVC", "budgets and eviction"), ("ANS", "answers"),
        ("CHG", "streams of changes"), ("KEP", "what is kept beside the models"),
    ]

    /// What the rules of `family` are about.
    static func name(of family: String) -> String { names.first { $0.family == family }?.name ?? family }

    /// The families of `rules`, in the order in which they come first.
    static func families(of rules: [Rule]) -> [String] {
        var seen: Set<String> = []
        return rules.map(\.family).filter { seen.insert($0).inserted }
    }
}
