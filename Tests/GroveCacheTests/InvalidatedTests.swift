import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import Testing

/// If a write could not be kept, a read of its keys is a miss that says `invalidated`, not `absent`.
@Suite("Misses of what could not be kept")
struct InvalidatedTests {
    private let ann = Person(id: "1", name: "Ann", age: 30)
    private let older = Person(id: "1", name: "Ann", age: 31)

    private func people(_ range: Range<Int>) -> [Person] {
        range.map { Person(id: "\($0)", name: "number \($0)", age: $0) }
    }

    private func full() throws -> MemoryCache {
        try MemoryCache(directory: nil, options: MemoryOptions(), queueLimit: 0)
    }

    /// A cache whose store refuses writes, and still has what was written before.
    private func refusing(_ keys: [UInt8]...) throws -> NormalizedCache<SharedStore> {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write(ann)
        try cache.write(ann, forKey: "me")
        try cache.writeCollection(people(0..<3), as: "list")
        disk.faults.withLock { ($0.refusedKeys, $0.keptKeys) = (Set(keys), Set(keys)) }
        return cache
    }

    @Test("A model for which the queue had no room, until that is committed")
    func queuedModel() throws {
        let cache = try full()
        try cache.write(Message(id: "34", text: "hello", sender: ann))
        try cache.whileWriterRests { () throws in
            cache.setModel(older, forKey: "Person:1", context: nil)
            #expect(try cache.read("Person:1", as: Person.self) == .miss(CacheMiss(.invalidated, "Person:1")))
            #expect(
                try cache.read("Message:34", as: Message.self) == .miss(CacheMiss(.invalidated, "Person:1")),
                "the node of a tree is named")
            #expect(
                try cache.read("Person:1", as: Person.self, maxAge: 60) == .miss(CacheMiss(.invalidated, "Person:1")))
            // Of what was never there, nothing was invalidated.
            cache.setModel(Person(id: "2", name: "Ben", age: 1), forKey: "Person:2", context: nil)
            #expect(try cache.read("Person:2", as: Person.self) == .miss(CacheMiss(.absent, "Person:2")))
        }
        #expect(throws: CacheError.self) { try cache.flush() }
        #expect(try cache.read("Person:1", as: Person.self) == .miss(CacheMiss(.absent, "Person:1")))
        #expect(cache.statistics.misses[.invalidated] == 3)
    }

    @Test("A model and a key that the store could neither replace nor forget")
    func failedModel() throws {
        let cache = try refusing(SharedStore.Disk.key("Person:1"), [Namespace.alias] + Array("me".utf8))
        cache.setModel(older, forKey: "me", context: nil)
        #expect(throws: CacheError.self) { try cache.flush() }
        #expect(try cache.read("Person:1", as: Person.self) == .miss(CacheMiss(.invalidated, "Person:1")))
        #expect(try cache.read(forKey: "me", as: Person.self) == .miss(CacheMiss(.invalidated, "me")))
        let inTransaction = try cache.write { tx in try tx.read("Person:1", as: Person.self) }
        #expect(inTransaction == .miss(CacheMiss(.invalidated, "Person:1")))
    }

    @Test("A list for which the queue had no room, until that is committed")
    func queuedList() throws {
        let cache = try full()
        try cache.writeCollection(people(0..<3), as: "list")
        try cache.whileWriterRests { () throws in
            cache.setCollection(people(3..<5), forKey: "list", context: nil)
            #expect(try cache.readCollection("list", of: Person.self) == .miss(CacheMiss(.invalidated, "list")))
        }
        #expect(throws: CacheError.self) { try cache.flush() }
        #expect(try cache.readCollection("list", of: Person.self) == .miss(CacheMiss(.absent, "list")))
    }

    @Test("A list that the store could neither replace nor forget, as the committed list of one who follows too")
    func failedList() async throws {
        let cache = try refusing([Namespace.collection] + Array("list".utf8))
        setList(people(3..<5), in: cache)
        #expect(try cache.readCollection("list", of: Person.self) == .miss(CacheMiss(.invalidated, "list")))
        let followed = cache.followed(by: { _ in })
        let miss = await withCheckedContinuation { continuation in
            followed.readAgain {
                continuation.resume(returning: $0?.list("list", of: Person.self, missing: .miss)?.miss)
            }
        }
        #expect(miss == CacheMiss(.invalidated, "list"))
    }

    private func setList(_ list: [Person], in cache: NormalizedCache<SharedStore>) {
        cache.setCollection(list, forKey: "list", context: nil)
        #expect(throws: CacheError.self) { try cache.flush() }
    }

    @Test("A list of which a queued edit cannot be made")
    func misfit() throws {
        let cache = try MemoryCache()
        let followed = cache.followed { _ in }
        try cache.whileWriterRests { () throws in
            followed.queue(.insert([ann], .last))
            #expect(try cache.readCollection("list", of: Person.self) == .miss(CacheMiss(.invalidated, "list")))
            // A whole list makes it good.
            cache.setCollection([ann], forKey: "list", context: nil)
            #expect(try cache.readCollection("list", of: Person.self).value?.elements == [ann])
        }
        #expect(throws: CacheError.self) { try cache.flush() }
    }

    @Test("What was set while the cache was suspended, once it is back")
    func suspended() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write(ann)
        try cache.suspend()
        cache.setModel(older, forKey: "Person:1", context: nil)
        disk.faults.withLock { $0.keptKeys = [SharedStore.Disk.key("Person:1")] }
        try cache.resume()
        #expect(try cache.read("Person:1", as: Person.self) == .miss(CacheMiss(.invalidated, "Person:1")))
    }

    @Test("What a save has stored is no miss, if another attempt at the same save is refused")
    func refusedAttempt() throws {
        let cache = try MemoryCache()
        let followed = cache.followed(by: { _ in })
        let refused = Mutex<[StoredPlace]>([])
        func save(_ person: Person, asOf place: StoredPlace?) {
            followed.save(person, forKey: "Person:1", asOf: place) { outcome in
                if case .refused(_, let place) = outcome { refused.withLock { $0.append(place) } }
            }
        }
        try cache.suspend()
        save(ann, asOf: nil)
        let place = try #require(refused.withLock { $0.first })
        try cache.resume()
        save(ann, asOf: place)
        // A flush tells of the first attempt.
        try? cache.flush()
        #expect(refused.withLock { $0.count } == 1)
        try cache.suspend()
        save(ann, asOf: place)
        try cache.resume()
        try? cache.flush()
        #expect(refused.withLock { $0.count } == 2)
        #expect(try cache.read("Person:1", as: Person.self) == .hit(ann))
        // A later save that is refused is another matter.
        try cache.suspend()
        save(older, asOf: nil)
        try cache.resume()
        #expect(try cache.read("Person:1", as: Person.self).value == nil)
    }

    @Test("A list that was stored is no miss, if another attempt to store it is refused")
    func refusedListAttempt() throws {
        let cache = try MemoryCache()
        let followed = cache.followed(by: { _ in })
        let refused = Mutex<[StoredPlace]>([])
        func save(_ edit: ListEdit, asOf place: StoredPlace?) {
            followed.edit(edit, forKey: "list", ticket: .none, asOf: place, fillsOnly: false, madeAt: nil) { outcome in
                if case .refused(_, let place) = outcome { refused.withLock { $0.append(place) } }
            }
        }
        try cache.suspend()
        save(.set(people(3..<5)), asOf: nil)
        let place = try #require(refused.withLock { $0.first })
        try cache.resume()
        try cache.write(contentsOf: people(3..<5))
        save(.restore(people(3..<5)), asOf: place)
        // A flush tells of the first attempt.
        try? cache.flush()
        try cache.suspend()
        save(.restore(people(3..<5)), asOf: place)
        try cache.resume()
        try? cache.flush()
        #expect(refused.withLock { $0.count } == 2)
        #expect(try cache.collection("list", of: Person.self) == people(3..<5))
        // A later list that is refused is another matter.
        try cache.suspend()
        save(.set(people(0..<1)), asOf: nil)
        try cache.resume()
        #expect(try cache.collection("list", of: Person.self) == nil)
    }
}
