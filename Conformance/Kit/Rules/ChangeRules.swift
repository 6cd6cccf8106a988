import GroveCache
import GroveModel
import Synchronization

/// CHG: what streams of changes tell, and what the cache counts.
enum ChangeRules {
    static let all = [once, failures, resumption, gaps, killed, emptied, statistics]

    /// The name of the last write of a rule: its change set ends the reading, so that a lost one is no waiting for
    /// ever.
    private static let last: ModelIdentifier = "Person:last"

    /// What `reader` tells until it tells of ``last``.
    private static func tellings(_ reader: ChangeReader) async throws -> [ChangeSet] {
        var sets: [ChangeSet] = []
        while let set = await reader.next() {
            if set.changedModelIds.contains(last) { return sets }
            sets.append(set)
            guard sets.count < 5_000 else {
                throw CheckFailure("a stream of changes: expected an end, got 5,000 change sets.")
            }
        }
        throw CheckFailure("a stream of changes: expected the last write's change set, got the stream's end.")
    }

    private static func names(_ sets: [ChangeSet]) -> [String] {
        sets.map {
            $0.changesEverything ? "everything" : $0.changedModelIds.map(\.rawValue).sorted().joined(separator: " ")
        }
    }

    static let once = Rule(
        "CHG-01",
        "`changes()` tells each commit once, in order, none before a read shows it, and nothing of writes that change nothing.",
        because: "A screen that hears too early reads the old value, and never hears again.",
        requires: [.typedCalls, .changes],
        kills: ["tells-twice", "tells-out-of-order", "loses-changes", "remembers-answers"], timeLimit: .seconds(30)
    ) { trial in
        // What may be forgotten, or fail, at any moment is not told in this way.
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let cache = try trial.cache()
        try cache.write(Person(id: "Person:7", age: -1))
        let reader = try cache.changes()
        let count = 60
        let writer = Threads.start { () -> Bool in
            for round in 0..<count {
                let person = Person(id: "Person:\(round % 10)", age: round)
                try cache.write(person)
                if round % 6 == 0 { try cache.write(person) }
            }
            try cache.write(Person(id: last.rawValue, age: 0))
            return true
        }
        var told: [String] = []
        var sequence: CallNumber?
        while let set = await reader.next(), !set.changedModelIds.contains(last) {
            let round = told.count
            told.append(set.changedModelIds.map(\.rawValue).sorted().joined(separator: " "))
            if let sequence {
                try trial.expect(
                    set.sequence > sequence,
                    "a change set's number: expected one after \(sequence), got \(set.sequence).")
            }
            sequence = set.sequence
            guard round < count else { break }
            let age = try cache.read(ModelIdentifier("Person:\(round % 10)"), as: Person.self).value?.age ?? -2
            try trial.expect(
                age >= round, "a read after change set \(round): expected age \(round) or a later one, got \(age).")
        }
        _ = try writer.wait(seconds: 30)
        try trial.expectEqual(told, (0..<count).map { "Person:\($0 % 10)" }, "what the stream told of \(count) commits")
    }

    static let failures = Rule(
        "CHG-02", "No stream tells of a write that failed, or of a transaction that threw.",
        because: "Who is told of a change that is not there shows what nobody stored.",
        requires: [.typedCalls, .changes, .faults], kills: ["tells-of-failures"], timeLimit: .seconds(30)
    ) { trial in
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let site = try trial.site()
        let cache = try site.open()
        let reader = try cache.changes()
        struct Given: Error {}
        for round in 0..<5 {
            try cache.write(Person(id: "Person:\(round)", age: round))
            site.interceptor.failWrites(with: CacheError(.inputOutput, "The rule lets the store fail."))
            try trial.expectError(.inputOutput, from: "a write to a store that fails") {
                try cache.write(Person(id: "Person:failed", age: round))
            }
            site.interceptor.failWrites(with: nil)
            do {
                try cache.transact { transaction in
                    try transaction.write(contentsOf: [Person(id: "Person:given up", age: round)])
                    throw Given()
                }
            } catch is Given {}
        }
        try cache.write(Person(id: last.rawValue, age: 0))
        try trial.expectEqual(
            names(try await tellings(reader)), (0..<5).map { "Person:\($0)" }, "what the stream told of five commits")
    }

