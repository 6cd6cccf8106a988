import Dispatch
import Foundation
import Grove
import GroveCache
import GroveInspect
import GroveLevelDB
import GroveLMDB
import GroveMemory
import GroveSQLite
import Testing
import TestSupport

/// Changes since a token: what a relaunch, another process and a gap are told.
@Suite("The history of commits")
struct HistoryTests {
    enum Backend: String, CaseIterable { case lmdb, sqlite, leveldb }

    private static let other = PeerProcess("GROVE_HISTORY_PEER", filter: "HistoryTests/peer")

    private let ann = Person(id: "1", name: "Ann")
    private let bob = Person(id: "2", name: "Bob")
    private let cid = Person(id: "3", name: "Cid")

    /// Opens a cache in one directory, with a history of so many commits, for `body`; then closes it.
    private func session<Value>(
        _ backend: Backend, _ directory: TemporaryDirectory, history: Int = 8,
        _ body: (any HistoryCache) async throws -> Value
    ) async throws -> Value {
        let path = directory.path + "/cache"
        let cache: any HistoryCache =
            switch backend {
            case .lmdb: try LMDBCache(directory: path, history: history)
            case .sqlite: try SQLiteCache(directory: path, history: history)
            case .leveldb: try LevelDBCache(directory: path, history: history)
            }
        defer { cache.close() }
        return try await body(cache)
    }

    @Test(
        "What was committed while nobody listened is told after a relaunch, once, and then what comes",
        arguments: Backend.allCases)
    func relaunch(backend: Backend) async throws {
        let directory = try TemporaryDirectory()
        let begun = try await session(backend, directory) { cache in
            try cache.put([ann])
            var changes = cache.changes(since: nil).makeAsyncIterator()
            let first = await changes.next()
            #expect(first?.changesEverything == true)
            return try #require(first?.token)
        }
        try await session(backend, directory) { cache in
            try cache.put([bob, cid])
            try cache.put([bob])  // nothing new: no commit
            try cache.remove("Person:1")
            try cache.list([bob], "people")
            try cache.name(bob, "me")
            try cache.forget("Person:3")
        }
        let last = try await session(backend, directory) { cache in
            var changes = cache.changes(since: begun).makeAsyncIterator()
            #expect(await changes.next()?.changedModelIds == ["Person:2", "Person:3"])
            #expect(await changes.next()?.deletedModelIds == ["Person:1"])
            #expect(await changes.next()?.changedCollectionKeys == ["people"])
            #expect(await changes.next()?.changedAliases == ["me"])
            let evicted = await changes.next()
            #expect(evicted?.evictedModelIds == ["Person:3"])
            try cache.put([ann])
            let live = await changes.next()
            #expect(live?.changedModelIds == ["Person:1"])
            #expect(live?.token != evicted?.token)
            return try #require(live?.token)
        }
        try await session(backend, directory) { cache in
            var changes = cache.changes(since: last).makeAsyncIterator()
            try cache.put([cid])
            #expect(await changes.next()?.changedModelIds == ["Person:3"])
            // A token is kept as the application keeps other things.
            let kept = try JSONEncoder().encode(last)
            var again = try cache.changes(since: JSONDecoder().decode(ChangeToken.self, from: kept)).makeAsyncIterator()
            #expect(await again.next()?.changedModelIds == ["Person:3"])
        }
    }

