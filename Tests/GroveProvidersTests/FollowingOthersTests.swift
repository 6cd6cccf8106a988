import Grove
import GroveCache
import TestSupport
import Testing

/// What another process committed is shown here: what the matrix does not say of it.
@MainActor
@Suite("A manager follows other processes", .serialized)
struct FollowingOthersTests {
    @Test("What others write while the cache is suspended is shown after it", arguments: FollowedBackend.shared)
    func suspensions(backend: FollowedBackend) async throws {
        try await backend.open(withPeer: true) { scene, peer in
            let held = DataProvider<Person>(dataModelManager: scene.manager)
            for number in 0..<20 { held.setData(Person(id: "1", name: "\(number)")) }
            try await scene.settle()
            try scene.suspend()
            try await scene.change(.write, by: .otherProcess, peer)
            try scene.resume()
            try await scene.settle()
            #expect(held.data?.name == "Anna")
        }
    }

    /// What a test does with a model while the cache is suspended, before another process writes the model.
    enum Sleeper: CaseIterable {
        case nothing, cacheDeletes, managerDeletes, bothDelete, cacheEdits, managerEdits
    }

    @Test(
        "What others write while the cache is suspended stays beside older answers, refused edits and deletions",
        arguments: FollowedBackend.shared, Sleeper.allCases)
    func suspendedAnswers(backend: FollowedBackend, sleeper: Sleeper) async throws {
        for others in [0, 1, 20] {
            try await backend.open(withPeer: true) { scene, peer in
                let (cache, old) = (scene.anyCache, Person(id: "2", name: "old"))
                try scene.put(Message(id: "34", text: "hello", sender: old))
                let places = (0..<6).map { _ in cache.place() }
                try scene.suspend()
                if [.cacheDeletes, .bothDelete].contains(sleeper) { cache.deleteModel(old, forKey: nil, context: nil) }
                if [.managerDeletes, .bothDelete].contains(sleeper) { scene.manager.deleteModel(old) }
                let (held, mine) = (
                    DataProvider<Person>(dataModelManager: scene.manager), Person(id: "2", name: "mine")
                )
                if sleeper == .cacheEdits { cache.setModel(mine, forKey: "Person:2", context: nil) }
                if sleeper == .managerEdits { held.setData(mine) }
                // What is refused is tried again.
                await scene.manager.flush()
                for number in 0..<others { #expect(try peer?.ask("put", "3", "\(number)") == "done") }
                #expect(try peer?.ask("put", "2", "newer") == "done")
                try scene.resume()
                for place in places { try await cache.write(old, asOf: place) }
                // Flushes tell of what was refused.
                try? await scene.settle()
                try? await scene.settle()
                #expect(try scene.person("2")?.name == "newer")
                #expect(try scene.message("34")?.sender.name == "newer")
                if sleeper == .managerEdits { #expect(held.data?.name == "newer") }
                try await cache.write(old, asOf: cache.place())
                #expect(try scene.person("2") == old)
            }
        }
    }

    @Test(
        "A deletion that was refused is made, if others have not changed the model", arguments: FollowedBackend.shared)
    func suspendedDeletions(backend: FollowedBackend) async throws {
        for others in [0, 1, 20] {
            try await backend.open(withPeer: true) { scene, peer in
                let old = Person(id: "2", name: "old")
                try scene.put(Message(id: "34", text: "hello", sender: old))
                try scene.suspend()
                scene.anyCache.deleteModel(old, forKey: nil, context: nil)
                for number in 0..<others { #expect(try peer?.ask("put", "3", "\(number)") == "done") }
                try scene.resume()
                try? await scene.settle()
                #expect(try scene.miss("Person:2", as: Person.self)?.reason == .deleted)
                try scene.put([old])
                #expect(try scene.person("2") == old)
            }
        }
    }

    @Test(
        "A refused edit of what others had written before it is stored after the suspension",
        arguments: FollowedBackend.shared, [false, true])
    func suspendedEdits(backend: FollowedBackend, isSeen: Bool) async throws {
        for others in [1, 20] {
            try await backend.open(withPeer: true) { scene, peer in
                try scene.put([Person(id: "2", name: "old")])
                let held = DataProvider<Person>(dataModelManager: scene.manager)
                _ = try await held.fetchDataFromCache(withCacheKey: "Person:2") as Person?
                for number in 0..<others { #expect(try peer?.ask("put", "2", "\(number)") == "done") }
                if isSeen { try await scene.settle() }
                try scene.suspend()
                held.setData(Person(id: "2", name: "mine"))
                await scene.manager.flush()
                try scene.resume()
                // Flushes tell of what was refused.
                try? await scene.settle()
                try? await scene.settle()
                #expect(try scene.person("2")?.name == "mine")
                #expect(held.data?.name == "mine")
            }
        }
    }

    /// What a test does with the list of 1 and 2 while the cache is suspended, before another process appends 8.
    enum ListSleeper: CaseIterable {
        case listAppends, listIsSet, cacheSets
    }

    @Test(
        "What others append to a list while the cache is suspended stays beside refused edits",
        arguments: FollowedBackend.shared, ListSleeper.allCases)
    func suspendedLists(backend: FollowedBackend, sleeper: ListSleeper) async throws {
        for others in [0, 1, 20] {
            try await backend.open(withPeer: true) { scene, peer in
                try scene.begin()
                let (mine, list) = (
                    [Person(id: "9", name: "mine")], CollectionDataProvider<Person>(dataModelManager: scene.manager)
                )
                _ = try await list.fetchDataFromCache(withCacheKey: "people")
                try scene.suspend()
                switch sleeper {
                case .listAppends: list.append(mine)
                case .listIsSet: list.setData(mine, cacheKey: "people")
                case .cacheSets: scene.anyCache.setCollection(mine, forKey: "people", context: nil)
                }
                await scene.manager.flush()
                for number in 0..<others { #expect(try peer?.ask("put", "3", "\(number)") == "done") }
                #expect(try peer?.ask("append", "8", "theirs") == "done")
                try scene.resume()
                // Flushes tell of what was refused.
                try? await scene.settle()
                try? await scene.settle()
                let expected =
                    switch sleeper {
                    case .listAppends: ["1", "2", "9", "8"]
                    case .listIsSet: ["9", "8"]
                    case .cacheSets: ["1", "2", "8"]
                    }
                #expect(scene.people().map(\.id) == expected)
                #expect(list.data.map(\.id) == expected)
            }
        }
    }

    @Test("An edit of its own goes on from what others deleted and inserted", arguments: FollowedBackend.shared)
    func edits(backend: FollowedBackend) async throws {
        try await backend.open(withPeer: true) { scene, peer in
            try scene.begin()
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            for verb in [FollowedVerb.collectionEdit, .delete] {
                try await scene.change(verb, by: .otherProcess, peer)
                try await scene.settle()
            }
            list.append([Person(id: "1", name: "Anna")])
            try await scene.settle()
            #expect(list.data.map(\.name) == ["Cid", "Bob", "Anna"])
            #expect(scene.people() == list.data)
        }
    }

    @Test("An edit by another process reaches a list on screen as that edit", arguments: FollowedBackend.shared)
    func splices(backend: FollowedBackend) async throws {
        try await backend.open(history: 100, withPeer: true) { scene, peer in
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            list.setData((0..<300).map { Person(id: "\($0)") }, cacheKey: "people")
            try await scene.settle()
            let told = ToldChanges()
            list.delegate = told
            let rows = list.rows.map(\.id)
            // At either end: a list that is read again is told from the first difference to the last.
            #expect(try peer?.ask("first", "first") == "done")
            #expect(try peer?.ask("append", "last") == "done")
            try await scene.settle()
            #expect(
                told.changes == [.changes([.insert(index: 0)]), .changes([.insert(index: 301)])]
                    || told.changes == [.changes([.insert(index: 0), .insert(index: 301)])])
            #expect(list.rows.dropFirst().dropLast().map(\.id) == rows)
            #expect(list.data.map(\.id) == scene.people().map(\.id))
            // And beside an edit of its own that is not stored yet.
            told.changes = []
            list.insert([Person(id: "own")], at: 100)
            #expect(try peer?.ask("first", "second") == "done")
            try await scene.settle()
            #expect(told.changes == [.changes([.insert(index: 0)])])
            #expect(list.data.map(\.id) == scene.people().map(\.id))
            #expect(list[101].id == "own")
        }
    }

    @Test(
        "A read notices by itself, and so does a write; what did not change is not told",
        arguments: FollowedBackend.shared)
    func noticing(backend: FollowedBackend) async throws {
        try await backend.open(withPeer: true) { scene, peer in
            let held = DataProvider<Person>(dataModelManager: scene.manager)
            held.setData(Person(id: "1", name: "Ann"))
            try await scene.settle()
            try await scene.change(.write, by: .otherProcess, peer)
            #expect(try scene.person("1")?.name == "Anna")
            try await scene.settle(noticing: false)
            #expect(held.data?.name == "Anna")
            try await scene.change(.delete, by: .otherProcess, peer)
            try scene.put([Person(id: "2", name: "Bob")])
            try await scene.settle(noticing: false)
            #expect(held.data == nil)
            let quiet = scene.changes()
            try await scene.settle()
            try scene.put([Person(id: "2", name: "Bobby")])
            try await scene.settle()
            scene.close()
            var sets: [Bool] = []
            for await set in quiet { sets.append(set.changesEverything) }
            #expect(sets == [false])
        }
    }
}

/// What a list's delegate is told.
@MainActor
private final class ToldChanges: CollectionDataProviderDelegate {
    var changes: [CollectionChange] = []

    func collectionDataProviderHasUpdatedData<T>(
        _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
    ) {
        changes.append(collectionChanges)
    }
}
