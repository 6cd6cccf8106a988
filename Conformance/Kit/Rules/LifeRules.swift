import Dispatch
import GroveCache
import GroveModel

/// LIF and CNC, as far as one process can see them.
enum LifeRules {
    static let all = [
        closed, idempotent, released, shared, places, wholeGenerations, cancelled, reentering, commits,
    ]

    static let closed = Rule(
        "LIF-01", "After close: typed `.closed`.",
        because: "A use after the end must be told, not guessed.", requires: [.close], kills: ["stays-open"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Person(id: "Person:1"))
        cache.close()
        try trial.expectError(.closed, from: "a read") { try cache.read("Person:1", as: Person.self) }
        try trial.expectError(.closed, from: "a write") { try cache.write(Person(id: "Person:2")) }
        try trial.expectError(.closed, from: "a collection's read") { try cache.readCollection("all", as: Person.self) }
        try trial.expectError(.closed, from: "a collection's write") {
            try cache.writeCollection([Person(id: "Person:2")], forKey: "all")
        }
        try trial.expectError(.closed, from: "a deletion") { try cache.delete("Person:1") }
        try trial.expectError(.closed, from: "a wipe") { try cache.wipe() }
        try trial.expectError(.closed, from: "a flush") { try cache.flush() }
        if trial.hasTypedCalls { try trial.expectError(.closed, from: "the size") { try cache.size() } }
        try trial.expectError(.closed, from: "a completion") { try cache.model(forKey: "Person:1", as: Person.self) }
        cache.setModel(Person(id: "Person:3"), forKey: "Person:3", context: nil)
        cache.deleteModel(Person(id: "Person:3"), forKey: nil, context: nil)
    }

    static let idempotent = Rule(
        "LIF-02", "Close is idempotent and awaits work in flight.",
        because: "What was queued before is not lost, and nothing runs after.", requires: [.close, .faults],
        kills: ["closes-in-passing", "starts-empty"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        site.interceptor.gate.close()
        cache.setModel(Person(id: "Person:1"), forKey: "Person:1", context: nil)
        try site.interceptor.gate.awaitArrival(of: "a queued write")
        let before = site.interceptor.counts.commits
        let closing = Threads.start { () -> Int in
            cache.close()
            return site.interceptor.counts.commits
        }
        _ = try? closing.wait(seconds: 1)
        try trial.expectEqual(closing.calls, 0, "the closings that ended while a commit was under way")
        site.interceptor.gate.open()
        let after = try closing.wait() ?? 0
        try trial.expect(
            after > before, "a close with a write in the queue: expected a commit before it ended, got none.")
        cache.close()
        cache.close()
        guard trial.profile.isPersistent else { return }
        try trial.expectHit(
            try site.open().read("Person:1", as: Person.self), Person(id: "Person:1"),
            "what was queued before the close")
    }

    static let released = Rule(
        "LIF-04", "A closed place opens again, as often as one likes.",
        because: "A lock that stays makes the next start fail.", requires: [.close, .reopen, .persistent],
        kills: ["keeps-lock", "starts-empty"]
    ) { trial in
        let site = try trial.site()
        for round in 0..<20 {
            let cache = try site.open()
            let read = try cache.read("Person:1", as: Person.self)
            try trial.expectEqual(read.value?.age, round == 0 ? nil : round - 1, "the age at opening \(round)")
            try cache.write(Person(id: "Person:1", age: round))
            cache.close()
        }
    }

    static let shared = Rule(
        "LIF-05", "A second open in one process, also through a symbolic link, shares the store.",
        because: "Some engines corrupt themselves when they are opened twice.", requires: [.directory, .reopen],
        kills: ["closes-nothing"]
    ) { trial in
        let site = try trial.site()
        let first = try site.open()
        let second = try site.open()
        guard let directory = site.directory else { return }
        let link = directory + " link"
        try TemporaryDirectory.link(link, to: directory)
        defer { TemporaryDirectory.remove(link) }
        let third = try site.open(at: link, observer: nil)
        try first.write(Person(id: "Person:1", age: 1))
        for (index, cache) in [second, third].enumerated() {
            try trial.expectHit(
                try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 1),
                "what another handle wrote, through handle \(index + 2)")
        }
        first.close()
        try third.write(Person(id: "Person:1", age: 2))
        try trial.expectHit(
            try second.read("Person:1", as: Person.self), Person(id: "Person:1", age: 2),
            "what the third handle wrote after the first was closed")
        try trial.expectError(.closed, from: "a read through the closed handle") {
            try first.read("Person:1", as: Person.self)
        }
    }

