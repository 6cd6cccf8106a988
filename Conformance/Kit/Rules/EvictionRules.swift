import GroveCache
import GroveModel
import Synchronization

/// EVC: a budget that holds, and what it costs.
enum EvictionRules {
    static let all = [
        within, replacing, oversize, recount, reopened, whole, scan, largeTree, everythingCounts, peak, quietHits,
        announced,
    ]

    /// Enough for every engine, and little enough to be filled in a moment.
    private static let budget = 6 << 20

    private static let needs: Set<Capability> = [.evicting, .typedCalls, .storedBytes]

    static let within = Rule(
        "EVC-01",
        "Bytes stay within the budget after each completed write; after it shrinks, at the next opening at the latest.",
        because: "Users remove applications that fill their disks.", requires: needs, kills: ["budget-forgotten"],
        timeLimit: .seconds(240)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        for batch in 0..<90 {
            _ = try cache.write(contentsOf: people(batch * 100..<(batch + 1) * 100, nameCount: 1_200))
            let bytes = try EvictionRules.bytes(of: cache, site)
            try trial.expect(bytes <= budget, "bytes after batch \(batch): expected at most \(budget), got \(bytes).")
        }
        try trial.expect(try cache.usage().evictions > 0, "evictions: expected some, got none.")
        let last = people(8_990..<9_000, nameCount: 1_200)
        for person in last {
            try trial.expectHit(
                try cache.read(ModelIdentifier(person.id), as: Person.self), person, "a node that was written last")
        }
        guard site.directory != nil else { return }
        cache.close()
        let smaller = budget * 5 / 6
        let again = try site.open(budget: CacheBudget(bytes: smaller))
        let bytes = try EvictionRules.bytes(of: again, site)
        try trial.expect(bytes <= smaller, "bytes under a smaller budget: expected at most \(smaller), got \(bytes).")
        _ = try again.write(contentsOf: people(0..<10, nameCount: 1_200))
        try trial.expectHit(try again.read("Person:3", as: Person.self), "a node that was written after that")
    }

    static let replacing = Rule(
        "EVC-02", "Replacing never double-counts; deleting and forgetting release.",
        because: "A count that drifts evicts everything in the end, or nothing.", requires: needs + [.evict],
        kills: ["counts-twice"]
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        try cache.write(Person(id: "Person:0", name: "first"))
        let (before, entries) = try account(cache)
        try cache.write(Person(id: "Person:1", name: String(repeating: "n", count: 100)))
        let (one, entriesOfOne) = try account(cache)
        for round in 0..<50 {
            try cache.write(Person(id: "Person:1", name: String(repeating: "n", count: round * 10)))
        }
        try cache.write(Person(id: "Person:1", name: String(repeating: "n", count: 100)))
        try trial.expectEqual(try account(cache).0, one, "the bytes after 51 writes of one node")
        try trial.expectEqual(try account(cache).1, entriesOfOne, "the entries after 51 writes of one node")
        _ = try cache.delete("Person:1")
        let deleted = try account(cache).0
        try trial.expect(
            deleted < one, "the bytes after a deletion: expected fewer than \(one), got \(deleted).")
        try cache.evict("Person:1")
        let forgotten = try account(cache).0
        try trial.expect(
            forgotten - before <= 40,
            "the bytes after it was forgotten: expected \(before) and at most a line in a list, got \(forgotten).")
        try trial.expectEqual(try account(cache).1, entries, "the entries after it was forgotten")
    }

    static let oversize = Rule(
        "EVC-03", "An over-budget item is refused without flushing others.",
        because: "One huge picture must not cost the whole timeline.", requires: needs, kills: ["budget-forgotten"]
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        let kept = people(0..<500, nameCount: 200)
        _ = try cache.write(contentsOf: kept)
        try trial.expectError(.overBudget, from: "a node of the whole budget's size") {
            try cache.write(Person(id: "Person:huge", name: String(repeating: "n", count: budget)))
        }
        cache.setModel(
            Person(id: "Person:huge", name: String(repeating: "n", count: budget)), forKey: "Person:huge", context: nil)
        try trial.expectError(.overBudget, from: "a flush after one that nobody waited for") { try cache.flush() }
        try trial.expectMiss(
            try cache.read("Person:huge", as: Person.self), .absent, "Person:huge", "the node that was refused")
        for person in kept {
            try trial.expectHit(
                try cache.read(ModelIdentifier(person.id), as: Person.self), person, "a node from before")
        }
        try trial.expectEqual(try cache.usage().evictions, 0, "the evictions")
    }

