import GroveCache
import GroveModel

/// EVC: how old what a read hands out may be.
enum AgeRules {
    static let all = [ages, afterCrash, expiry]

    static let ages = Rule(
        "EVC-12",
        "A read with a maximum age takes what was last confirmed longer ago for missing; a rewrite that changes nothing confirms.",
        because: "Prices of yesterday are no prices.", requires: [.typedCalls, .storedBytes, .suspend],
        kills: ["ignores-ages", "confirms-by-reading", "confirms-changes-only"]
    ) { trial in
        let site = try trial.site()
        let clock = VirtualClock()
        var cache = try site.open(clock: clock)
        try checkRenewal(trial, cache, clock, site.interceptor)
        var script = Script(trial)
        for step in 0..<600 {
            if step % 60 == 59, site.directory != nil {
                cache.close()
                cache = try site.open(clock: clock)
            }
            if step % 60 == 29 {
                try cache.suspend()
                try cache.resume()
            }
            try script.step(cache, clock)
        }
        try trial.expect(
            script.hits > 20 && script.misses > 20,
            "what the script finds: expected many hits and misses, got \(script.hits) and \(script.misses).")
        try script.checkSetBack(cache, clock)
    }

    /// Checks that a rewrite without changes stores nothing for up to a minute.
    ///
    /// If a maximum age of 40 s was once asked for, a model that was confirmed 30 s ago meets it from then on.
    private static func checkRenewal(
        _ trial: Trial, _ cache: any ConformanceCache, _ clock: VirtualClock, _ interceptor: StoreInterceptor
    ) throws {
        let person = Person(id: "renewed", age: 1)
        try cache.write(person)
        let before = interceptor.counts
        for _ in 0..<5 {
            clock.advance(5)
            try cache.write(person)
        }
        try trial.expectEqual(
            interceptor.counts.puts, before.puts, "the values stored by rewrites of the same within half a minute")
        clock.advance(40)
        try cache.write(person)
        try trial.expectHit(
            try cache.read("renewed", as: Person.self, maxAge: 40), person, "a read of what was confirmed just now")
        for _ in 0..<3 {
            clock.advance(9)
            try cache.write(person)
        }
        clock.advance(29)
        try trial.expectHit(
            try cache.read("renewed", as: Person.self, maxAge: 40), person,
            "a read with a maximum age of 40 s, of what was confirmed 29 s ago")
    }

    static let afterCrash = Rule(
        "EVC-17", "What a crash or an old copy of the files leaves of ages makes records older, never younger.",
        because: "A cache may forget when it was told something; it must not say that it was just now.",
        requires: [.typedCalls, .persistent, .survivesCrash, .directory, .close, .reopen, .storedBytes],
        kills: ["confirms-at-opening"], timeLimit: .seconds(120)
    ) { trial in
        let clock = VirtualClock()
        var site = try trial.site()
        var script = Script(trial)
        var copies: [(directory: String, script: Script)] = []
        for round in 0..<12 {
            let cache = try site.open(clock: clock)
            try script.change(cache, clock)
            for _ in 0..<20 { try script.step(cache, clock, isWhole: false) }
            // What is in the files now is what a kill would leave; one time in three the cache is closed before.
            if round % 3 == 0 { cache.close() }
            let (kept, place) = (try trial.site(), try trial.site())
            guard let from = site.directory, let copy = kept.directory, let next = place.directory else { return }
            try TemporaryDirectory.copy(from, copy)
            try TemporaryDirectory.copy(from, next)
            cache.close()
            copies.append((copy, script))
            clock.advance(script.pause())
            // Records of an earlier time.
            var old = copies[script.choose(copies.count)]
            let former = try trial.site()
            guard let directory = former.directory else { return }
            try TemporaryDirectory.copy(old.directory, directory)
            try old.script.readAll(try former.open(clock: clock), clock, "records from an earlier time")
            former.closeAll()
            try script.readAll(try place.open(clock: clock), clock, "what a kill left")
            place.closeAll()
            site = place
        }
    }

