import GroveCache
import GroveModel

/// A process that writes to a full store within a budget, so that other records go for what it writes.
enum BudgetProcess {
    /// How many trees a process writes in turn.
    static let places = 5

    /// The tree that process `name` writes in round `round`, in the place of an earlier one: each node says which round
    /// it was.
    static func tree(_ name: String, _ round: Int) -> Branch {
        let id = "Tree:\(name)/\(round % places)"
        return Branch(
            id: id, label: round,
            parts: (0..<12).map { part in
                let letters = EvictionRules.name(900, round * 12 + part)
                return Branch(
                    id: "\(id)/\(part)", label: round,
                    boss: Person(id: "Person:\(id)/\(part)", name: letters, age: round))
            })
    }

    /// Opens the cache in `directory`, and for each of `rounds` rounds waits for a word, and writes a tree and
    /// strangers.
    ///
    /// It says the number of a round once its tree is committed.
    static func work(_ directory: String, _ name: String, _ rounds: Int, _ backend: any ConformanceBackend) -> Int32 {
        let budget = CacheBudget(bytes: EvictionRules.budget)
        guard let cache = try? backend.site(at: directory).open(budget: budget) else { return 3 }
        ConformanceWorker.say("ready")
        do throws(CacheError) {
            for round in 0..<rounds {
                guard readLine() != nil else { return 4 }
                try cache.write(tree(name, round))
                ConformanceWorker.say("\(round)")
                try cache.write(
                    contentsOf: (0..<40).map { index in
                        Person(id: "Person:\(name)-\(round)-\(index)", name: EvictionRules.name(900, index))
                    })
            }
        } catch {
            ConformanceWorker.say("failed\t\(error)")
            return 5
        }
        cache.close()
        ConformanceWorker.say("done")
        return 0
    }
}