    static let places = Rule(
        "LIF-08", "Missing and Unicode-named directories work; a file in the place of one fails typed.",
        because: "Users name their disks.", requires: [.directory, .reopen], kills: ["keeps-lock", "starts-empty"]
    ) { trial in
        let site = try trial.site()
        guard let directory = site.directory else { return }
        for name in ["new", "deep/er/still", "雪 é e\u{301} 👩‍👩‍👧", "with 'quotes' \" and % and ?"] {
            let cache = try site.open(at: directory + "/" + name, observer: nil)
            try cache.write(Person(id: "Person:1"))
            cache.close()
            let again = try site.open(at: directory + "/" + name, observer: nil)
            try trial.expectHit(
                try again.read("Person:1", as: Person.self), Person(id: "Person:1"), "a cache in the directory \(name)")
            again.close()
        }
        try TemporaryDirectory.writeFile(directory + "/file", Array("a file".utf8))
        try trial.expectError(.notAStore, from: "a file in the place of the directory") {
            try site.open(at: directory + "/file", observer: nil)
        }
        try trial.expectError(.notAStore, .inputOutput, from: "a directory below a file") {
            try site.open(at: directory + "/file/below", observer: nil)
        }
        try trial.expectEqual(
            try TemporaryDirectory.files(in: directory, holding: Array("a file".utf8)), ["file"], "the file, afterwards"
        )
    }

    static let wholeGenerations = Rule(
        "CNC-02", "Readers never mix a tree's generations, and never go back.",
        because: "A tree of two versions never was.", kills: ["first-write-wins"]
    ) { trial in
        let cache = try trial.cache()
        @Sendable func tree(_ round: Int) -> Message {
            Message(
                id: "Message:1", text: "\(round)", sender: Person(id: "Person:s", age: round),
                readers: (0..<20).map { Person(id: "Person:\($0)", age: round) })
        }
        try cache.write(tree(0))
        let writer = Threads.start { for round in 1...100 { try cache.write(tree(round)) } }
        let readers = (0..<2).map { _ in
            Threads.start { () throws -> Int in
                var last = 0
                var reads = 0
                while writer.calls == 0 || reads < 20 {
                    let read = try trial.expectHit(
                        try cache.read("Message:1", as: Message.self), "a tree that is rewritten")
                    let round = Int(read.text) ?? -1
                    try trial.expect(
                        read == tree(round),
                        "a tree that is rewritten: expected generation \(round) whole, got \(brief(read)).")
                    try trial.expect(round >= last, "a tree: expected generation \(last) or later, got \(round).")
                    last = round
                    reads += 1
                }
                return last
            }
        }
        _ = try writer.wait()
        for reader in readers { _ = try reader.wait() }
    }

