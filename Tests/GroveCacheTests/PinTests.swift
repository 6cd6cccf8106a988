import Dispatch
import GroveCache
import GroveInspect
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

@Suite("Pins")
struct PinTests {
    /// A cache in memory for so many records.
    private func cache(_ nodes: Int) throws -> MemoryCache {
        try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: nodes))
    }

    /// Writes so many nodes that nothing else stays.
    private func flood(_ cache: NormalizedCache<some NodeStore>, _ count: Int = 200) throws {
        // What is written is read: what was read before, and is not any more, must go for it.
        for number in 0..<count {
            try cache.write(Person(id: "flood-\(number)", name: "", age: 0))
            for _ in 0..<2 { _ = try cache.model(ModelIdentifier("Person:flood-\(number)"), as: Person.self) }
        }
    }

    private func isThere(_ cache: NormalizedCache<some NodeStore>, _ identifiers: String...) throws -> [Bool] {
        try identifiers.map { try cache.storedRecord(.node, $0) != nil }
    }

    @Test("A pinned tree stays while everything else goes, and goes when it is released")
    func tree() throws {
        let cache = try cache(20)
        let tree = Fork("a", Fork("b", Fork("c")), Fork("d"))
        try cache.write(tree)
        try cache.retain("Fork:a")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c", "Fork:d") == [true, true, true, true])
        #expect(try cache.usage().pinnedEntries == 4)
        try cache.release("Fork:a")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c", "Fork:d") == [false, false, false, false])
        #expect(try cache.usage().pinnedEntries == 0 && cache.usage().pinnedBytes == 0)
    }

    @Test("What is written under a pin later is held, also where nothing was there when it was retained")
    func later() throws {
        let cache = try cache(20)
        try cache.retain("Fork:a")
        try cache.retain(collection: "list")
        #expect(try cache.usage().pinnedEntries == 0)
        try cache.write(Fork("a", Fork("b")))
        try flood(cache)
        try cache.write(Fork("b", Fork("c")))
        try cache.writeCollection([Fork("d", Fork("e"))], as: "list")
        try flood(cache)
        #expect(
            try isThere(cache, "Fork:a", "Fork:b", "Fork:c", "Fork:d", "Fork:e") == [true, true, true, true, true])
        #expect(try cache.collection("list", of: Fork.self)?.count == 1)
        #expect(try cache.usage().pinnedEntries == 6)
        // A node that comes before its holder does is held from the moment that the holder names it.
        try cache.write(Fork("f", Fork("g")))
        try cache.write(ForkLink(id: "c", left: ForkStub(id: "f")))
        try flood(cache)
        #expect(try isThere(cache, "Fork:f", "Fork:g") == [true, true])
    }

    @Test("What a pinned node does not name any more can go, unless somebody else holds it")
    func dropped() throws {
        let cache = try cache(20)
        try cache.retain("Fork:a")
        try cache.retain("Fork:z")
        try cache.write(Fork("a", Fork("b", Fork("c")), Fork("d")))
        try cache.write(ForkLink(id: "z", left: ForkStub(id: "c")))
        try cache.write(Fork("a", Fork("d")))
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c", "Fork:d") == [true, false, true, true])
        #expect(try cache.usage().pinnedEntries == 4)
    }

    @Test("Cycles are held, and are released as a whole")
    func cycles() throws {
        let cache = try cache(20)
        try cache.write(ForkLink(id: "a", left: ForkStub(id: "b")))
        try cache.write(ForkLink(id: "b", left: ForkStub(id: "c"), right: ForkStub(id: "a")))
        try cache.write(ForkLink(id: "c", left: ForkStub(id: "c"), right: ForkStub(id: "b")))
        try cache.retain("Fork:b")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c") == [true, true, true])
        try cache.release("Fork:b")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c") == [false, false, false])
    }

    @Test("Retaining is counted, and two pins share what they have in common")
    func counted() throws {
        let cache = try cache(20)
        try cache.write(Fork("a", Fork("shared")))
        try cache.write(Fork("b", Fork("shared")))
        try cache.retain("Fork:a")
        try cache.retain("Fork:a")
        try cache.retain("Fork:b")
        try cache.release("Fork:a")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:shared") == [true, true, true])
        try cache.release("Fork:a")
        try cache.release("Fork:a")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:shared") == [false, true, true])
        try cache.release("Fork:b")
        try flood(cache)
        #expect(try isThere(cache, "Fork:b", "Fork:shared") == [false, false])
    }

    @Test("Tombstones under a pin stay, and what a deleted node named does not")
    func deleted() throws {
        let cache = try cache(20)
        try cache.retain("Fork:a")
        try cache.write(Fork("a", Fork("b", Fork("c"))))
        try cache.delete("Fork:b")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c") == [true, true, false])
        #expect(try cache.model("Fork:a", as: Fork.self)?.left == nil)
        try cache.delete("Fork:a")
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c") == [true, false, false])
        try cache.write(Fork("a", Fork("d")))
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:d") == [true, true])
        // What is forgotten on purpose is forgotten, and held again when it comes back.
        try cache.evict("Fork:d")
        #expect(try isThere(cache, "Fork:d") == [false])
        try cache.write(Fork("d", Fork("e")))
        try flood(cache)
        #expect(try isThere(cache, "Fork:d", "Fork:e") == [true, true])
    }

    @Test("A cache key that is not the identifier is held with the model that was set under it")
    func alias() throws {
        let cache = try cache(20)
        try cache.retain("me")
        cache.setModel(Fork("a", Fork("b")), forKey: "me", context: nil)
        try flood(cache)
        #expect(try cache.storedRecord(.alias, "me") != nil)
        #expect(try isThere(cache, "Fork:a", "Fork:b") == [true, true])
        cache.setModel(Fork("c"), forKey: "me", context: nil)
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c") == [false, false, true])
    }

    @Test("The children that any projection names are held")
    func projections() throws {
        let cache = try cache(20)
        try cache.retain("Fork:a")
        try cache.write(Fork("a", Fork("b"), Fork("c")))
        try cache.write(ForkHalf(id: "a", left: ForkStub(id: "d")))
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c", "Fork:d") == [true, false, true, true])
    }

    @Test("What the policy has given up and a pin takes up in one write stays")
    func givenUp() throws {
        let cache = try MemoryCache(
            directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 4))
        for name in ["x", "y1", "y2", "y3"] { try cache.write(Fork(name)) }
        try cache.retain("Fork:a")
        try cache.write(contentsOf: [Fork("z1"), Fork("z2"), Fork("a", Fork("x"))])
        #expect(try isThere(cache, "Fork:a", "Fork:x") == [true, true])
        try checkPins(cache)
    }

    @Test("To retain more records than the budget has is refused; a write under a pin takes the place of the oldest")
    func tooMany() throws {
        let cache = try cache(5)
        try cache.write(Fork("a", Fork("b"), Fork("c")))
        try cache.retain("Fork:a")
        try cache.write(Fork("d", Fork("e")))
        try cache.retain("Fork:d")
        try cache.retain("Fork:f")
        try cache.write(Fork("f"))
        #expect(try isThere(cache, "Fork:f") == [true])
        #expect(try cache.usage().pinnedEntries <= 5 && !cache.usage().holdsAllPins)
        let large = try self.cache(5)
        try large.write(contentsOf: [Fork("a"), Fork("b"), Fork("c"), Fork("d"), Fork("e")])
        for name in ["a", "b", "c", "d", "e"] { try large.retain(ModelIdentifier("Fork:\(name)")) }
        #expect(try large.usage().pinnedEntries == 5)
        try large.write(Person(id: "1", name: "", age: 0))
        #expect(try large.storedRecord(.node, "Person:1") != nil)
    }

    @Test("To retain more bytes than pins may have is refused with `overBudget`; what was released makes room at once")
    func tooMuch() throws {
        let cache = try MemoryCache(
            directory: nil, options: MemoryOptions(), budget: CacheBudget(bytes: 100_000))
        let limit = try #require(try cache.usage().pinnedLimit)
        #expect(limit > 45_000 && limit < 55_000)
        let text = String(repeating: "n", count: 1_000)
        var refused: [Int] = []
        for number in 0..<70 {
            try cache.write(Person(id: "\(number)", name: text, age: 0))
            do throws(CacheError) {
                try cache.retain("Person:\(number)")
            } catch {
                #expect(error.code == .overBudget)
                refused.append(number)
            }
        }
        #expect(refused.count > 10 && refused.count < 30)
        let usage = try cache.usage()
        #expect(usage.pinnedBytes <= limit && usage.pinnedEntries == 70 - refused.count && usage.holdsAllPins)
        for number in 0..<40 { try cache.release("Person:\(number)") }
        for number in refused {
            try cache.write(Person(id: "\(number)", name: text, age: 0))
            try cache.retain("Person:\(number)")
        }
        try checkPins(cache)
    }

    @Test("A pin covers what fits of a list that grows: no write fails for it, and the oldest is held no longer")
    func growing() throws {
        let cache = try MemoryCache(
            directory: nil, options: MemoryOptions(), budget: CacheBudget(bytes: 200_000))
        let text = String(repeating: "n", count: 500)
        try cache.retain(collection: "list")
        try cache.writeCollection([] as [Person], as: "list")
        for page in 0..<40 {
            let people = (0..<10).map { Person(id: "\(page * 10 + $0)", name: text, age: 0) }
            try cache.append(people, toCollection: "list")
            let usage = try cache.usage()
            #expect(usage.pinnedBytes <= usage.pinnedLimit ?? 0)
            if page < 15 || page > 20 { #expect(usage.holdsAllPins == (page < 15), "page \(page)") }
        }
        // The newest parts are there.
        for number in 300..<400 { #expect(try isThere(cache, "Person:\(number)") == [true]) }
    }

    @Test("A handle's pins end with it, and those of another handle do not")
    func handles() throws {
        let place = try TemporaryDirectory()
        let options = SharedStore.Options(disk: try SharedStore.Disk())
        func open() throws -> NormalizedCache<SharedStore> {
            try NormalizedCache(directory: place.path, options: options, budget: CacheBudget(nodes: 20))
        }
        let (cache, other, last) = (try open(), try open(), try open())
        try cache.write(Fork("a", Fork("b")))
        try cache.retain("Fork:a")
        try other.retain("Fork:b")
        cache.close()
        try flood(last)
        #expect(try isThere(last, "Fork:a", "Fork:b") == [false, true])
        #expect(throws: CacheError.self) { try cache.retain("Fork:a") }
        other.close()
        try flood(last)
        #expect(try isThere(last, "Fork:b") == [false])
    }

    @Test("A wipe lets go of every pin")
    func wiped() throws {
        let cache = try cache(20)
        try cache.write(Fork("a"))
        try cache.retain("Fork:a")
        try cache.retain("Fork:b")
        try cache.wipe()
        try cache.write(contentsOf: [Fork("a"), Fork("b")])
        try flood(cache)
        #expect(try isThere(cache, "Fork:a", "Fork:b") == [false, false])
    }

    @Test("Without a budget pins are taken and keep nothing in memory")
    func unlimited() async throws {
        let cache = try MemoryCache()
        try await cache.retain("Fork:a")
        try await cache.retain(collection: "list")
        try await cache.retain("Fork:b")
        try await cache.release("Fork:a")
        try await cache.release("Fork:b")
        await #expect(throws: CacheError.self) { try await cache.retain("") }
        #expect(try await cache.size().entries <= 1)
        cache.close()
        await #expect(throws: CacheError.self) { try await cache.retain("Fork:a") }
    }

    @Test("A transaction that fails leaves pins and marks as they were")
    func failing() throws {
        let disk = try SharedStore.Disk()
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: disk), budget: CacheBudget(nodes: 20))
        try cache.write(Fork("a", Fork("b")))
        try cache.retain("Fork:a")
        disk.faults.withLock { $0.refusesWrites = true }
        #expect(throws: CacheError.self) { try cache.retain("Fork:c") }
        #expect(throws: CacheError.self) { try cache.release("Fork:a") }
        #expect(throws: CacheError.self) { try cache.write(Fork("a", Fork("d"))) }
        disk.faults.withLock { $0.refusesWrites = false }
        try cache.write(Fork("c"))
        for number in 0..<100 { try cache.write(Person(id: "\(number)", name: "", age: 0)) }
        #expect(try cache.storedRecord(.node, "Fork:a") != nil && cache.storedRecord(.node, "Fork:b") != nil)
        #expect(try cache.storedRecord(.node, "Fork:c") == nil && cache.storedRecord(.node, "Fork:d") == nil)
        try checkPins(cache)
    }

    @Test("Pins are taken and released from tasks, and a cancelled task takes none")
    func tasks() async throws {
        let cache = try cache(20)
        try await cache.write(Fork("a", Fork("b")))
        try await cache.retain("Fork:a")
        try await cache.retain(collection: "list")
        let refused = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            do throws(CacheError) { try await cache.retain("Fork:c") } catch { return error.code }
            return .closed
        }
        #expect(await refused.value == .cancelled)
        try await cache.write(Fork("c"))
        for number in 0..<100 { try await cache.write(Person(id: "\(number)", name: "", age: 0)) }
        #expect(try isThere(cache, "Fork:a", "Fork:b", "Fork:c") == [true, true, false])
        try await cache.release("Fork:a")
        try await cache.release(collection: "list")
        for number in 0..<100 { try await cache.write(Person(id: "\(number)", name: "", age: 1)) }
        #expect(try isThere(cache, "Fork:a", "Fork:b") == [false, false])
    }
}