    static let resumption = Rule(
        "CHG-03",
        "`changes(since:)` begins after its token, also after the cache was closed and opened again, and goes on.",
        because: "An index that misses one change is wrong until it is made anew.",
        requires: [.typedCalls, .changes, .reopen, .persistent], kills: ["forgets-old-changes"], timeLimit: .seconds(30)
    ) { trial in
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let site = try trial.site()
        var cache = try site.open(history: 1_000)
        let reader = try cache.changes()
        for number in 0..<20 { try cache.write(Person(id: "Person:\(number)", age: number)) }
        var token: ChangeToken?
        for _ in 0..<8 { token = await reader.next()?.token }
        try trial.expect(token != nil, "the token of a change set in a cache with a history: expected one, got nil.")
        for (round, what) in ["in the cache that committed it", "after the cache was opened again"].enumerated() {
            if round == 1 {
                site.closeAll()
                cache = try site.open(history: 1_000)
            }
            let later = try cache.changes(since: token)
            try cache.write(Person(id: "Person:live \(round)", age: 1))
            try cache.write(Person(id: last.rawValue, age: round))
            let live = (0...round).flatMap {
                $0 == round ? ["Person:live \($0)"] : ["Person:live \($0)", last.rawValue]
            }
            // The last write of the first round is told in the second one, too.
            let sets = try await tellings(later)
            let more = if round == 1 { try await tellings(later) } else { [ChangeSet]() }
            try trial.expectEqual(
                names(sets) + (round == 1 ? [last.rawValue] : []) + names(more), (8..<20).map { "Person:\($0)" } + live,
                "what is told since the eighth of twenty commits, \(what)")
        }
    }

    static let gaps = Rule(
        "CHG-04",
        "A token that is nil, too old, or from before a wipe begins with a change set that says everything may have changed.",
        because: "What is not remembered must not be passed over in silence.",
        requires: [.typedCalls, .changes, .wipe], kills: ["passes-over-gaps"], timeLimit: .seconds(30)
    ) { trial in
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let cache = try trial.site().open(history: 10)
        let reader = try cache.changes()
        try cache.write(Person(id: "Person:first", age: 1))
        let old = await reader.next()?.token
        try trial.expect(old != nil, "the token of a change set in a cache with a history: expected one, got nil.")
        for number in 0..<50 { try cache.write(Person(id: "Person:\(number)", age: number)) }
        func first(since token: ChangeToken?, _ what: String) async throws {
            let reader = try cache.changes(since: token)
            // One more commit, so that a stream that says nothing of the gap has something to say.
            try cache.write(Person(id: "Person:after \(what)", age: 1))
            let set = await reader.next()
            try trial.expectEqual(
                set?.changesEverything, true, "whether a stream since a token \(what) says that there is a gap")
            // A store that was just emptied has no commit to go on from; the next one is.
            var token = set?.token
            if token == nil { token = await reader.next()?.token }
            try trial.expect(
                token != nil,
                "the token of the change set since a token \(what), or of the next one: expected one to go on from, got nil."
            )
        }
        try await first(since: nil, "that is nil")
        try await first(since: old, "that is older than the history")
        let recent = try cache.changes()
        try cache.write(Person(id: "Person:recent", age: 1))
        let token = await recent.next()?.token
        // Not the form for `await` of the delegate's.
        func wipe() throws { try cache.wipe() }
        try wipe()
        try await first(since: token, "from before a wipe")
    }

