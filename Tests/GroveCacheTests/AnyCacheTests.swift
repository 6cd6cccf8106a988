import Dispatch
import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

/// A service that does not know its backend.
private struct Inbox: Sendable {
    let cache: any Cache

    func add(_ person: Person) throws {
        // In one transaction: another writer may make the list in between.
        try cache.write { tx in
            if try tx.knownCount(ofCollection: "inbox") == nil { try tx.writeCollection([Person](), as: "inbox") }
            try tx.append([person], toCollection: "inbox")
        }
    }

    func rename(_ id: String, _ name: String) async throws {
        try await cache.update(Person.self, id: id) { $0.name = name }
    }
}

@Suite("A cache whose backend is not known")
struct AnyCacheTests {
    private func person(_ number: Int) -> Person { Person(id: "\(number)", name: "n\(number)", age: number) }

    private func onEach(_ body: (any Cache) async throws -> Void) async throws {
        try await body(MemoryCache())
        try await body(SharedStore.Disk().open())
    }

    @Test("It reads, writes, transacts, tells, pins, flushes and closes")
    func everything() async throws {
        try await onEach { cache in
            let inbox = Inbox(cache: cache)
            for number in 0..<3 { try inbox.add(person(number)) }
            var told = cache.changes(of: Person.self, id: "1").makeAsyncIterator()
            try await inbox.rename("1", "Ann")
            #expect(await told.next() == .changed)
            #expect(try cache.collection("inbox", of: Person.self)?.map(\.name) == ["n0", "Ann", "n2"])
            let sum = try await cache.read { view in
                try view.collection("inbox", of: Person.self)?.reduce(0) { $0 + $1.age }
            }
            #expect(sum == 3)
            try await cache.write { tx in try tx.delete("Person:0") }
            try await cache.write(durability: .durable) { tx in try tx.write(Person(id: "9", name: "", age: 9)) }
            #expect(try await cache.read { view in try view.model(Person.self, id: "9")?.age } == 9)
            try await cache.retain("Person:1")
            try await cache.release("Person:1")
            try await cache.flush()
            try await cache.flush(.durable)
            #expect(try await cache.size().entries > 0)
            #expect(try await cache.delete(allOf: Person.self).deletedModelIds.contains("Person:9"))
            try await cache.wipe()
            #expect(try cache.model(Person.self, id: "1") == nil)
            cache.close()
            let error = #expect(throws: CacheError.self) { try cache.write(person(1)) }
            #expect(error?.code == .closed)
        }
    }

    @Test("A reference to a model that is not stored, or was deleted, is refused, and stores nothing")
    func references() async throws {
        try await onEach { cache in
            try await cache.writeCollection([person(0)], as: "list")
            try await cache.write(contentsOf: [person(1), person(2)])
            try await cache.delete(Person.self, id: "2")
            for (name, reason) in [("9", CacheMiss.Reason.absent), ("2", .deleted)] {
                let names: [ModelIdentifier] = ["Person:1", ModelIdentifier("Person:\(name)")]
                var error = await #expect(throws: CacheError.self) {
                    try await cache.insert(references: names, at: .first, inCollection: "list")
                }
                #expect(error?.code == .missing && error?.miss == CacheMiss(reason, names[1]))
                error = #expect(throws: CacheError.self) {
                    try cache.write { tx in
                        try tx.write(person(3))
                        try tx.insert(references: names, at: .first, inCollection: "list")
                    }
                }
                #expect(error?.code == .missing)
            }
            #expect(try cache.collection("list", of: Person.self) == [person(0)])
            #expect(try cache.model(Person.self, id: "3") == nil)
            try await cache.write { tx in
                try tx.write(person(3))
                try tx.insert(references: ["Person:3", "Person:1"], at: .first, inCollection: "list")
            }
            #expect(try cache.collection("list", of: Person.self) == [person(3), person(1), person(0)])
        }
    }

    @Test("Every call that writes has a form for tasks that does the same")
    func forms() async throws {
        try await onEach { cache in
            try await cache.writeCollection([person(0)], as: "list")
            try await cache.append([person(1), person(2)], toCollection: "list")
            try await cache.insert([person(3)], at: 0, inCollection: "list")
            try await cache.insert([person(4), person(5)], at: .before(Person.self, id: "0"), inCollection: "list")
            try await cache.remove(Person.self, id: "0", fromCollection: "list")
            try await cache.move(Person.self, id: "3", to: .last, inCollection: "list")
            #expect(try cache.collection("list", of: Person.self)?.map(\.age) == [4, 5, 1, 2, 3])
            let changes = try await cache.remove(["Person:4", "Person:5"], fromCollection: "list")
            #expect(changes.changedCollectionKeys == ["list"])
            #expect(try await cache.delete(Person.self, id: "1").deletedModelIds == ["Person:1"])
            try await cache.delete(Person.self, ids: ["2"])
            #expect(try cache.collection("list", of: Person.self)?.map(\.age) == [3])
            try await cache.restore(person(1))
            #expect(try cache.collection("list", of: Person.self)?.map(\.age) == [1, 3])
            #expect(try await cache.evict("Person:3").evictedModelIds == ["Person:3"])
            #expect(try cache.collection("list", of: Person.self) == nil)
            try await cache.removeCollection("list")
            #expect(try cache.knownCount(ofCollection: "list") == nil)
            try await cache.write(person(7), forKey: "me")
            #expect(try cache.model(forKey: "me", as: Person.self) == person(7))
            #expect(try await cache.delete(allOf: Person.self).deletedModelIds.contains("Person:7"))
            let error = await #expect(throws: CacheError.self) {
                try await cache.append([person(1)], toCollection: "none")
            }
            #expect(error?.code == .outOfRange)
        }
    }

    @Test("A form for tasks does not block the thread that calls it")
    func blocking() async throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try await cache.writeCollection([person(0)], as: "list")
        // The writer waits for what only this task can do.
        let gate = Gate()
        disk.faults.withLock { $0.beforeWrite = { gate.wait() } }
        async let edit = cache.append([person(1)], toCollection: "list")
        async let eviction = cache.evict("Person:9")
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        _ = try await (edit, eviction)
        #expect(try cache.count(ofCollection: "list") == 2)
    }

    // MARK: Identities

    private struct Letter: CodableModel, KeyedModel, Equatable {
        let id: Int
        var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
        static func modelIdentifier(for id: Int) -> ModelIdentifier { "letter/\(id)" }
    }

    @Test("A change set tells the identities of a type, those of others left out")
    func identities() async throws {
        let cache = try MemoryCache()
        try await cache.write(person(2))
        var told = cache.changes().makeAsyncIterator()
        try await cache.write { tx in
            try tx.write(contentsOf: [
                person(1), Person(id: "a:b", name: "", age: 0), Person(id: "", name: "", age: 0),
            ])
            try tx.write(contentsOf: [Letter(id: -7), Letter(id: 12)])
            try tx.delete(Person.self, id: "2")
        }
        let changes = try #require(await told.next())
        #expect(changes.ids(of: Person.self) == ["1", "a:b", "", "2"])
        #expect(changes.deletedModelIds.ids(of: Person.self) == ["2"])
        // Without a prefix that is declared.
        #expect(changes.ids(of: Letter.self) == [-7, 12])
        #expect(
            (["letter/07", "letter/", "etter/1", "Letter/1", "xletter/1"] as [ModelIdentifier]).ids(of: Letter.self)
                == [])
    }
}

/// Holds threads up until it is opened.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
