import GroveCache
import GroveModel

/// Who goes, and what that is to others.
extension EvictionRules {
    static let whole = Rule(
        "EVC-06", "Whole nodes only; a tree that lost a node is a miss that names it.",
        because: "A tree without its child is a lie.", requires: needs, kills: ["budget-forgotten"],
        timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        let trees = (0..<40).map { number in
            Branch(
                id: "Branch:\(number)", boss: Person(id: "Person:\(number)", name: name(900, number)),
                parts: (0..<6).map { Branch(id: "Branch:\(number)/\($0)", label: $0) })
        }
        _ = try cache.write(contentsOf: trees)
        var misses = 0
        for batch in 0..<40 {
            _ = try cache.write(contentsOf: people(10_000 + batch * 200..<10_200 + batch * 200, nameCount: 1_500))
            for (place, tree) in trees.enumerated() {
                // Parts of some are read alone, so that others of their nodes go first.
                _ = try cache.read(ModelIdentifier(tree.parts[0].id), as: Branch.self)
                guard batch == 39 || place % 4 == 0 else { continue }
                switch try cache.read(ModelIdentifier(tree.id), as: Branch.self) {
                case .hit(let found): try trial.expectEqual(found, tree, "a tree that is read while others are evicted")
                case .miss(let miss):
                    misses += 1
                    let names = [tree.id, tree.boss?.id ?? ""] + tree.parts.map(\.id)
                    try trial.expect(
                        names.contains(miss.identifier.rawValue) && miss.reason == .absent,
                        "a tree that lost a node: expected a miss that names one of its own, got \(miss).")
                }
            }
        }
        try trial.expect(misses > 0, "misses of trees that were not read as a whole: expected some, got none.")
    }

    static let scan = Rule(
        "EVC-07", "What is read again and again survives a scan of things read once.",
        because: "Scrolling through an archive must not cost the home screen.", requires: needs,
        kills: ["budget-forgotten"],
        timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        let hot = people(0..<100, nameCount: 500)
        _ = try cache.write(contentsOf: hot)
        for batch in 0..<100 {
            for person in hot { _ = try cache.read(ModelIdentifier(person.id), as: Person.self) }
            _ = try cache.write(contentsOf: people(1_000 + batch * 100..<1_100 + batch * 100, nameCount: 1_000))
        }
        var hits = 0
        for person in hot where try cache.read(ModelIdentifier(person.id), as: Person.self).value != nil { hits += 1 }
        let evictions = try cache.usage().evictions
        try trial.expect(evictions > 1_000, "evictions: expected more than a thousand, got \(evictions).")
        try trial.expect(hits >= 95, "of a hundred nodes that are read again and again: expected 95, got \(hits).")
    }

    static let quietHits = Rule(
        "EVC-13", "A hit writes nothing.",
        because: "Reading must not wear the disk out.", requires: needs, kills: ["writes-on-hits"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        _ = try cache.write(contentsOf: people(0..<1_000, nameCount: 100))
        try cache.flush()
        let (before, bytes) = (site.interceptor.counts, try EvictionRules.bytes(of: cache, site))
        for _ in 0..<40 {
            for number in 0..<1_000 { _ = try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self) }
        }
        let after = site.interceptor.counts
        try trial.expectEqual(after.commits, before.commits, "the commits after 40,000 hits")
        try trial.expectEqual(after.puts, before.puts, "the values stored after 40,000 hits")
        try trial.expectEqual(try EvictionRules.bytes(of: cache, site), bytes, "the bytes after 40,000 hits")
    }

    static let announced = Rule(
        "EVC-14", "What is evicted is in a change set, once.",
        because: "Whoever shows a list wants to know that it can no longer be read.",
        requires: needs.union([.observer]), kills: ["remove-forgotten"]
    ) { trial in
        let site = try trial.site()
        let observer = RecordingObserver()
        let cache = try site.open(budget: CacheBudget(nodes: 100), observer: observer)
        for number in 0..<300 { try cache.write(Person(id: "Person:\(number)")) }
        try cache.flush()
        var gone: Set<ModelIdentifier> = []
        for number in 0..<300 {
            let identifier = ModelIdentifier("Person:\(number)")
            if try cache.read(identifier, as: Person.self).value == nil { gone.insert(identifier) }
        }
        try trial.expectEqual(gone.count, 200, "the nodes that are gone of three hundred where a hundred fit")
        _ = observer.wait { $0.commits.reduce(0) { $0 + $1.evictedModelIds.count } >= gone.count }
        cache.close()
        let announced = observer.commits.flatMap { $0.evictedModelIds.map(\.rawValue) }
        try trial.expectEqual(announced.sorted(), gone.map(\.rawValue).sorted(), "what change sets announced")
    }
}