    @Test(
        "What became of lists is told after a relaunch, as edits; a list is only named if it was forgotten, or if that is too much",
        arguments: Backend.allCases)
    func lists(backend: Backend) async throws {
        let directory = try TemporaryDirectory()
        let people = (0..<450).map { Person(id: "\($0)") }
        let begun = try await session(backend, directory, history: 20) { cache in
            try cache.list(Array(people[..<300]), "people")
            try cache.list(people, "others")
            var changes = cache.changes(since: nil).makeAsyncIterator()
            return try #require(await changes.next()?.token)
        }
        try await session(backend, directory, history: 20) { cache in
            try cache.editTwice("people", ann, bob)
            try cache.list([bob, ann], "people")
            try cache.forgetList("people")
            // So many names do not fit, alone or beside those of the models.
            try cache.list(people.reversed(), "others")
            try cache.list((0..<230).map { Person(id: "\($0)", name: "again") }, "others")
        }
        try await session(backend, directory, history: 20) { cache in
            var changes = cache.changes(since: begun).makeAsyncIterator()
            let edits = await changes.next()
            #expect(edits?.changedCollectionKeys == ["people"])
            #expect(
                edits?.lists.flatMap { $0.splices ?? [] } == [
                    ListSplice(0..<0, ["Person:1"]), ListSplice(301..<301, ["Person:2"]), ListSplice(1..<2, []),
                    ListSplice(300..<300, ["Person:0"]),
                ])
            #expect(edits?.lists.allSatisfy { $0.name == "people" && !$0.isWhole } == true)
            let whole = await changes.next()
            #expect(whole?.lists.map(\.isWhole) == [true])
            #expect(whole?.lists.first?.splices == [ListSplice(0..<302, ["Person:2", "Person:1"])])
            for key in ["people", "others", "others"] as [ModelIdentifier] {
                let named = await changes.next()
                #expect(named?.changedCollectionKeys == [key])
                #expect(named?.lists.isEmpty == true)
                #expect(named?.changesEverything == false)
            }
        }
    }

    @Test("What is not remembered is told as that, and the stream goes on from there", arguments: Backend.allCases)
    func gaps(backend: Backend) async throws {
        let directory = try TemporaryDirectory()
        func first(_ token: ChangeToken?, _ cache: any HistoryCache) async -> ChangeSet? {
            var changes = cache.changes(since: token).makeAsyncIterator()
            return await changes.next()
        }
        let tokens = try await session(backend, directory) { cache in
            var tokens: [ChangeToken] = []
            var changes = cache.changes().makeAsyncIterator()
            for number in 0..<12 {
                try cache.put([Person(id: "1", name: "\(number)")])
                tokens.append(try #require(await changes.next()?.token))
            }
            // Eight are told: those after the fourth.
            #expect(await first(tokens[3], cache)?.changedModelIds == ["Person:1"])
            let gap = await first(tokens[2], cache)
            #expect(gap?.changesEverything == true)
            #expect(gap?.token == tokens[11])
            // More than an entry can name.
            try cache.put((0..<5_000).map { Person(id: "many \($0)") })
            #expect(await changes.next()?.changedModelIds.count == 5_000)
            #expect(await first(tokens[11], cache)?.changesEverything == true)
            return tokens
        }
        try await session(backend, directory, history: 0) { cache in
            let told = await first(tokens[11], cache)
            #expect(told?.changesEverything == true)
            #expect(told?.token == nil)
            try cache.put([bob])
        }
        // A process without a history committed.
        let last = try await session(backend, directory) { cache in
            let told = await first(tokens[11], cache)
            #expect(told?.changesEverything == true)
            return try #require(told?.token)
        }
        // More places: the same commits have other ones.
        try await session(backend, directory, history: 100) { cache in
            try cache.put([cid])
            #expect(await first(last, cache)?.changesEverything == true)
            #expect(await first(tokens[11], cache)?.changesEverything == true)
        }
        // Another store, by a wipe.
        try await session(backend, directory) { cache in
            try cache.empty()
            for _ in 0..<20 { try cache.put([ann, bob].map { Person(id: $0.id, name: $0.name + UUID().uuidString) }) }
            #expect(await first(last, cache)?.changesEverything == true)
        }
    }

    @Test(
        "The peer writes what it is told",
        .enabled(if: other.job != nil, "other tests start it in a process of its own"))
    func peer() async throws {
        guard let words = Self.other.job, let backend = Backend(rawValue: words[1]), let history = Int(words[2]) else {
            return
        }
        switch backend {
        case .lmdb: try work(words[3], LMDBCache(directory: words[0], history: history))
        case .sqlite: try work(words[3], SQLiteCache(directory: words[0], history: history))
        case .leveldb: break
        }
    }

    private func work(_ job: String, _ cache: any HistoryCache) throws {
        if job == "wipe" { try cache.empty() }
        try cache.put([Person(id: "2", name: job)])
        cache.close()
    }

    @Test(
        "Another process's commits are told by name where both keep a history, and as a gap where it keeps none",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"),
        arguments: [Backend.lmdb, .sqlite])
    func others(backend: Backend) async throws {
        let directory = try TemporaryDirectory()
        func run(_ job: String, history: Int = 8) throws -> Bool {
            try Self.other.run([directory.path + "/cache", backend.rawValue, "\(history)", job])
        }
        try await session(backend, directory) { cache in
            try cache.put([ann])
            var changes = cache.changes().makeAsyncIterator()
            var one = cache.changes(of: "Person:2").makeAsyncIterator()
            #expect(try run("Bob"))
            cache.look()
            #expect(await changes.next()?.changedModelIds == ["Person:2"])
            #expect(await one.next() == .changed)
            #expect(try run("Bert"))
            // A write sees the others' commit, and tells of it first.
            try cache.put([cid])
            let theirs = await changes.next()
            #expect(theirs?.changedModelIds == ["Person:2"])
            let own = await changes.next()
            #expect(own?.changedModelIds == ["Person:3"])
            // From a token between the two there is the own one alone.
            var since = cache.changes(since: theirs?.token).makeAsyncIterator()
            #expect(await since.next()?.changedModelIds == ["Person:3"])
            #expect(try run("Bill", history: 0))
            var late = cache.changes(since: own?.token).makeAsyncIterator()
            #expect(await late.next()?.changesEverything == true)
            #expect(await changes.next()?.changesEverything == true)
            #expect(try run("wipe"))
            cache.look()
            let wiped = await changes.next()
            #expect(wiped?.changesEverything == true)
            #expect(wiped?.extent == .emptied)
        }
    }

    /// What a cache with a history is asked for whose keeper is a mirror: as often as it likes it forgets its last
    /// steps.
    @Test("A mirror that goes on from any of its tokens is what the cache is", arguments: Backend.allCases, 0..<6)
    func mirror(backend: Backend, seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let directory = try TemporaryDirectory()
        var kept: [(token: ChangeToken, people: [String: Person])] = []
        for session in 0..<12 {
            let history = [0, 3, 8, 8, 8, 20].randomElement(using: &random) ?? 0
            let isMirrored = Int.random(in: 0..<3, using: &random) > 0
            let from = kept.isEmpty ? nil : kept[Int.random(in: max(0, kept.count - 6)..<kept.count, using: &random)]
            try await self.session(backend, directory, history: history) { cache in
                var mirror = from?.people ?? [:]
                var changes = cache.changes(since: from?.token).makeAsyncIterator()
                for _ in 0..<Int.random(in: 0..<8, using: &random) {
                    let people = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                        Person(
                            id: "\(Int.random(in: 0..<6, using: &random))",
                            name: "\(Int.random(in: 0..<4, using: &random))")
                    }
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0: try cache.forget(people[0].identifier)
                    case 1...2: try cache.remove(people[0].identifier)
                    case 3 where Bool.random(using: &random): try cache.empty()
                    case 4...6: cache.putLater(people)
                    default: try cache.put(people)
                    }
                }
                guard isMirrored else { return }
                // The end is told by a commit that no other is like.
                let end = Person(id: "end \(session)")
                try cache.put([end])
                while let set = await changes.next() {
                    let named = set.changedModelIds.union(set.deletedModelIds).union(set.evictedModelIds)
                    for identifier in set.changesEverything ? Set(cache.all) : named {
                        mirror[identifier.rawValue] = try cache.person(identifier)
                    }
                    if set.changesEverything { mirror = mirror.filter { cache.all.contains(ModelIdentifier($0.key)) } }
                    if let token = set.token { kept.append((token, mirror)) }
                    if mirror[end.identifier.rawValue] != nil { break }
                }
                for identifier in cache.all { #expect(try cache.person(identifier) == mirror[identifier.rawValue]) }
                #expect(mirror.count == cache.all.count)
            }
        }
    }

    @Test("After a loss of power a token of a commit that is gone is a gap, also where another commit has its number")
    func lossOfPower() async throws {
        let directory = try TemporaryDirectory()
        let (path, copy) = (directory.path + "/cache", directory.path + "/copy")
        try await session(.sqlite, directory) { cache in try cache.put([ann]) }
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let tokens = try await session(.sqlite, directory) { cache in
            var changes = cache.changes(since: nil).makeAsyncIterator()
            var tokens = [await changes.next()?.token]
            for person in [bob, cid] {
                try cache.put([person])
                tokens.append(await changes.next()?.token)
            }
            return tokens
        }
        // The last two commits are undone, and others take their numbers.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        try await session(.sqlite, directory) { cache in
            for number in 0..<4 { try cache.put([Person(id: "other", name: "\(number)")]) }
        }
        try await session(.sqlite, directory) { cache in
            for token in tokens.dropFirst() {
                var changes = cache.changes(since: token).makeAsyncIterator()
                #expect(await changes.next()?.changesEverything == true)
            }
            var changes = cache.changes(since: tokens[0]).makeAsyncIterator()
            #expect(await changes.next()?.changedModelIds == ["Person:other"])
        }
    }

    @Test("A long history is told to the end, whatever is committed meanwhile")
    func backlog() async throws {
        let cache = try MemoryCache(history: 1_000)
        func put(_ number: Int) throws { try cache.write(Person(id: "1", name: "\(number)")) }
        var live = cache.changes().makeAsyncIterator()
        try put(0)
        let token = try #require(await live.next()?.token)
        for number in 1...500 { try put(number) }
        let changes = cache.changes(since: token)
        try put(501)
        cache.close()
        var (count, isNamed) = (0, true)
        for await set in changes { (count, isNamed) = (count + 1, isNamed && !set.changesEverything) }
        #expect(count == 501 && isNamed)
    }

    @Test("Within a budget the history has its share")
    func budget() async throws {
        let cache = try MemoryCache(budget: CacheBudget(bytes: 1 << 20), history: 65_535)
        for round in 0..<700 {
            try await cache.write(
                contentsOf: (0..<20).map { Person(id: "a rather long identifier \($0)", name: "\(round)") })
        }
        var (entries, bytes) = (0, 0)
        try cache.forEachStoredRecord(.history) { record in
            (entries, bytes) = (entries + 1, bytes + record.byteCount)
            return true
        }
        #expect(entries == 512)
        #expect(bytes < (1 << 20) / 16)
    }
}

