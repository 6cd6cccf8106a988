import GroveCache
import GroveMemory
import GroveModel
import Testing
import TestSupport

/// What the kit's rule DEL-11 does not say of undo.
@Suite("Undo of deletions")
struct RestoreTests {
    private let ann = Person(id: "1", name: "Ann", age: 1)
    private let bob = Person(id: "2", name: "Bob", age: 2)

    @Test("A restored model shows in lists again, and a queued write alone does not restore it")
    func queued() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.writeCollection([ann, bob], as: "people")
        try cache.delete("Person:1")
        try cache.restore(ann)
        #expect(try cache.collection("people", of: Person.self) == [ann, bob])
        try cache.delete("Person:1")
        try cache.whileWriterRests { () throws in
            cache.setModel(ann, forKey: "Person:1", context: nil)
            try expectEqual(cache.collection("people", of: Person.self), [bob])
        }
    }

    @Test("A deletion that was called after the restoration holds")
    func laterDeletion() throws {
        let cache = try MemoryCache()
        try cache.writeCollection([ann, bob], as: "people")
        try cache.delete("Person:1")
        try cache.restore(ann)
        try cache.delete("Person:1")
        #expect(try cache.collection("people", of: Person.self) == [bob])
        try cache.write(ann)
        #expect(try cache.collection("people", of: Person.self) == [bob])
    }

    @Test(
        "A restoration is told as one that may change anything, in a transaction too; one of what is there is a write")
    func changes() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), history: 100)
        try await cache.writeCollection([ann, bob], as: "people")
        let same = try await cache.restore(ann)
        #expect(same.isEmpty)
        try await cache.delete("Person:1")
        var told = cache.changes().makeAsyncIterator()
        var since = cache.changes(since: nil).makeAsyncIterator()
        let token = try #require(await since.next()?.token)
        let changes = try await cache.restore(ann)
        #expect(changes.changesEverything)
        #expect(changes.changedModelIds == ["Person:1"])
        #expect(await told.next()?.changesEverything == true)
        // Others learn it from the history.
        var others = cache.changes(since: token).makeAsyncIterator()
        #expect(await others.next()?.changesEverything == true)
        try await cache.delete("Person:1")
        #expect(await told.next()?.deletedModelIds == ["Person:1"])
        try await cache.write { tx in
            try tx.restore(ann)
            try expectEqual(tx.collection("people", of: Person.self), [ann, bob])
        }
        #expect(await told.next()?.changesEverything == true)
        #expect(try cache.collection("people", of: Person.self) == [ann, bob])
    }

    @Test("Of a record of several projections all of it is restored")
    func projections() throws {
        let cache = try MemoryCache()
        let stub = ForkStub(id: "child")
        try cache.write(ForkLink(id: "a", left: stub, right: stub))
        try cache.write(ForkHalf(id: "a", left: stub))
        try cache.write(stub)
        try cache.writeCollection([ForkLink(id: "a", left: stub, right: stub)], as: "forks")
        try cache.delete("Fork:a")
        try cache.restore(ForkHalf(id: "a", left: stub))
        try cache.restore(ForkLink(id: "a", left: stub, right: stub))
        #expect(try cache.collection("forks", of: ForkLink.self) == [ForkLink(id: "a", left: stub, right: stub)])
        #expect(try cache.collection("forks", of: ForkHalf.self) == [ForkHalf(id: "a", left: stub)])
    }

    @Test("A model without an identifier cannot be restored")
    func unidentified() throws {
        struct Nameless: CodableModel, Equatable {
            var modelIdentifier: ModelIdentifier? { nil }
        }
        let cache = try MemoryCache()
        let error = #expect(throws: CacheError.self) { try cache.restore(Nameless()) }
        #expect(error?.code == .unidentified)
    }
}
