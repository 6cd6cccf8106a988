import Dispatch
import GroveCache
import GroveModel

/// CON, second part: order, completions and failures.
enum WriteRules {
    static let all = [
        callOrder, ownWrites, completions, onceEach, sizes, wiped, notAfterDelete, failures, batches, aliases,
    ]

    static let callOrder = Rule(
        "CON-04", "Fire-and-forget writes by one caller apply in call order.",
        because: "Two writes of one key that change places leave the older one.", requires: [.flush],
        kills: ["swaps-writes"]
    ) { trial in
        let cache = try trial.cache()
        for age in 1...1_000 { cache.setModel(Person(id: "Person:1", age: age), forKey: "Person:1", context: nil) }
        try cache.flush()
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 1_000),
            "the last of 1,000 queued writes")
        for age in 1...1_001 {
            cache.setModel(Person(id: "Person:\(age % 3)", age: age), forKey: "Person:\(age % 3)", context: nil)
            cache.setCollection([Person(id: "Person:c", age: age)], forKey: "all", context: nil)
        }
        try cache.flush()
        for index in 0..<3 {
            let last = (999...1_001).first { $0 % 3 == index }
            try trial.expectHit(
                try cache.read("Person:\(index)", as: Person.self), Person(id: "Person:\(index)", age: last),
                "the last of many queued writes of three keys")
        }
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self), ReadElements([Person(id: "Person:c", age: 1_001)]),
            "the last of many queued collections")
    }

    static let ownWrites = Rule(
        "CON-05", "A caller reads its own earlier writes, also those still queued.",
        because: "A screen that saves and reads back must see what it saved.", requires: [.faults],
        kills: ["remembers-answers"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Message(id: "Message:1", sender: Person(id: "Person:1", age: 1)))
        try cache.writeCollection([Person(id: "Person:1", age: 1), Person(id: "Person:2")], forKey: "all")
        try trial.expectHit(
            try cache.read("Message:1", as: Message.self),
            Message(id: "Message:1", sender: Person(id: "Person:1", age: 1)), "a tree")
        site.interceptor.gate.close()
        cache.setModel(Person(id: "Person:1", age: 2), forKey: "Person:1", context: nil)
        try site.interceptor.gate.awaitArrival(of: "a queued write")
        cache.setModel(Person(id: "Person:1", age: 3), forKey: "Person:1", context: nil)
        cache.deleteModel(Person(id: "Person:2"), forKey: nil, context: nil)
        cache.setCollection([Person](), forKey: "none", context: nil)
        for state in ["queued", "committed"] {
            try trial.expectHit(
                try cache.read("Message:1", as: Message.self),
                Message(id: "Message:1", sender: Person(id: "Person:1", age: 3)),
                "a tree whose child's write is \(state)")
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self), ReadElements([Person(id: "Person:1", age: 3)]),
                "a collection whose elements' write and deletion are \(state)")
            try trial.expectHit(
                try cache.readCollection("none", as: Person.self), ReadElements([]), "a collection that is \(state)")
            site.interceptor.gate.open()
            try cache.flush()
        }
    }

    static let completions = Rule(
        "CON-06", "Each completion is called exactly once, on success, miss, error, close and cancellation alike.",
        because: "A caller that is not called back waits for ever; one called twice acts twice.", requires: [.close],
        kills: ["completes-twice", "forgets-completion", "cancels-too-late"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(Person(id: "Person:1"))
        try cache.writeCollection([Person(id: "Person:1")], forKey: "all")
        var people: [Answer<Person?>] = []
        var lists: [Answer<[Person]?>] = []
        func ask(_ key: String?) {
            let person = Answer<Person?>()
            let list = Answer<[Person]?>()
            cache.modelForKey(key, context: nil) { (value: Person?, error: (any Error)?) in person.take(value, error) }
            cache.collectionForKey(key, context: nil) { (value: [Person]?, error: (any Error)?) in
                list.take(value, error)
            }
            people.append(person)
            lists.append(list)
        }
        for key in ["Person:1", "Person:none", "all", "", nil] { ask(key) }
        let company = Answer<Company?>()
        cache.modelForKey("Person:1", context: nil) { (value: Company?, error: (any Error)?) in
            company.take(value, error)
        }
        let opaque = Answer<Opaque?>()
        cache.modelForKey("Person:1", context: nil) { (value: Opaque?, error: (any Error)?) in
            opaque.take(value, error)
        }
        cache.close()
        for key in ["Person:1", "all", "", nil] { ask(key) }
        for (index, person) in people.enumerated() { try hear(person, trial, "model read \(index)") }
        for (index, list) in lists.enumerated() { try hear(list, trial, "collection read \(index)") }
        try hear(company, trial, "a read as another type")
        try hear(opaque, trial, "a read as a type without coding")
        // What a second call would need is gone once the last first call is long past.
        for _ in 0..<20 { _ = try? cache.model(forKey: "Person:1", as: Person.self) }
        for (index, person) in people.enumerated() {
            try trial.expectEqual(person.calls, 1, "the calls of the completion of model read \(index)")
        }
        for (index, list) in lists.enumerated() {
            try trial.expectEqual(list.calls, 1, "the calls of the completion of collection read \(index)")
        }
        try trial.expectEqual(company.calls, 1, "the calls of the completion of a read as another type")
        try trial.expectEqual(opaque.calls, 1, "the calls of the completion of a read as a type without coding")
        let open = try trial.cache()
        let task = Task { () async throws -> WrittenChanges in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await open.writeInTask([Person(id: "Person:2")])
        }
        let outcome = await task.result
        try trial.expectError(.cancelled, from: "a write in a task that was cancelled before") { try outcome.get() }
        try trial.expectMiss(
            try open.read("Person:2", as: Person.self), .absent, "Person:2", "what a cancelled write brought")
    }

    static let onceEach = Rule(
        "CON-13", "A completion is called once, for models and collections, on a hit and on a miss.",
        because: "Who is called twice shows a screen twice, or resumes a continuation twice and traps.",
        kills: ["completes-twice", "forgets-completion"]
    ) { trial in
        let cache = try trial.cache()
        for number in 0..<10 {
            let person = Person(id: "Person:\(number)", age: number)
            cache.setModel(person, forKey: person.id, context: nil)
            cache.setCollection([person], forKey: "list \(number)", context: nil)
        }
        var people: [Answer<Person?>] = []
        var lists: [Answer<[Person]?>] = []
        for number in 0..<20 {
            let (person, list) = (Answer<Person?>(), Answer<[Person]?>())
            cache.modelForKey("Person:\(number)", context: nil) { (model: Person?, error: (any Error)?) in
                person.take(model, error)
            }
            cache.collectionForKey("list \(number)", context: nil) { (models: [Person]?, error: (any Error)?) in
                list.take(models, error)
            }
            people.append(person)
            lists.append(list)
        }
        for (number, answer) in people.enumerated() { try hear(answer, trial, "model read \(number)") }
        for (number, answer) in lists.enumerated() { try hear(answer, trial, "collection read \(number)") }
        // A second call that is on its way has come when as many later reads were answered.
        for number in 0..<40 { _ = try cache.model(forKey: "Person:\(number % 20)", as: Person.self) }
        for (number, answer) in people.enumerated() {
            try trial.expectEqual(
                answer.calls, 1, "the calls of the completion of model read \(number), after later reads")
        }
        for (number, answer) in lists.enumerated() {
            try trial.expectEqual(
                answer.calls, 1, "the calls of the completion of collection read \(number), after later reads")
        }
    }

    /// Waits for the first call of a completion; that there is one counts, not what it brings.
    private static func hear<Value>(_ answer: Answer<Value>, _ trial: Trial, _ what: String) throws {
        do {
            _ = try answer.wait(seconds: 10)
        } catch is CheckFailure {
            try trial.expectEqual(answer.calls, 1, "the calls of the completion of \(what)")
        } catch {
            return
        }
    }

    static let sizes = Rule(
        "CON-07", "Values of 0 B to 10 MB round-trip; a shorter overwrite leaves no tail.",
        because: "Models hold whatever the application puts there.", kills: ["old-tail-survives"],
        timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.cache()
        for size in [0, 1, 23, 24, 255, 256, 4_000, 65_535, 65_536, 1 << 20, 10 << 20, 5_000, 100, 0] {
            let person = Person(id: "Person:1", name: String(repeating: "x", count: size))
            try cache.write(person)
            let read = try trial.expectHit(try cache.read("Person:1", as: Person.self), "a text of \(size) bytes")
            try trial.expectEqual(read.name.utf8.count, size, "the length of a text of \(size) bytes")
            try trial.expect(read == person, "a text of \(size) bytes: expected it back, got another of its length.")
        }
        cache.setCollection([Person](), forKey: "all", context: nil)
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self), ReadElements([]), "a collection of no bytes")
    }

    static let wiped = Rule(
        "CON-08", "`wipe` clears nodes, collections, tombstones and accounting.",
        because: "The next user of the device must find nothing.", requires: [.wipe, .storedBytes],
        kills: ["wipe-keeps-collections", "wipe-does-nothing", "wipe-renames"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let marker = "a secret that nobody else writes \(trial.seed)"
        try cache.write(Message(id: "Message:1", text: marker, sender: Person(id: "Person:1")))
        try cache.writeCollection([Person(id: "Person:2", name: marker)], forKey: "all")
        cache.setModel(Person(id: "Person:3"), forKey: "me", context: nil)
        try cache.delete("Person:4")
        try cache.flush()
        try cache.wipe()
        try trial.expectMiss(try cache.read("Message:1", as: Message.self), .absent, "Message:1", "a wiped tree")
        try trial.expectMiss(try cache.readCollection("all", as: Person.self), .absent, "all", "a wiped collection")
        try trial.expectEqual(try cache.model(forKey: "me", as: Person.self), nil, "what a wiped alias finds")
        try trial.expectMiss(
            try cache.read("Person:4", as: Person.self), .absent, "Person:4", "a node whose tombstone was wiped")
        try trial.expectEqual(try cache.size().entries, 0, "the number of entries after a wipe")
        if let directory = site.directory {
            try trial.expectEqual(
                try TemporaryDirectory.files(in: directory, holding: Array(marker.utf8)), [],
                "the files that hold the old content")
        }
        try cache.write(Person(id: "Person:1", age: 2))
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 2), "a model written after a wipe")
    }

    static let notAfterDelete = Rule(
        "CON-09", "Nothing whose call was made before a delete or a wipe lands after it.",
        because: "What was deleted would come back.", requires: [.wipe, .faults], kills: ["writes-again"]
    ) { trial in
        for isWipe in [false, true] {
            let what = isWipe ? "a wipe" : "a deletion"
            let cache = try trial.cache()
            let gate = CommitGate()
            gate.close()
            let write = Threads.start { try cache.write(SlowPerson(id: "Person:1", gate: gate)) }
            let set = Threads.start {
                cache.setModel(SlowPerson(id: "Person:1", gate: gate), forKey: "me", context: nil)
            }
            try gate.awaitArrival(of: "the first write")
            try gate.awaitArrival(of: "the second write")
            if isWipe { try cache.wipe() } else { try cache.delete("Person:1") }
            gate.open()
            _ = try? write.wait()
            _ = try set.wait()
            try? cache.flush()
            try trial.expectMiss(
                try cache.read("Person:1", as: Person.self), isWipe ? .absent : .deleted, "Person:1",
                "a model whose write was called before \(what) and arrived after it")
        }
        let site = try trial.site()
        let cache = try site.open()
        site.interceptor.gate.close()
        cache.setModel(Person(id: "Person:1"), forKey: "Person:1", context: nil)
        try site.interceptor.gate.awaitArrival(of: "a queued write")
        cache.setModel(Person(id: "Person:2"), forKey: "Person:2", context: nil)
        let wipe = Threads.start { try cache.wipe() }
        let flush = Threads.start { try cache.flush() }
        site.interceptor.gate.open()
        _ = try wipe.wait()
        _ = try flush.wait()
        for id in ["Person:1", "Person:2"] {
            try trial.expectMiss(
                try cache.read(ModelIdentifier(id), as: Person.self), .absent, nil, "what was queued before a wipe")
        }
    }

    static let failures = Rule(
        "CON-10", "A failed write reports failure; it never reports success for what was not stored.",
        because: "A full disk that nobody hears of is a lost edit.", requires: [.faults, .observer, .flush],
        kills: ["swallows-failures", "abort-commits"]
    ) { trial in
        let site = try trial.site()
        let observer = RecordingObserver()
        let cache = try site.open(observer: observer)
        try cache.write(Person(id: "Person:1", age: 1))
        site.interceptor.failWrites(with: CacheError(.full, "The rule fills the disk."))
        try trial.expectError(.full, from: "a write to a full store") {
            try cache.write(Person(id: "Person:1", age: 2))
        }
        try trial.expectError(.full, from: "a deletion in a full store") { try cache.delete("Person:1") }
        try trial.expectError(.full, from: "a collection written to a full store") {
            try cache.writeCollection([Person(id: "Person:3")], forKey: "all")
        }
        cache.setModel(Person(id: "Person:2"), forKey: "Person:2", context: nil)
        try trial.expectError(.full, from: "the flush after a queued write failed") { try cache.flush() }
        try trial.expect(
            observer.wait { $0.writeFailures.contains { $0.code == .full } },
            "the observer: expected to hear of the failed write with code full, heard \(observer.writeFailures).")
        site.interceptor.failWrites(with: nil)
        let read = try cache.read("Person:1", as: Person.self)
        try trial.expect(
            read.value == nil || read.value?.age == 1,
            "a model whose replacement failed: expected the old value or a miss, got \(brief(read)).")
        try trial.expectMiss(
            try cache.read("Person:2", as: Person.self), nil, "Person:2", "a model whose queued write failed")
        try trial.expectMiss(
            try cache.readCollection("all", as: Person.self), nil, "all", "a collection whose write failed")
        try trial.expectMiss(try cache.read("Person:3", as: Person.self), nil, "Person:3", "an element of it")
        cache.setModel(Opaque(), forKey: "Opaque:1", context: nil)
        cache.setModel(Person(id: "Person:4"), forKey: "Person:4", context: nil)
        try trial.expectError(.notCacheable, from: "the flush after one of two queued writes failed") {
            try cache.flush()
        }
        try trial.expectHit(
            try cache.read("Person:4", as: Person.self), Person(id: "Person:4"), "the other of the two")
        try cache.flush()
    }

    static let batches = Rule(
        "CON-11", "Batches of 0, 1, 999, 1,000, 32,767 and 100,000 nodes work.",
        because: "Engines have limits on variables, map pages and batches.", requires: [.storedBytes],
        kills: ["silent-loss", "drops-last-write"], timeLimit: .seconds(180)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        var entries: Set<Int> = []
        for count in [0, 1, 999, 1_000, 32_767, 100_000] {
            let people = (0..<count).map { Person(id: "Person:\($0)", age: count) }
            let changes = try cache.writeCollection(people, forKey: "all")
            try trial.expectEqual(changes.changed.count, count, "the number of changed nodes of a batch of \(count)")
            let read = try trial.expectHit(try cache.readCollection("all", as: Person.self), "a batch of \(count)")
            try trial.expectEqual(read.values.count, count, "the number of elements of a batch of \(count)")
            try trial.expect(read.values == people, "a batch of \(count): expected all of it back, got other elements.")
            let chunks = try site.interceptor.store().keys([SealedRecord.chunks]).count
            entries.insert(try cache.size().entries - count - chunks)
        }
        try trial.expect(
            entries.count <= 3,
            "the entries beside nodes and chunks: expected one collection, its name if it is long, the store's own and a shape, got "
                + "\(entries.sorted()).")
    }

    static let aliases = Rule(
        "CON-12", "A cache key other than the identifier is an alias: it finds the model, and never collides.",
        because: "\"me\" and \"Person:1\" are one person, and a key may look like anything.",
        requires: [.typedCalls, .flush],
        kills: ["text-keys", "merges-namespaces"]
    ) { trial in
        let cache = try trial.cache()
        cache.setModel(Person(id: "Person:1", age: 1), forKey: "me", context: nil)
        cache.setModel(Person(id: "Person:2", age: 2), forKey: "Person:1", context: nil)
        cache.setCollection([Person(id: "Person:3")], forKey: "me", context: nil)
        cache.setModel(Person(id: "Person:4"), forKey: "caf\u{E9}", context: nil)
        cache.setModel(Person(id: "Person:5"), forKey: "cafe\u{301}", context: nil)
        try cache.flush()
        func age(_ key: String) throws -> Int? {
            let person = try cache.model(forKey: key, as: Person.self)
            return person?.age
        }
        try trial.expectEqual(try age("me"), 1, "the age of the model that the alias \"me\" finds")
        try trial.expectEqual(try age("Person:1"), 2, "what an alias that is spelled like an identifier finds")
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 1),
            "the model of that identifier, read by identity")
        try trial.expectMiss(
            try cache.read("me", as: Person.self), .absent, "me", "the identifier that is spelled like an alias")
        try trial.expectEqual(
            try cache.model(forKey: "caf\u{E9}", as: Person.self)?.id, "Person:4", "what the precomposed key finds")
        try trial.expectEqual(
            try cache.model(forKey: "cafe\u{301}", as: Person.self)?.id, "Person:5", "what the decomposed key finds")
        try cache.write(Person(id: "Person:1", age: 3))
        try trial.expectEqual(try age("me"), 3, "the age that an alias finds after the model was written anew")
        cache.setModel(Person(id: "Person:6", age: 6), forKey: "me", context: nil)
        try trial.expectEqual(try age("me"), 6, "the age that an alias finds after it was set to another model")
        cache.deleteModel(Person(id: "Person:6"), forKey: "me", context: nil)
        try trial.expectEqual(try age("me"), nil, "what an alias of a deleted model finds")
        try trial.expectEqual(
            try cache.models(forKey: "me", as: Person.self), [Person(id: "Person:3")],
            "the collection of the alias's name")
    }
}