/// What the tests ask of a cache on any backend, on the thread that waits.
private protocol HistoryCache: Sendable {
    func changes() -> CacheChanges<ChangeSet>
    func changes(of identifier: ModelIdentifier) -> CacheChanges<CacheChange>
    func changes(since token: ChangeToken?) -> CacheChanges<ChangeSet>
    func close()
    func put(_ people: [Person]) throws
    func putLater(_ people: [Person])
    func list(_ people: [Person], _ key: String) throws
    /// Puts one person first and one last, and takes the second to the end, in one commit.
    func editTwice(_ key: String, _ first: Person, _ last: Person) throws
    func forgetList(_ key: String) throws
    func name(_ person: Person, _ key: String) throws
    func remove(_ identifier: ModelIdentifier) throws
    func forget(_ identifier: ModelIdentifier) throws
    func empty() throws
    func look()
    func person(_ identifier: ModelIdentifier) throws -> Person?
    var all: [ModelIdentifier] { get }
}

extension NormalizedCache: HistoryCache {
    func put(_ people: [Person]) throws { try write(contentsOf: people) }
    func putLater(_ people: [Person]) {
        for person in people { setModel(person, forKey: person.identifier.rawValue, context: nil) }
    }
    func list(_ people: [Person], _ key: String) throws { try writeCollection(people, as: key) }
    func editTwice(_ key: String, _ first: Person, _ last: Person) throws {
        try write { tx in
            try tx.insert([first], at: 0, inCollection: key)
            try tx.append([last], toCollection: key)
            try tx.moveElement(from: 1, to: 300, inCollection: key)
        }
    }
    func forgetList(_ key: String) throws { try removeCollection(key) }
    func name(_ person: Person, _ key: String) throws { try write(person, forKey: key) }
    func remove(_ identifier: ModelIdentifier) throws { try delete(identifier) }
    func forget(_ identifier: ModelIdentifier) throws { try evict(identifier) }
    func empty() throws { try wipe() }
    func look() { noticeCommitsOfOtherProcesses() }
    func person(_ identifier: ModelIdentifier) throws -> Person? { try model(identifier, as: Person.self) }
    var all: [ModelIdentifier] {
        var all: [ModelIdentifier] = []
        try? forEachStoredRecord(.node) { record in
            if (try? record.envelope.get().isTombstone) == false { all.append(ModelIdentifier(record.name)) }
            return true
        }
        return all
    }
}

extension Person {
    fileprivate var identifier: ModelIdentifier { ModelIdentifier("Person:\(id)") }
}
