import GroveCache
import GroveModel

/// A process that retains trees and writes so much else that everything goes which is not retained.
enum PinProcess {
    /// What the processes that share a store allow: little, so that most of what is written goes soon.
    static func budget(_ profile: BackendProfile) -> CacheBudget {
        CacheBudget(bytes: profile.isEvicting ? 6 << 20 : nil, nodes: 150)
    }

    /// Trees that are retained, by turns.
    static let trees = 5

    /// Tree `number` as it is in round `round`: the root's label says which, and so does a part's name.
    static func tree(_ number: Int, round: Int) -> Branch {
        Branch(
            id: "Tree:\(number)", label: round,
            parts: (0..<3).map { part in
                Branch(
                    id: "Tree:\(number)/\((round + part) % 5)", label: round,
                    boss: Person(id: "Person:\(number)/\(round % 3)", name: "\(round)", age: round))
            })
    }

    /// Writes `count` nodes that nobody retains, in transactions of fifty.
    static func flood(_ cache: any ConformanceCache, from first: Int, _ count: Int) throws(CacheError) {
        for start in stride(from: first, to: first + count, by: 50) {
            _ = try cache.write(
                contentsOf: (start..<start + 50).map { number in
                    Person(id: "Flood:\(number)", name: String(repeating: "n", count: number * 37 % 400), age: number)
                })
        }
    }

    /// Does `job` in `directory`: floods it, writes a tree, or goes through rounds until it is killed.
    static func work(_ directory: String, _ job: String, _ backend: any ConformanceBackend) -> Int32 {
        do throws(CacheError) {
            let cache = try backend.site(at: directory).open(budget: budget(backend.profile))
            switch job {
            case "flood": try flood(cache, from: 100_000, 1_000)
            case "write": _ = try cache.write(tree(1, round: 77))
            default: try endless(cache)
            }
            cache.close()
        } catch {
            ConformanceWorker.say("failed\t\(error.code.description)")
            return 0
        }
        ConformanceWorker.say("done")
        return 0
    }

    /// Retains, writes, floods and releases, and says what is about to happen and what has.
    private static func endless(_ cache: any ConformanceCache) throws(CacheError) {
        for round in 0..<400 {
            let number = round % trees
            let root = ModelIdentifier("Tree:\(number)")
            if round / trees % 3 == 0 {
                try cache.retain(root, acrossReopening: true)
                ConformanceWorker.say("retained\t\(number)\t\(round)")
            }
            ConformanceWorker.say("writing\t\(number)\t\(round)")
            try cache.write(tree(number, round: round))
            ConformanceWorker.say("wrote\t\(number)\t\(round)")
            try flood(cache, from: round * 100, 100)
            if round / trees % 3 == 2, number != 0 {
                ConformanceWorker.say("releasing\t\(number)\t\(round)")
                try cache.release(root, acrossReopening: true)
            }
        }
    }
}