    static let recount = Rule(
        "EVC-04", "Accounting equals a recount.",
        because: "A budget is kept by what is counted.", requires: needs + [.evict], kills: ["counts-twice"],
        timeLimit: .seconds(120)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        var generator = trial.generator()
        for round in 0..<30 {
            try disturb(cache, round, using: &generator)
            let (bytes, entries) = try stored(site)
            try trial.expectEqual(try account(cache).0, bytes, "the bytes that are counted after round \(round)")
            try trial.expectEqual(try account(cache).1, entries, "the entries that are counted after round \(round)")
        }
        try cache.wipe()
        _ = try cache.write(contentsOf: people(0..<10, nameCount: 10))
        try trial.expectEqual(try account(cache).0, try stored(site).bytes, "the bytes after a wipe and ten nodes")
    }

    static let reopened = Rule(
        "EVC-05", "Accounting equals a recount also after reopening, and after an unclean end.",
        because: "Applications are killed more often than they are closed.",
        requires: needs + [.persistent, .directory],
        timeLimit: .seconds(180)
    ) { trial in
        let site = try trial.site()
        var generator = trial.generator()
        for round in 0..<4 {
            let cache = try site.open(budget: CacheBudget(bytes: budget))
            for part in 0..<6 { try disturb(cache, round * 6 + part, using: &generator) }
            // What is in the files now is what a kill would leave.
            let killed = try trial.site()
            guard let from = site.directory, let to = killed.directory else { return }
            try TemporaryDirectory.copy(from, to)
            for place in [killed, site] {
                if place === site { cache.close() }
                let again = try place.open(budget: CacheBudget(bytes: budget))
                let person = Person(id: "Person:again", name: "\(round)")
                try again.write(person)
                let (counted, entries) = try stored(place)
                let what = place === site ? "closing" : "a kill"
                try trial.expectEqual(try account(again).0, counted, "the bytes that are counted after \(what)")
                try trial.expectEqual(try account(again).1, entries, "the entries that are counted after \(what)")
                for batch in 0..<50 {
                    _ = try again.write(contentsOf: people(batch * 60..<(batch + 1) * 60, nameCount: 2_000))
                }
                try trial.expect(
                    try bytes(of: again, place) <= budget, "bytes after \(what): expected the budget to hold.")
                try trial.expectEqual(
                    try account(again).0, try stored(place).bytes,
                    "the bytes that are counted after \(what) and evictions")
                again.close()
            }
        }
    }

