import Dispatch
import Foundation
import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Updates")
struct UpdateTests {
    private struct Stop: Error {}

    private let ann = Person(id: "1", name: "Ann", age: 1)

    @Test("A model is read, changed and written in one commit, by its type or its identifier, and in a transaction")
    func update() async throws {
        let cache = try MemoryCache()
        try await cache.write(Message(id: "1", text: "Hello", sender: ann))
        let changes = try await cache.update(Person.self, id: "1") { $0.age = 2 }
        #expect(changes.changedModelIds == ["Person:1"])
        try await cache.update("Message:1", as: Message.self) { $0.text += "!" }
        try await cache.write { tx in
            try tx.update(Person.self, id: "1") { $0.age += 1 }
            try tx.update("Message:1", as: Message.self) { $0.text += "?" }
        }
        try await cache.update(Person.self, id: "1") { $0.age *= 10 }
        try await cache.update("Person:1", as: Person.self, durability: .durable) { $0.name = "Anna" }
        let anna = Person(id: "1", name: "Anna", age: 30)
        #expect(try cache.model("Message:1", as: Message.self) == Message(id: "1", text: "Hello!?", sender: anna))
    }

    @Test("What is missing is an error that says why and what, or nothing if that is asked for")
    func missing() async throws {
        let cache = try MemoryCache()
        try await cache.write(Message(id: "1", text: "Hello", sender: ann))
        func miss(_ body: () throws -> Void) -> CacheMiss? {
            let error = #expect(throws: CacheError.self) { try body() }
            #expect(error?.code == .missing)
            #expect(error?.identifier == error?.miss?.identifier)
            return error?.miss
        }
        #expect(miss { try cache.update(Person.self, id: "9") { $0.age = 2 } } == CacheMiss(.absent, "Person:9"))
        try await cache.evict("Person:1")
        // A node that the model needs.
        #expect(
            miss { try cache.update("Message:1", as: Message.self) { $0.text = "" } } == CacheMiss(.absent, "Person:1"))
        try await cache.delete("Person:2")
        #expect(miss { try cache.update(Person.self, id: "2") { $0.age = 2 } } == CacheMiss(.deleted, "Person:2"))
        for identifier in ["Person:9", "Person:2"] as [ModelIdentifier] {
            let changes = try await cache.update(identifier, as: Person.self, ifMissing: .ignore) { $0.age = 2 }
            #expect(changes.isEmpty)
        }
        let error = await #expect(throws: CacheError.self) { try await cache.update(Person.self, id: "9") { _ in } }
        #expect(error?.miss == CacheMiss(.absent, "Person:9"))
        // A transaction goes on.
        try await cache.write { tx in
            #expect(throws: CacheError.self) { try tx.update(Person.self, id: "9") { $0.age = 2 } }
            try tx.write(ann)
        }
        #expect(try cache.model(Person.self, id: "1") == ann)
    }

    @Test("An update that throws, or says the same, writes nothing and tells nobody")
    func nothing() async throws {
        let cache = try MemoryCache()
        try await cache.write(
            Message(id: "1", text: "Hello", sender: ann, editor: Person(id: "2", name: "Bob", age: 2)))
        // The stored message still names its editor.
        try await cache.delete("Person:2")
        let before = cache.statistics.recordsPut
        var told = cache.changes().makeAsyncIterator()
        #expect(throws: Stop.self) {
            try cache.update(Person.self, id: "1") {
                $0.age = 2
                throw Stop()
            }
        }
        #expect(try await cache.update(Person.self, id: "1") { $0.age = 1 }.isEmpty)
        #expect(try await cache.update("Message:1", as: Message.self) { $0.text = "Hello" }.isEmpty)
        #expect(cache.statistics.recordsPut == before)
        try await cache.write(Person(id: "3", name: "", age: 3))
        #expect(await told.next()?.changedModelIds == ["Person:3"])
    }

    @Test("A field that a model's own equality ignores is written")
    func ownEquality() throws {
        let cache = try MemoryCache()
        try cache.write(Fork("a"))
        try cache.update("Fork:a", as: Fork.self) { $0 = Fork("a", Fork("b")) }
        #expect(try cache.model("Fork:a", as: Fork.self)?.left?.id == "b")
    }

    @Test("An update makes nothing young")
    func ages() throws {
        let time = Mutex(1_000.0)
        let cache = try MemoryCache(
            directory: nil, options: MemoryOptions(), now: { Date(timeIntervalSince1970: time.withLock { $0 }) })
        try cache.write(ann, confirmed: true)
        time.withLock { $0 = 2_000 }
        try cache.update(Person.self, id: "1") { $0.age = 2 }
        #expect(try cache.model(Person.self, id: "1", maxAge: 500) == nil)
    }

    @Test("Of updates of many threads and tasks none is lost, whatever is queued meanwhile")
    func concurrent() async throws {
        let cache = try MemoryCache()
        try await cache.write(Person(id: "1", name: "", age: 0))
        await withTaskGroup { group in
            for caller in 0..<4 {
                group.addTask {
                    for round in 0..<100 {
                        cache.setModel(
                            Person(id: "other", name: "\(caller)", age: round), forKey: "Person:other", context: nil)
                        await #expect(throws: Never.self) {
                            try await cache.update(Person.self, id: "1") { $0.age += 1 }
                        }
                    }
                }
            }
        }
        #expect(try cache.model(Person.self, id: "1")?.age == 400)
    }
}
