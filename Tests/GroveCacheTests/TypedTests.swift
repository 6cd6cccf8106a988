import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

extension Person: KeyedModel {
    static func modelIdentifier(for id: String) -> ModelIdentifier { "Person:\(id)" }
    static var identifierPrefix: String? { "Person:" }
}

/// A type whose identifiers do not begin alike.
private struct Tag: CodableModel, Equatable {
    let name: String
    var modelIdentifier: ModelIdentifier? { ModelIdentifier(name) }
}

@Suite("Calls by type")
struct TypedTests {
    private func person(_ number: Int) -> Person { Person(id: "\(number)", name: "n\(number)", age: number) }

    @Test("A model is read, deleted and followed by its type and its own identity")
    func typedIdentity() throws {
        let cache = try MemoryCache()
        try cache.write(contentsOf: (0..<5).map(person))
        #expect(try cache.model(Person.self, id: "3") == person(3))
        #expect(try cache.models(Person.self, ids: ["4", "9", "0"]) == [person(4), person(0)])
        try cache.delete(Person.self, id: "3")
        try cache.delete(Person.self, ids: ["0", "1"])
        #expect(try cache.models(Person.self, ids: (0..<5).map(String.init)) == [person(2), person(4)])
        try cache.read { view in try expectEqual(view.model(Person.self, id: "2"), person(2)) }
    }

    @Test("The nodes of a type are listed and streamed in the order of their identifiers, those of others left out")
    func streamed() throws {
        let cache = try MemoryCache()
        try cache.write(contentsOf: [12, 1, 5, 7].map(person))
        try cache.write(Message(id: "1", text: "Hello", sender: person(3), readers: [person(20)]))
        try cache.write(contentsOf: ["z", "Person", "Person:", "a"].map(Tag.init))
        try cache.delete("Person:5")
        let identifiers = try cache.identifiers(of: Person.self)
        #expect(identifiers == ["Person:1", "Person:12", "Person:20", "Person:3", "Person:7"])
        #expect(try cache.count(of: Person.self) == 5)
        #expect(try cache.identifiers(of: Tag.self) == ["Person", "Person:", "a", "z"])
        let ages = try cache.read { view in try view.models(Person.self).map(\.age) }
        #expect(ages == [1, 12, 20, 3, 7])
        let first = try cache.read { view in try view.models(Person.self).first { $0.age > 10 } }
        #expect(first == person(12))
    }