    static let whole = Rule(
        "EVC-06", "Whole nodes only; a tree that lost a node is a miss that names it.",
        because: "A tree without its child is a lie.", requires: needs, timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        let trees = (0..<40).map { number in
            Branch(
                id: "Branch:\(number)", boss: Person(id: "Person:\(number)", name: String(repeating: "b", count: 900)),
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
        try trial.expect(try cache.usage().evictions > 1_000, "evictions: expected more than a thousand.")
        try trial.expect(hits >= 95, "of a hundred nodes that are read again and again: expected 95, got \(hits).")
    }

    static let largeTree = Rule(
        "EVC-08", "A tree larger than the budget is refused or later misses, never partial.",
        because: "Half a tree was never written by anybody.", requires: needs, kills: ["budget-forgotten"],
        timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        let kept = people(0..<100, nameCount: 100)
        _ = try cache.write(contentsOf: kept)
        let tree = Branch(
            id: "Branch:0",
            parts: (1...1_000).map { number in
                Branch(
                    id: "Branch:\(number)",
                    boss: Person(id: "Person:b\(number)", name: String(repeating: "n", count: budget / 800)))
            })
        do {
            try cache.write(tree)
            try trial.expect(
                try cache.read("Branch:0", as: Branch.self).value == nil,
                "a tree larger than the budget: expected a refusal or a miss, got the tree.")
        } catch let error as CacheError {
            try trial.expect(
                error.code == .overBudget, "a tree larger than the budget: expected overBudget, got \(error).")
            for person in kept {
                try trial.expectHit(
                    try cache.read(ModelIdentifier(person.id), as: Person.self), person, "a node from before")
            }
        }
    }

    static let everythingCounts = Rule(
        "EVC-09", "Keys, tombstones, collections and metadata count.",
        because: "A million deletions fill a disk as well as a million pictures.", requires: needs,
        timeLimit: .seconds(120)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        try cache.write(Person(id: "Person:0"))
        var before = try account(cache).0
        for number in 0..<100 {
            cache.deleteModel(Person(id: "Person:gone-\(number)"), forKey: nil, context: nil)
        }
        try cache.flush()
        try trial.expect(
            try account(cache).0 >= before + 100 * 36, "a hundred tombstones: expected their bytes to count.")
        before = try account(cache).0
        for number in 0..<100 { _ = try cache.writeCollection([Person(id: "Person:0")], forKey: "list-\(number)") }
        try trial.expect(
            try account(cache).0 >= before + 100 * 40, "a hundred collections: expected their bytes to count.")
        let long = String(repeating: "k", count: 3_000)
        for number in 0..<3_000 {
            cache.deleteModel(Person(id: "Person:\(number)-\(long)"), forKey: nil, context: nil)
        }
        try cache.flush()
        try trial.expectEqual(try account(cache).0, try stored(site).bytes, "the bytes that are counted")
        let bytes = try EvictionRules.bytes(of: cache, site)
        try trial.expect(bytes <= budget, "bytes after deletions alone: expected at most \(budget), got \(bytes).")
        try trial.expect(try cache.usage().evictions > 0, "evicted tombstones: expected some, got none.")
    }

    static let peak = Rule(
        "EVC-10",
        "Peak size on disk never exceeds the budget under churn with readers, and live payload has its declared share.",
        because: "A budget that is kept by keeping almost nothing is not kept.", requires: needs,
        kills: ["budget-forgotten"], timeLimit: .seconds(400)
    ) { trial in
        let site = try trial.site()
        let budget = 20 << 20
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        let ending = Ending()
        var generator = trial.generator()
        var peak = 0
        var (payload, looks) = (0, 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: BlockingExecutor.shared) {
                var number = 0
                while !ending.hasCome {
                    number += 7
                    _ = try cache.read(ModelIdentifier("Person:\(number % 74_000)"), as: Person.self)
                }
            }
            defer { ending.come() }
            for batch in 0..<900 {
                let people = (0..<60).map { _ in
                    let number = batch * 60 + Int.random(in: 0..<20_000, using: &generator)
                    let count = Int.random(in: 300...1_100, using: &generator)
                    return Person(id: "Person:\(number)", name: String(repeating: "n", count: count), age: batch)
                }
                _ = try cache.write(contentsOf: people)
                peak = max(peak, try bytes(of: cache, site))
                if batch > 600 {
                    payload += try account(cache).0
                    looks += 1
                }
            }
        }
        try trial.expect(peak <= budget, "the peak: expected at most \(budget), got \(peak).")
        try trial.expect(try cache.usage().evictions > 5_000, "evictions: expected thousands.")
        let share = Double(payload) / Double(looks) / Double(budget)
        trial.note("peak \(peak * 100 / budget) %, live payload \(Int(share * 100)) % of the budget")
        try trial.expect(
            share >= trial.profile.livePayloadShare,
            "the share of live payload: expected \(trial.profile.livePayloadShare), got \(share).")
    }

    static let quietHits = Rule(
        "EVC-13", "A hit writes nothing.",
        because: "Reading must not wear the disk out.", requires: needs
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
        because: "Whoever shows a list wants to know that it can no longer be read.", requires: needs + [.observer]
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

    // MARK: Help

    private static func people(_ numbers: Range<Int>, nameCount: Int) -> [Person] {
        numbers.map { Person(id: "Person:\($0)", name: String(repeating: "n", count: nameCount)) }
    }

    /// What the cache counts.
    private static func account(_ cache: any ConformanceCache) throws -> (Int, Int) {
        let usage = try cache.usage()
        guard let bytes = usage.payloadBytes, let entries = usage.entries else {
            throw CheckFailure("A cache with a budget: expected it to count, and it does not.")
        }
        return (bytes, entries)
    }

    /// What is in the store.
    private static func stored(_ site: any CacheSite) throws -> (bytes: Int, entries: Int) {
        let view = try site.interceptor.store().view()
        defer { view.end() }
        let entries = try view.entries()
        return (entries.reduce(0) { $0 + $1.key.count + $1.value.count }, entries.count)
    }

    /// Bytes on disk; in memory those that the cache counts, which another rule compares with a recount.
    private static func bytes(of cache: any ConformanceCache, _ site: any CacheSite) throws -> Int {
        guard let directory = site.directory else { return try account(cache).0 }
        return try TemporaryDirectory.bytesOnDisk(directory)
    }

    /// Writes, replaces, deletes and forgets something of everything.
    private static func disturb(
        _ cache: any ConformanceCache, _ round: Int, using generator: inout SeededGenerator
    ) throws {
        let numbers = (0..<80).map { _ in Int.random(in: 0..<4_000, using: &generator) }
        _ = try cache.write(
            contentsOf: numbers.map { number in
                Person(
                    id: "Person:\(number)",
                    name: String(repeating: "n", count: Int.random(in: 0..<6_000, using: &generator)), age: round)
            })
        _ = try cache.writeCollection(
            numbers.prefix(20).map { Person(id: "Person:\($0)") }, forKey: "list-\(round % 7)")
        for number in numbers.prefix(10) { _ = try cache.delete(ModelIdentifier("Person:\(number)")) }
        for number in numbers.dropFirst(10).prefix(10) { try cache.evict(ModelIdentifier("Person:\(number)")) }
        cache.setModel(Person(id: "Person:\(numbers[0])"), forKey: "alias-\(round % 5)", context: nil)
        try cache.flush()
        for number in numbers { _ = try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self) }
    }
}

private func + (left: Set<Capability>, right: Set<Capability>) -> Set<Capability> { left.union(right) }

/// Says to another thread that it is time to end.
private final class Ending: Sendable {
    private let state = Mutex(false)

    var hasCome: Bool { state.withLock { $0 } }

    func come() { state.withLock { $0 = true } }
}