    static let expiry = Rule(
        "EVC-18",
        "Expired records are the first to go, and change sets name them like other evictions; what was never confirmed is not expired.",
        because: "Whoever asks for something younger cannot use them.",
        requires: [.evicting, .typedCalls, .storedBytes],
        kills: ["evicts-the-young", "evicts-the-unconfirmed"]
    ) { trial in
        let site = try trial.site()
        let clock = VirtualClock()
        let cache = try site.open(clock: clock, budget: CacheBudget(nodes: 200, expiresAfter: 60))
        func people(_ numbers: Range<Int>) -> [Person] { numbers.map { Person(id: "person\($0)", age: $0) } }
        func count(_ numbers: Range<Int>) throws -> Int {
            try numbers.count { try cache.read(ModelIdentifier("person\($0)"), as: Person.self).value != nil }
        }
        for person in people(300..<310) { try cache.writeUnconfirmed(person) }
        for person in people(0..<100) { try cache.write(person) }
        // However often they were read.
        for _ in 0..<5 { try trial.expectEqual(try count(0..<100), 100, "the nodes that have room") }
        clock.advance(100)
        for person in people(0..<10) { try cache.write(person) }
        for person in people(100..<200) { try cache.write(person) }
        for person in people(200..<260) { try cache.write(person) }
        try trial.expectEqual(try count(100..<260), 160, "the young nodes that are there")
        try trial.expectEqual(try count(0..<10), 10, "the old nodes that were confirmed")
        try trial.expectEqual(try count(300..<310), 10, "the nodes that were never confirmed")
        try trial.expectEqual(try count(10..<100), 20, "the expired nodes that had still room")
        try trial.expectEqual(try cache.usage().evictions, 70, "the evictions")
    }
}

/// Random calls on a few models, and when each value was last confirmed.
private struct Script {
    /// A value, and when the calls that set it were made.
    private struct Confirmed<Value> {
        var value: Value
        var time: Double
    }

    private let trial: Trial
    private var generator: SeededGenerator
    private var people: [Int: Confirmed<Person>] = [:]
    private var letters: [Int: Confirmed<[Int]>] = [:]
    private var lists: [Int: Confirmed<[Int]>] = [:]
    private(set) var hits = 0
    private(set) var misses = 0

    init(_ trial: Trial) {
        self.trial = trial
        generator = trial.generator()
    }