    static let killed = Rule(
        "CHG-05", "`changes(since:)` names everything that a process committed before it was killed.",
        because: "Processes die between a commit and its telling; what they changed is told to the next one.",
        requires: [.typedCalls, .changes, .persistent, .survivesCrash, .processes],
        kills: ["forgets-old-changes-on-disk"],
        timeLimit: .seconds(60)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.open(history: 10_000)
        let reader = try cache.changes()
        try cache.write(Person(id: "Person:first", age: 1))
        let token = await reader.next()?.token
        site.closeAll()
        let child = try ChildProcess(worker, ["commit", site.directory ?? ""])
        var acknowledged: Set<ModelIdentifier> = []
        while acknowledged.count < 40, case .line(let line) = child.nextLine(within: .seconds(30)) {
            acknowledged.insert(ModelIdentifier(line))
        }
        child.kill()
        child.wait()
        try trial.expectEqual(
            acknowledged.count, 40, "the commits of a process before it was killed (\(child.errorText))")
        let again = try site.open(history: 10_000)
        let later = try again.changes(since: token)
        try again.write(Person(id: last.rawValue, age: 0))
        let sets = try await tellings(later)
        let told = sets.reduce(into: Set<ModelIdentifier>()) { $0.formUnion($1.changedModelIds) }
        let missing =
            sets.contains(where: \.changesEverything) ? [] : acknowledged.subtracting(told).map(\.rawValue).sorted()
        try trial.expectEqual(missing, [], "what was committed before the kill and is not told after it")
    }

    static let emptied = Rule(
        "CHG-07",
        "If another process empties the store, a stream says so, although commits are counted from one again.",
        because: "A commit's number means nothing without its store, and a higher one may not come for long.",
        requires: [.typedCalls, .changes, .persistent, .processes, .multiProcess, .wipe],
        kills: ["compares-numbers"], timeLimit: .seconds(60)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.open(history: 100)
        for round in 1...3 {
            let reader = try cache.changes()
            for number in 0..<8 { try cache.write(Person(id: "Person:\(number)", age: round)) }
            let child = try ChildProcess(worker, ["wipe", site.directory ?? "", "\(round)"])
            try trial.expectEqual(child.wait(), .exited(0), "the process that empties the store (\(child.errorText))")
            for number in 0..<20 { try cache.write(Person(id: "Person:\(number)", age: -round)) }
            // A change set that was not taken is merged with the next one. If the merged one says everything, it names
            // no model.
            let reading = Task { try await tellings(reader) }
            let isOver = Atomic(false)
            Task {
                _ = try? await reading.value
                isOver.store(true, ordering: .relaxed)
            }
            var age = 0
            while !isOver.load(ordering: .relaxed), age < 100_000 {
                age += 1
                try cache.write(Person(id: last.rawValue, age: age))
                await Task.yield()
            }
            let sets = try await reading.value
            try trial.expect(
                sets.contains(where: \.changesEverything),
                "what a stream tells of another process's wipe: expected that everything may have changed, got \(names(sets))."
            )
        }
    }

    static let statistics = Rule(
        "CHG-06", "Statistics count each read as a hit or a miss by its reason, and each commit and failed write once.",
        because: "An operator decides by these figures.", requires: [.typedCalls, .changes, .faults],
        kills: ["counts-no-misses"]
    ) { trial in
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let site = try trial.site()
        let cache = try site.open()
        let before = try cache.statistics()
        for number in 0..<5 { try cache.write(Person(id: "Person:\(number)", age: number)) }
        try cache.delete("Person:4")
        for number in 0..<7 { _ = try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self) }
        site.interceptor.failWrites(with: CacheError(.inputOutput, "The rule lets the store fail."))
        try trial.expectError(.inputOutput, from: "a write to a store that fails") {
            try cache.write(Person(id: "Person:failed", age: 1))
        }
        site.interceptor.failWrites(with: nil)
        let after = try cache.statistics()
        try trial.expectEqual(after.hits - before.hits, 4, "the hits that were counted")
        try trial.expectEqual(
            after.misses[.absent, default: 0] - before.misses[.absent, default: 0], 2, "the misses of what is absent")
        try trial.expectEqual(
            after.misses[.deleted, default: 0] - before.misses[.deleted, default: 0], 1,
            "the misses of what was deleted")
        try trial.expectEqual(after.commits - before.commits, 6, "the commits that were counted")
        try trial.expectEqual(after.failedWrites - before.failedWrites, 1, "the failed writes that were counted")
    }
}
