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
