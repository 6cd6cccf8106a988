/// What an application does with its cache, as shares of calls that were measured one by one.
package struct Use: Sendable, Equatable {
    /// One kind of call, and how often it comes.
    struct Part: Sendable, Equatable {
        let workload: Workload
        /// Its share of the calls; shares need not add up to one.
        let share: Double
    }

    /// The name, as `--for` takes it.
    package let name: String
    /// What it is, in a line.
    package let summary: String
    let parts: [Part]
    /// Whether the opening of the cache is a part of it.
    var opens = false

    private init(_ name: String, _ summary: String, opens: Bool = false, _ parts: (Workload, Double)...) {
        self.init(name: name, summary: summary, opens: opens, parts: parts.map { Part(workload: $0.0, share: $0.1) })
    }

    init(name: String, summary: String, opens: Bool = false, parts: [Part]) {
        (self.name, self.summary, self.opens, self.parts) = (name, summary, opens, parts)
    }

    /// All of them.
    package static let all = [
        Use("start", "the first screen: the cache is opened, and a page read", opens: true, (.page, 1)),
        Use("feed", "60 % pages of 50, 38 % single trees, 2 % commits", (.page, 60), (.readTree, 38), (.writeOne, 2)),
        Use("chat", "30 % messages appended to a long list, 70 % pages of it", (.append, 30), (.page, 70)),
        Use("catalogue", "single trees at random, nothing written", (.readTree, 1)),
        Use(
            "refresh", "what a server sends again: 500 nodes a call, of which 1 % changed", (.rewriteUnchanged, 99),
            (.writeBatch, 1)),
        Use(
            "server", "80 % single trees, 10 % calls in transactions, 10 % commits", (.readTree, 80),
            (.transaction, 10), (.writeOne, 10)),
        Use("bulk", "a first synchronization: 500 nodes to a commit, all of them new", (.writeBatch, 1)),
        Use("durable", "each commit is on the disk when its call returns, on every backend", (.writeDurable, 1)),
        Use("popular", "single trees, four of five reads of a fifth of them", (.readSkewed, 1)),
        Use("deep", "threads of 64 replies, each to the one before", (.readDeep, 1)),
        Use("search", "all models of a type, one after the other", (.stream, 1)),
        Use("beside", "single nodes while another thread commits 10,000 again and again", (.readerStall, 1)),
        Use("backlog", "single trees while 10,000 writes are queued", (.backlog, 1)),
    ]

    /// The uses that are measured if the command names none.
    package static let standard = Array(all.prefix(7))

    /// The names of the kinds of calls, as `--mix` takes them.
    private static let kinds: [(name: String, workload: Workload)] = [
        ("reads", .readTree), ("pages", .page), ("writes", .writeOne), ("batches", .writeBatch), ("appends", .append),
        ("deletes", .delete), ("transactions", .transaction), ("durable", .writeDurable),
    ]

    /// The uses of those names, which are separated by commas.
    ///
    /// - Throws: ``ToolError`` if a name is no use's, or is `shared`, which is measured by itself.
    package static func named(_ names: [String]) throws(ToolError) -> [Use] {
        var uses: [Use] = []
        for name in names.flatMap({ $0.split(separator: ",") }) {
            guard name != "shared" else {
                throw .input("shared is measured by itself, over a database: grove compare --for shared")
            }
            guard let use = all.first(where: { $0.name == name }) else {
                throw .input("there is no use \(name); take \(Ranking.list(all.map(\.name)))")
            }
            if !uses.contains(use) { uses.append(use) }
        }
        return uses
    }

    /// A use of one's own, such as `reads=90,pages=8,writes=2`.
    package static func mixed(_ text: String) throws(ToolError) -> Use {
        var parts: [Part] = []
        for word in text.split(separator: ",") {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let kind = kinds.first(where: { $0.name == sides[0] }) else {
                throw .input("--mix does not know \(sides[0]); take \(Ranking.list(kinds.map(\.name)))")
            }
            guard sides.count == 2, let share = Double(sides[1]), share > 0, share.isFinite else {
                throw .input("--mix takes shares such as reads=90,pages=8,writes=2")
            }
            parts.append(Part(workload: kind.workload, share: share))
        }
        guard !parts.isEmpty else { throw .input("--mix takes shares such as reads=90,pages=8,writes=2") }
        return Use(name: "mix", summary: text, parts: parts)
    }

    /// Whether something of it is a commit whose promise depends on the backend.
    var writes: Bool { parts.contains { $0.workload.isWrite } }

    /// The workloads that it is made of.
    package var workloads: [Workload] { parts.map(\.workload) }
}

extension Workload {
    /// Whether its calls commit, and what that promises depends on the backend.
    var isWrite: Bool {
        switch self {
        case .writeBatch, .writeOne, .setModel, .burst, .delete, .append, .transaction: true
        // A durable commit promises the same everywhere.
        case .readTree, .readSkewed, .readThreads, .readDeep, .readNode, .readCollection, .page, .stream, .modelForKey,
            .rewriteUnchanged,
            .backlog, .readerStall, .memory, .writeDurable:
            false
        }
    }

    /// Whether it is measured beside the bare engine, and not beside Grove's own other way.
    var isOverEngine: Bool {
        switch self {
        case .readTree, .readSkewed, .readNode, .readCollection, .rewriteUnchanged, .writeBatch, .writeOne, .delete,
            .readerStall, .memory:
            true
        case .readThreads, .readDeep, .writeDurable, .page, .stream, .modelForKey, .setModel, .backlog, .burst, .append,
            .transaction:
            false
        }
    }

    /// How many of its units one call has.
    var unitsPerCall: Double {
        switch self {
        case .page: 50
        case .readCollection: 100
        case .writeBatch, .rewriteUnchanged: 500
        default: 1
        }
    }
}
