import GroveCache
import GroveMemory
import GroveModel
import Testing

@Suite("The normalized cache")
struct NormalizedCacheTests {
    let cache: MemoryCache
    let ann = Person(id: "1", name: "Ann", age: 30)
    let ben = Person(id: "2", name: "Ben", age: 40)

    init() throws { cache = try MemoryCache() }

    @Test("A tree reads back equal")
    func roundTrip() throws {
        let message = Message(id: "34", text: "Hello, wörld", sender: ann, editor: ben, readers: [ben, ann, ben])
        let changes = try cache.write(message)
        #expect(changes.changedModelIds == ["Message:34", "Person:1", "Person:2"])
        #expect(try cache.model("Message:34", as: Message.self) == message)
        #expect(try cache.write(message).isEmpty)
    }

    @Test("A child that is written alone shows through its parents")
    func sharedChild() throws {
        try cache.write(Message(id: "34", text: "Hello", sender: ann))
        let older = Person(id: "1", name: "Ann", age: 31)
        #expect(try cache.write(older).changedModelIds == ["Person:1"])
        #expect(try cache.model("Message:34", as: Message.self)?.sender == older)
    }

    @Test("What is missing is a miss that names it")
    func misses() throws {
        #expect(try cache.read("Person:9", as: Person.self) == .miss(CacheMiss(.absent, "Person:9")))
        try cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        try cache.evict("Person:2")
        #expect(try cache.read("Message:34", as: Message.self) == .miss(CacheMiss(.absent, "Person:2")))
    }

    @Test("A deleted child is nil, dropped, or takes its holder with it")
    func deletion() throws {
        try cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben, readers: [ben, ann]))
        #expect(try cache.delete("Person:2").deletedModelIds == ["Person:2"])
        #expect(
            try cache.model("Message:34", as: Message.self)
                == Message(id: "34", text: "Hello", sender: ann, editor: nil, readers: [ann]))
        try cache.delete("Person:1")
        #expect(try cache.read("Message:34", as: Message.self) == .miss(CacheMiss(.deleted, "Person:1")))
    }

    @Test("A holder from before a deletion reads the child as deleted even once it is written again")
    func undeletion() throws {
        let message = Message(id: "34", text: "Hello", sender: ann, editor: ben)
        try cache.write(message)
        try cache.delete("Person:2")
        try cache.write(ben)
        #expect(try cache.model("Person:2", as: Person.self) == ben)
        #expect(try cache.model("Message:34", as: Message.self)?.editor == nil)
        try cache.write(message)
        #expect(try cache.model("Message:34", as: Message.self) == message)
    }

    @Test("A tombstone that was evicted degrades to a miss")
    func evictedTombstone() throws {
        try cache.write(Message(id: "34", text: "Hello", sender: ann, editor: ben))
        try cache.delete("Person:2")
        try cache.evict("Person:2")
        #expect(try cache.read("Message:34", as: Message.self).miss?.identifier == "Person:2")
        try cache.write(ben)
        #expect(try cache.read("Message:34", as: Message.self).miss?.identifier == "Person:2")
    }

    @Test("A cycle ends in a typed error")
    func cycle() throws {
        try cache.write(ForkLink(id: "a", left: ForkStub(id: "b")))
        try cache.write(ForkLink(id: "b", right: ForkStub(id: "a")))
        let error = #expect(throws: CacheError.self) { try cache.read("Fork:a", as: Fork.self) }
        #expect(error?.code == .cycle)
    }

    @Test("A diamond of 2^40 paths reads in linear time")
    func diamond() throws {
        for level in 0..<40 {
            let next = ForkStub(id: "\(level + 1)")
            try cache.write(ForkLink(id: "\(level)", left: next, right: next))
        }
        try cache.write(Fork("40"))
        var node = try cache.model("Fork:0", as: Fork.self)
        for level in 0..<40 {
            #expect(node?.id == "\(level)")
            node = level % 2 == 0 ? node?.left : node?.right
        }
        #expect(node?.id == "40")
    }

    @Test("Writing a smaller projection keeps the fields of the larger")
    func projections() throws {
        try cache.write(ForkLink(id: "a", left: ForkStub(id: "b")))
        try cache.write(ForkStub(id: "a"))
        #expect(try cache.model("Fork:a", as: ForkLink.self)?.left == ForkStub(id: "b"))
        #expect(try cache.read("Fork:b", as: ForkLink.self) == .miss(CacheMiss(.incomplete, "Fork:b")))
    }

    @Test("The delegate's reads see the writes that are still queued")
    func readYourWrites() async throws {
        for round in 0..<200 {
            let person = Person(id: "1", name: "Ann \(round)", age: round)
            cache.setModel(person, forKey: "Person:1", context: nil)
            let read: Person? = await withCheckedContinuation { continuation in
                cache.modelForKey("Person:1", context: nil) { (person: Person?, _) in
                    continuation.resume(returning: person)
                }
            }
            #expect(read == person)
        }
        try await cache.flush()
    }

    @Test("A collection keeps order and duplicates, and an empty one is not an absent one")
    func collections() throws {
        #expect(try cache.collection("people", of: Person.self) == nil)
        try cache.writeCollection([Person](), as: "people")
        #expect(try cache.collection("people", of: Person.self) == [])
        try cache.writeCollection([ann, ben, ann], as: "people")
        #expect(try cache.collection("people", of: Person.self) == [ann, ben, ann])
        try cache.evict("Person:2")
        #expect(try cache.readCollection("people", of: Person.self) == .miss(CacheMiss(.absent, "Person:2")))
        let read = try cache.readCollection("people", of: Person.self, missing: .skip).value
        #expect(read == CollectionRead(elements: [ann, ann], skipped: [CacheMiss(.absent, "Person:2")]))
    }

    @Test("What the queue has no room for is a miss, and flush says so")
    func fullQueue() throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), queueLimit: 0)
        try cache.write(ann)
        cache.setModel(Person(id: "1", name: "Ann", age: 31), forKey: "Person:1", context: nil)
        // `invalidated`, or `absent` once that is committed.
        #expect(try cache.read("Person:1", as: Person.self).value == nil)
        let error = #expect(throws: CacheError.self) { try cache.flush() }
        #expect(error?.code == .queueFull)
        try cache.flush()
        #expect(try cache.read("Person:1", as: Person.self) == .miss(CacheMiss(.absent, "Person:1")))
        try cache.write(ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }

    @Test("After a wipe nothing is left, and after a close everything is refused")
    func wipeAndClose() throws {
        try cache.write(ann)
        try cache.wipe()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        try cache.write(ann)
        cache.close()
        let error = #expect(throws: CacheError.self) { try cache.model("Person:1", as: Person.self) }
        #expect(error?.code == .closed)
        cache.close()
    }

    @Test("A thousand levels work, and one more is refused")
    func depth() throws {
        var chain = Fork("0")
        for level in 1..<1_000 { chain = Fork("\(level)", chain) }
        try cache.write(chain)
        #expect(try cache.model("Fork:999", as: Fork.self) != nil)
        let error = #expect(throws: CacheError.self) { try cache.write(Fork("1000", chain)) }
        #expect(error?.code == .tooDeep)
    }
}
