import Dispatch
import GroveCache
import GroveCoding
import GroveInspect
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Edits of collections")
struct CollectionTests {
    private func people(_ range: Range<Int>) -> [Person] {
        range.map { Person(id: "\($0)", name: "number \($0)", age: $0) }
    }

    @Test("Elements are inserted, appended, replaced, removed and moved where the list is short and where it is long")
    func verbs() throws {
        for size in [3, 1_000] {
            let cache = try MemoryCache()
            var list = people(0..<size)
            try cache.writeCollection(list, as: "list")
            let changes = try cache.insert(people(5_000..<5_002), at: 1, inCollection: "list")
            list.insert(contentsOf: people(5_000..<5_002), at: 1)
            #expect(changes.changedModelIds == ["Person:5000", "Person:5001"])
            #expect(changes.changedCollectionKeys == ["list"])
            try cache.insert(people(6_000..<6_001), at: list.count, inCollection: "list")
            try cache.append(people(7_000..<7_003), toCollection: "list")
            list += people(6_000..<6_001) + people(7_000..<7_003)
            try cache.replaceElements(in: 1..<2, ofCollection: "list", with: people(8_000..<8_003))
            list.replaceSubrange(1..<2, with: people(8_000..<8_003))
            try cache.moveElement(from: 0, to: list.count - 1, inCollection: "list")
            list.append(list.removeFirst())
            #expect(try cache.removeElements(in: 2..<4, ofCollection: "list").changedCollectionKeys == ["list"])
            list.removeSubrange(2..<4)
            #expect(try cache.collection("list", of: Person.self) == list)
            #expect(try cache.count(ofCollection: "list") == list.count)
            #expect(try cache.readCollection("list", of: Person.self, in: 2..<5).value?.elements == Array(list[2..<5]))
            #expect(
                try cache.readCollection("list", of: Person.self, in: 3..<90_000).value?.elements == Array(list[3...]))
            #expect(try cache.readCollection("list", of: Person.self, in: 90_000..<90_001).value?.elements == [])
        }
    }

    @Test("A deletion that removes from collections takes the element out of short and long lists, for good")
    func removedFromCollections() throws {
        let cache = try MemoryCache()
        let all = people(0..<400)
        try cache.writeCollection(all, as: "long")
        try cache.writeCollection([all[7], all[3], all[7]], as: "short")
        try cache.writeCollection([all[1]], as: "other")
        let identifier = try #require(all[7].modelIdentifier)
        let changes = try cache.delete(identifier, removingFrom: .collections)
        #expect(changes.changedCollectionKeys == ["long", "short"])
        #expect(changes.deletedModelIds == [identifier])
        try cache.write(all[7])
        #expect(try cache.collection("short", of: Person.self) == [all[3]])
        #expect(try cache.count(ofCollection: "long") == 399)
        #expect(try cache.readCollection("long", of: Person.self, in: 6..<8).value?.elements == [all[6], all[8]])
        try cache.write { tx in try tx.delete(ModelIdentifier("Person:3"), removingFrom: .collections) }
        #expect(try cache.collection("short", of: Person.self) == [])
    }

    /// Only `Codable`, and without an identifier.
    struct Jotting: CodableModel, Equatable {
        var text: String
        var modelIdentifier: ModelIdentifier? { nil }
    }

    @Test("Models that are only Codable, and tasks, edit as others do")
    func forms() async throws {
        let cache = try MemoryCache()
        try await cache.writeCollection([Jotting(text: "a")], as: "notes")
        try await cache.append([Jotting(text: "b")], toCollection: "notes")
        try await cache.insert([Jotting(text: "c")], at: 0, inCollection: "notes")
        try cache.replaceElements(in: 1..<2, ofCollection: "notes", with: [Jotting(text: "d")])
        try cache.moveElement(from: 0, to: 2, inCollection: "notes")
        try cache.removeElements(in: 0..<1, ofCollection: "notes")
        let read = try await cache.read { try $0.collection("notes", of: Jotting.self) }
        #expect(read?.map(\.text) == ["b", "c"])
        let typed: () throws -> Void = { try cache.append([Jotting(text: "e")], toCollection: "notes") }
        try typed()
        #expect(try cache.readCollection("notes", of: Jotting.self, in: 2..<3).value?.elements.map(\.text) == ["e"])
    }

    @Test("An edit of what is not there, or of a position that is not, stores nothing")
    func refused() throws {
        let cache = try MemoryCache()
        func isRefused(_ edit: () throws -> ChangeSet) -> Bool {
            do { _ = try edit() } catch { return (error as? CacheError)?.code == .outOfRange }
            return false
        }
        let others = people(9_000..<9_001)
        #expect(isRefused { try cache.append(others, toCollection: "list") })
        for size in [0, 3, 300] {
            try cache.writeCollection(people(0..<size), as: "list")
            #expect(isRefused { try cache.insert(others, at: size + 1, inCollection: "list") })
            #expect(isRefused { try cache.insert(others, at: -1, inCollection: "list") })
            #expect(isRefused { try cache.insert(others, at: .max, inCollection: "list") })
            #expect(isRefused { try cache.removeElements(in: 0..<size + 1, ofCollection: "list") })
            #expect(isRefused { try cache.moveElement(from: size, to: 0, inCollection: "list") })
            #expect(isRefused { try cache.moveElement(from: 0, to: size, inCollection: "list") })
            #expect(try cache.collection("list", of: Person.self) == people(0..<size))
        }
        #expect(try cache.storedRecord(.node, "Person:9000") == nil)
    }

    @Test("An edit that changes nothing is in no change set")
    func idle() throws {
        let cache = try MemoryCache()
        for size in [3, 300] {
            try cache.writeCollection(people(0..<size), as: "list")
            #expect(try cache.append([Person](), toCollection: "list").isEmpty)
            #expect(try cache.removeElements(in: 1..<1, ofCollection: "list").isEmpty)
            #expect(try cache.moveElement(from: 1, to: 1, inCollection: "list").isEmpty)
            #expect(try cache.writeCollection(people(0..<size), as: "list").isEmpty)
        }
    }

    @Test("A deleted element is not revived by an edit beside it, and is by being put there again")
    func deletions() throws {
        for size in [5, 300] {
            let cache = try MemoryCache()
            try cache.writeCollection(people(0..<size), as: "list")
            try cache.delete("Person:2")
            try cache.insert(people(0..<1), at: 2, inCollection: "list")
            // The node comes back, and what named it before does not.
            try cache.write(people(2..<3)[0])
            var list = people(0..<2) + people(0..<1) + people(3..<size)
            #expect(try cache.collection("list", of: Person.self) == list)
            #expect(try cache.count(ofCollection: "list") == size + 1)
            try cache.moveElement(from: 3, to: 0, inCollection: "list")
            #expect(try cache.collection("list", of: Person.self) == list)
            try cache.replaceElements(in: 0..<1, ofCollection: "list", with: people(2..<3))
            list.insert(people(2..<3)[0], at: 0)
            #expect(try cache.collection("list", of: Person.self) == list)
        }
    }

    @Test("The same list again shows what was deleted, and is told of")
    func sameAgain() throws {
        for size in [5, 300] {
            let cache = try MemoryCache()
            try cache.writeCollection(people(0..<size), as: "list")
            try cache.delete("Person:2")
            #expect(try cache.collection("list", of: Person.self)?.count == size - 1)
            #expect(try cache.writeCollection(people(0..<size), as: "list").changedCollectionKeys == ["list"])
            #expect(try cache.collection("list", of: Person.self) == people(0..<size))
        }
    }

    @Test("Random edits are those of an array", arguments: 1...3 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var model = ListModel()
        let disk = try SharedStore.Disk()
        var caches = [try disk.open(), try disk.open()]
        try caches[0].writeCollection([Person](), as: "list")
        for step in 0..<400 {
            // Two handles that do not know of each other, as those of two processes.
            let cache = caches[Int.random(in: 0..<2, using: &generator)]
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                let person = "\(Int.random(in: 0..<600, using: &generator))"
                try cache.delete(ModelIdentifier("Person:\(person)"))
                model.delete(person)
            case 1:
                let people = step % 3 == 0 ? model.entries.compactMap { model.people[$0.person] } : model.page()
                try cache.writeCollection(people, as: "list")
                model.replace(0..<model.entries.count, with: people)
            case 2:
                caches = [try disk.open(), try disk.open()]
            default:
                try model.edit(step / 60 % 2 == 0, using: &generator).make(in: cache)
            }
            let page = model.range(100, using: &generator)
            try #require(
                try cache.readCollection("list", of: Person.self, in: page).value?.elements == model.page(page),
                "seed \(seed), \(step)")
            try #require(try cache.count(ofCollection: "list") == model.entries.count, "seed \(seed), \(step)")
            guard step % 10 == 0 else { continue }
            try #require(try cache.collection("list", of: Person.self) == model.page(), "seed \(seed), \(step)")
            let head = try cache.head("list")
            try #require(try cache.chunkKeys() == Set(head?.chunkKeys ?? []), "seed \(seed), \(step)")
            try #require(head?.chunks.allSatisfy { 1...128 ~= $0.count } ?? true, "seed \(seed), \(step)")
        }
        try caches[0].removeCollection("list")
        #expect(try caches[0].chunkKeys() == [])
        #expect(try caches[0].count(ofCollection: "list") == nil)
    }

    @Test("Queued edits show before they are committed, and are the same afterwards", arguments: [1, 2] as [UInt64])
    func queued(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var model = ListModel()
        let cache = try SharedStore.Disk().open()
        let followed = cache.followed { _ in }
        try cache.writeCollection([Person](), as: "list")
        for round in 0..<20 {
            try cache.whileWriterRests {
                for _ in 0..<Int.random(in: 1..<6, using: &generator) {
                    followed.queue(model.shownEdit(round % 10 < 5, using: &generator))
                    if Bool.random(using: &generator), let person = model.page().last {
                        cache.deleteModel(person, forKey: nil, context: nil)
                        model.delete(person.id)
                    }
                }
                try #require(try cache.collection("list", of: Person.self) == model.page(), "seed \(seed), \(round)")
                let page = model.range(50, using: &generator)
                try #require(
                    try cache.readCollection("list", of: Person.self, in: page).value?.elements == model.page(page))
                try #require(try cache.count(ofCollection: "list") == model.entries.count)
            }
            try cache.flush()
            try #require(try cache.collection("list", of: Person.self) == model.page(), "seed \(seed), \(round)")
        }
    }

    @Test("A queued edit of a list that is not there makes it a miss, before it is committed and after")
    func queuedMisfit() throws {
        let cache = try MemoryCache()
        let followed = cache.followed { _ in }
        cache.whileWriterRests {
            followed.queue(.insert(people(0..<2), .last))
            #expect(throws: Never.self) { try #expect(cache.collection("list", of: Person.self) == nil) }
        }
        let error = #expect(throws: CacheError.self) { try cache.flush() }
        #expect(error?.code == .outOfRange)
        #expect(try cache.collection("list", of: Person.self) == nil)
        #expect(try cache.chunkKeys() == [])
    }

    @Test("An answer that is queued when a read begins, and committed before the list is read, shows")
    func committedMeanwhile() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.writeCollection(people(0..<3), as: "list")
        let followed = cache.followed { _ in }
        let (begun, committed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        disk.faults.withLock { $0.beforeWrite = { begun.wait() } }
        followed.edit(
            .set(people(0..<1)), forKey: "list", ticket: .none, asOf: followed.place(), fillsOnly: false, madeAt: nil
        ) { _ in committed.signal() }
        let read = try cache.read { view in
            begun.signal()
            #expect(committed.wait(timeout: .now() + 20) == .success)
            return try view.collection("list", of: Person.self)
        }
        #expect(read == people(0..<1))
        disk.faults.withLock { $0.beforeWrite = nil }
        #expect(try cache.collection("list", of: Person.self) == people(0..<1))
    }

    @Test("An edit does not make good what an earlier call could not store")
    func afterFailure() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.writeCollection(people(0..<3), as: "list")
        let key = [Namespace.collection] + Array("list".utf8)
        disk.faults.withLock {
            $0.refusedKeys = [key]
            $0.keptKeys = [key]
        }
        cache.setCollection(people(3..<5), forKey: "list", context: nil)
        #expect(throws: CacheError.self) { try cache.flush() }
        // The old list can neither be replaced nor forgotten; then it can be written to again, and not be removed.
        disk.faults.withLock { $0.refusedKeys = [] }
        _ = try? cache.append(people(7..<8), toCollection: "list")
        #expect(try cache.collection("list", of: Person.self) == nil)
        disk.faults.withLock { $0.keptKeys = [] }
        try cache.flush()
        #expect(try cache.collection("list", of: Person.self) == nil)
    }
}
