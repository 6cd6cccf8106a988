#if Tool
    import ArgumentParser
    import GroveCache
    import GroveCompare
    import GroveModel

    /// `grove budget`: one figure of the cost of a budget, for `Scripts/budget.sh`.
    struct BudgetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "budget", abstract: "Measures what a budget costs: `make budget` makes a table.",
            shouldDisplay: false)

        @Argument(help: "The backend.")
        var backend: BackendName

        @Argument(help: "The directory of the store.")
        var store: String

        @Option(help: "Fills a new store with so many records, and prints the seconds.")
        var fill: Int?

        @Option(help: "Bytes on disk that the cache may take.")
        var budget: Int?

        func run() async throws {
            let budget = budget.map { CacheBudget(bytes: $0) } ?? .unlimited
            do {
                if let fill { return print(try BudgetCost.fill(backend, in: store, count: fill, budget: budget)) }
                let cost = try BudgetCost.write(backend, in: store, budget: budget)
                print(cost.first, cost.second, cost.bytes)
            } catch let error as CacheError {
                throw ToolError(error, "writing to \(store)")
            }
        }
    }
#endif