    static let cancelled = Rule(
        "CNC-06", "Cancellation leaves all or nothing, and the store usable.",
        because: "A screen that goes away cancels what it began.", kills: ["cancels-too-late"]
    ) { trial in
        let cache = try trial.cache()
        func tree(_ index: Int) -> Message { .full("Message:\(index)", salt: index) }
        let early = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await cache.writeInTask([tree(2_000)])
        }
        switch await early.result {
        case .success:
            throw CheckFailure(
                "a write in a task that is cancelled already: expected the error cancelled, got success.")
        case .failure(let error):
            let what = "the error of a write in a cancelled task"
            try trial.expectEqual((error as? CacheError)?.code, .cancelled, what)
        }
        try trial.expectMiss(
            try cache.read("Message:2000", as: Message.self), .absent, nil, "a tree whose task was cancelled before")
        let tasks = (0..<300).map { index in
            let message = tree(index)
            return Task { try await cache.writeInTask([message]) }
        }
        var generator = trial.generator()
        for task in tasks where Int.random(in: 0..<10, using: &generator) < 3 { task.cancel() }
        for (index, task) in tasks.enumerated() {
            let outcome = await task.result
            let read = try cache.read(ModelIdentifier("Message:\(index)"), as: Message.self)
            switch outcome {
            case .success: try trial.expectHit(read, tree(index), "a tree whose write succeeded")
            case .failure(let error):
                try trial.expectEqual((error as? CacheError)?.code, .cancelled, "the error of a cancelled write")
                try trial.expectMiss(read, .absent, nil, "a tree whose write was cancelled")
            }
        }
        try cache.write(tree(1_000))
        try trial.expectHit(try cache.read("Message:1000", as: Message.self), tree(1_000), "a tree written afterwards")
    }

    static let reentering = Rule(
        "CNC-07", "Re-entering from a completion cannot deadlock.",
        because: "What one does with a value is often another call.", kills: ["completes-under-lock"],
        timeLimit: .seconds(20)
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Person(id: "Person:1"))
        let answer = Answer<Int>()
        cache.modelForKey("Person:1", context: nil) { (person: Person?, _: (any Error)?) in
            cache.setModel(Person(id: "Person:2"), forKey: "Person:2", context: nil)
            _ = try? cache.write(Person(id: "Person:3"))
            _ = try? cache.flush()
            let found = ["Person:1", "Person:2", "Person:3"].count {
                (try? cache.read(ModelIdentifier($0), as: Person.self).value) != nil
            }
            cache.modelForKey("Person:1", context: nil) { (person: Person?, _: (any Error)?) in
                answer.take(person == nil ? -1 : found, nil)
            }
        }
        let found = try answer.wait(seconds: 10)
        if trial.backend.leniency.forgets { return try trial.expect(true, "") }
        try trial.expectEqual(found, 3, "the models that a completion reads after it wrote two")
    }

    static let commits = Rule(
        "CNC-09", "Change sets are published once per commit, after it, in commit order, deletions included.",
        because: "Whoever keeps screens consistent must hear everything, once, in order.",
        requires: [.observer, .flush], kills: ["blind-transaction"]
    ) { trial in
        let observer = RecordingObserver()
        let cache = try trial.site().open(observer: observer)
        var expected: [WrittenChanges] = []
        for round in 0..<50 {
            let id = "Person:\(round % 7)"
            if round % 5 == 4 {
                cache.deleteModel(Person(id: id), forKey: nil, context: nil)
                expected.append(WrittenChanges(deleted: [ModelIdentifier(id)]))
            } else {
                cache.setModel(Person(id: id, age: round), forKey: id, context: nil)
                cache.setModel(Person(id: id, age: round), forKey: id, context: nil)
                expected.append(WrittenChanges(changed: [ModelIdentifier(id)]))
            }
        }
        try cache.flush()
        try trial.expect(
            observer.wait { $0.commits.count >= expected.count },
            "the observer: expected \(expected.count) change sets, heard \(observer.commits.count).")
        try trial.expectEqual(observer.commits.map { WrittenChanges($0) }, expected, "the change sets, in order")
        let sequences = observer.commits.map(\.sequence)
        try trial.expectEqual(sequences, sequences.sorted(), "their numbers, in order")
        try trial.expectEqual(Set(sequences).count, sequences.count, "the number of distinct numbers")
    }
}