    mutating func choose(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    /// Some seconds, now and then very many.
    mutating func pause() -> Double {
        let limits: [Double] = [2, 20, 200, 20_000]
        return Double.random(in: 0...limits[choose(limits.count)], using: &generator)
    }

    /// One call.
    ///
    /// - Parameter isWhole: whether everything that was confirmed since is known to the cache.
    mutating func step(_ cache: any ConformanceCache, _ clock: VirtualClock, isWhole: Bool = true) throws {
        switch choose(10) {
        case 0: clock.advance(pause())
        case 1, 2: try write(person(choose(6), isNew: true), cache, clock)
        case 3: try confirm(cache, clock)
        case 4: try writeLetter(cache, clock)
        case 5: try writeList(cache, clock)
        default: try read(cache, clock, isWhole: isWhole, "a read")
        }
    }

    /// Writes something new.
    mutating func change(_ cache: any ConformanceCache, _ clock: VirtualClock) throws {
        try write(Person(id: "person5", age: 1_000 + choose(1_000_000)), cache, clock)
    }

    /// Reads everything several times, each time with another age.
    mutating func readAll(_ cache: any ConformanceCache, _ clock: VirtualClock, _ what: String) throws {
        for _ in 0..<60 { try read(cache, clock, isWhole: false, what) }
    }

    /// Sets the clock back: nothing is younger by that.
    mutating func checkSetBack(_ cache: any ConformanceCache, _ clock: VirtualClock) throws {
        try write(person(0, isNew: true), cache, clock)
        clock.advance(-50)
        try trial.expectMiss(
            try cache.read("person0", as: Person.self, maxAge: 100), .expired, "person0",
            "a read after the clock was set back by 50 s, of what was written before")
        try write(person(0, isNew: false), cache, clock)
        try trial.expectHit(
            try cache.read("person0", as: Person.self, maxAge: 100), person(0, isNew: false),
            "a read of what was written after the clock was set back")
    }

    // MARK: Writing

    private mutating func person(_ number: Int, isNew: Bool) -> Person {
        if !isNew, let known = people[number] { return known.value }
        return Person(id: "person\(number)", age: choose(1_000))
    }

    private mutating func write(_ person: Person, _ cache: any ConformanceCache, _ clock: VirtualClock) throws {
        try cache.write(person)
        note([person], clock)
    }

    private mutating func note(_ written: [Person], _ clock: VirtualClock) {
        for person in written {
            guard let number = Int(person.id.dropFirst(6)) else { continue }
            people[number] = Confirmed(value: person, time: clock.time)
        }
    }

    /// Writes what is there already.
    private mutating func confirm(_ cache: any ConformanceCache, _ clock: VirtualClock) throws {
        guard let number = people.keys.sorted().randomElement(using: &generator) else { return }
        try write(person(number, isNew: false), cache, clock)
    }

    /// A letter that holds some people, as they are or changed.
    private mutating func writeLetter(_ cache: any ConformanceCache, _ clock: VirtualClock) throws {
        let number = choose(3)
        let held = members()
        try cache.write(Message(id: "letter\(number)", sender: held.first, readers: Array(held.dropFirst())))
        note(held, clock)
        letters[number] = Confirmed(value: held.compactMap { Int($0.id.dropFirst(6)) }, time: clock.time)
    }

    private mutating func writeList(_ cache: any ConformanceCache, _ clock: VirtualClock) throws {
        let number = choose(2)
        let held = members()
        try cache.writeCollection(held, forKey: "list\(number)")
        note(held, clock)
        lists[number] = Confirmed(value: held.compactMap { Int($0.id.dropFirst(6)) }, time: clock.time)
    }

    private mutating func members() -> [Person] {
        let first = choose(4)
        let isNew = choose(3) == 0
        return (first..<first + 2).map { person($0, isNew: isNew) }
    }

    // MARK: Reading

    private mutating func read(
        _ cache: any ConformanceCache, _ clock: VirtualClock, isWhole: Bool, _ what: String
    ) throws {
        switch choose(3) {
        case 0:
            guard let number = people.keys.sorted().randomElement(using: &generator), let known = people[number] else {
                return
            }
            let age = clock.time - known.time
            // Who reads without an age must not confirm.
            _ = try cache.read(ModelIdentifier(known.value.id), as: Person.self)
            let maxAge = limit(for: age)
            let read = try cache.read(ModelIdentifier(known.value.id), as: Person.self, maxAge: maxAge)
            try check(read, known.value, age, maxAge, isWhole, what)
        case 1:
            guard let number = letters.keys.sorted().randomElement(using: &generator), let known = letters[number]
            else { return }
            let held = known.value.compactMap { people[$0] }
            let age = clock.time - held.reduce(known.time) { min($0, $1.time) }
            let maxAge = limit(for: age)
            let read = try cache.read(ModelIdentifier("letter\(number)"), as: Message.self, maxAge: maxAge)
            let letter = Message(
                id: "letter\(number)", sender: held.first?.value, readers: held.dropFirst().map(\.value))
            try check(read, letter, age, maxAge, isWhole, what)
        default:
            guard let number = lists.keys.sorted().randomElement(using: &generator), let known = lists[number] else {
                return
            }
            let held = known.value.compactMap { people[$0] }
            let age = clock.time - held.reduce(known.time) { min($0, $1.time) }
            let maxAge = limit(for: age)
            let read = try cache.readCollection("list\(number)", as: Person.self, maxAge: maxAge)
            try check(read, ReadElements(held.map(\.value)), age, maxAge, isWhole, what)
        }
    }

    /// A maximum age that clearly allows or forbids `age`: a cache may count a minute more.
    private mutating func limit(for age: Double) -> Double {
        choose(2) == 0 || age < 0.1 ? age * 1.1 + 62 : max(age - 0.001, 0) * Double.random(in: 0...1, using: &generator)
    }

    private mutating func check<Value: Equatable>(
        _ read: CacheRead<Value>, _ value: Value, _ age: Double, _ maxAge: Double, _ isWhole: Bool, _ what: String
    ) throws {
        let sentence = "\(what) with a maximum age of \(maxAge) s, of what was confirmed \(age) s ago"
        if age <= maxAge, isWhole {
            hits += 1
            return try trial.expectHit(read, value, sentence)
        }
        if age <= maxAge, read.value != nil { return try trial.expectHit(read, value, sentence) }
        misses += 1
        try trial.expectMiss(read, .expired, nil, sentence)
    }
}