    @Test("What is queued is listed, and what a queued call deletes is not")
    func queued() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write(contentsOf: [1, 2, 3].map(person))
        try cache.whileWriterRests { () throws in
            cache.setModel(person(10), forKey: "Person:10", context: nil)
            cache.setModel(person(2), forKey: "Person:2", context: nil)
            cache.deleteModel(person(3), forKey: nil, context: nil)
            try expectEqual(cache.identifiers(of: Person.self), ["Person:1", "Person:10", "Person:2"])
            try expectEqual(cache.read { view in try view.models(Person.self).map(\.age) }, [1, 10, 2])
        }
    }

    @Test("A page of a type is those after an identifier, the queued ones included, and the last goes on from there")
    func pages() async throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try await cache.write(contentsOf: (0..<40).map(person))
        try await cache.write(Message(id: "1", text: "Hello", sender: person(3), readers: []))
        try await cache.delete(Person.self, ids: ["11", "12", "13"])
        let all = try cache.identifiers(of: Person.self)
        func expectPages(_ all: [ModelIdentifier]) throws {
            for limit in [1, 2, 7, 36, 37, 100] {
                var (found, read): ([ModelIdentifier], [ModelIdentifier]) = ([], [])
                while true {
                    let page = try cache.identifiers(of: Person.self, after: found.last, limit: limit)
                    let models = try cache.read { view in
                        try view.models(Person.self, after: read.last, limit: limit).compactMap(\.modelIdentifier)
                    }
                    #expect(page.count <= limit && models == page)
                    (found, read) = (found + page, read + models)
                    if page.count < limit { break }
                }
                #expect(found == all, "limit \(limit)")
            }
        }
        try expectPages(all)
        #expect(try cache.identifiers(of: Person.self, after: "Person:115", limit: 2) == ["Person:14", "Person:15"])
        #expect(try cache.identifiers(of: Person.self, after: "A").count == all.count)
        #expect(try cache.identifiers(of: Person.self, after: "Z").isEmpty)
        #expect(try cache.identifiers(of: Person.self, limit: 0).isEmpty)
        try cache.whileWriterRests { () throws in
            cache.setModel(person(100), forKey: "Person:100", context: nil)
            cache.setModel(person(999), forKey: "Person:999", context: nil)
            cache.deleteModel(person(2), forKey: nil, context: nil)
            let queued = all.filter { $0 != "Person:2" } + ["Person:100", "Person:999"]
            try expectPages(queued.sorted { $0.rawValue < $1.rawValue })
        }
    }

    @Test("Models that are left out do not count for a page")
    func pagesOfMissing() throws {
        let cache = try MemoryCache()
        for number in 10..<30 {
            try cache.write(Message(id: "\(number)", text: "", sender: person(number), readers: []))
        }
        try cache.delete(Person.self, ids: (10..<28).filter { $0 != 14 }.map(String.init))
        let page = try cache.read { view in try view.models(Message.self, limit: 2).map(\.id) }
        #expect(page == ["14", "28"])
        let rest = try cache.read { view in try view.models(Message.self, after: "Message:28", limit: 2).map(\.id) }
        #expect(rest == ["29"])
    }

    @Test("A transaction streams its own writes, and deletes all of a type")
    func deleteAll() throws {
        let cache = try MemoryCache()
        try cache.write(contentsOf: [1, 2].map(person))
        try cache.write(Tag(name: "kept"))
        try cache.write { tx in
            try tx.write(person(3))
            try expectEqual(tx.models(Person.self).map(\.age), [1, 2, 3])
            try tx.delete(allOf: Person.self)
            try tx.write(person(4))
        }
        #expect(try cache.identifiers(of: Person.self) == ["Person:4"])
        #expect(try cache.delete(allOf: Person.self).deletedModelIds == ["Person:4"])
        #expect(try cache.count(of: Person.self) == 0)
        #expect(try cache.model("kept", as: Tag.self) != nil)
    }

    @Test("A stream that outlives its view is empty, whatever is read then")
    func outliving() throws {
        let cache = try MemoryCache()
        try cache.write(contentsOf: [1, 2].map(person))
        let stale = try cache.read { view in try view.models(Person.self) }
        try cache.read { view in
            expectEqual(stale.map(\.age), [])
            expectEqual(try view.models(Person.self).map(\.age), [1, 2])
        }
    }

    @Test("A transaction whose stream ended with an error commits nothing")
    func failingInTransaction() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write(contentsOf: [1, 2].map(person))
        #expect(throws: CacheError.self) {
            try cache.write { tx in
                try tx.write(Tag(name: "1"))
                for model in try tx.models(Person.self) {
                    #expect(model.age == 1)
                    disk.faults.withLock { $0.refusedLooks = 1 }
                }
            }
        }
        #expect(try cache.model("1", as: Tag.self) == nil)
    }

    @Test("A stream leaves out a model whose tree is not whole, and ends with the error of a store that fails")
    func failing() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write(contentsOf: (1...3).map { Message(id: "\($0)", text: "text", sender: person($0)) })
        try cache.evict("Person:2")
        #expect(try cache.read { view in try view.models(Message.self).map(\.id) } == ["1", "3"])
        #expect(throws: CacheError.self) {
            try cache.read { view in
                for message in try view.models(Message.self) {
                    #expect(message.id == "1")
                    disk.faults.withLock { $0.refusedLooks = 1 }
                }
            }
        }
        #expect(try cache.read { view in try view.models(Message.self) }.map(\.id).isEmpty)
    }
}
