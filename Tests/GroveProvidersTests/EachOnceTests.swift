import Grove
import GroveCache
import TestSupport
import Testing

/// A list that holds each identifier once.
@MainActor
@Suite("Each identifier once")
struct EachOnceTests {
    typealias People = CollectionDataProvider<Person>

    private func expectList(
        _ list: People, _ ids: [String], _ scene: any FollowingScene, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(list.data.map(\.id) == ids, sourceLocation: location)
        try await scene.settle()
        #expect(list.data.map(\.id) == ids, sourceLocation: location)
        #expect(scene.people().map(\.id) == ids, sourceLocation: location)
    }

    @Test("What is put in and is there already is updated in place", arguments: FollowedBackend.allCases)
    func updates(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let list = People(dataModelManager: scene.manager, holdsEachOnce: true)
            list.setData(["1", "2", "1", "3", "2"].map { Person(id: $0) }, cacheKey: "people")
            try await expectList(list, ["1", "2", "3"], scene)
            let rows = list.rows.map(\.id)
            list.append([Person(id: "2", name: "Bob"), Person(id: "4"), Person(id: "4", name: "Dan")])
            try await expectList(list, ["1", "2", "3", "4"], scene)
            #expect(list.rows.prefix(3).map(\.id) == rows)
            #expect(list.data.map(\.name) == ["", "Bob", "", "Dan"])
            list.insert([Person(id: "4", name: "Dana"), Person(id: "5")], at: 0)
            list.insert([Person(id: "1", name: "Ann"), Person(id: "6")], at: .before("Person:3"))
            try await expectList(list, ["5", "1", "2", "6", "3", "4"], scene)
            #expect(try scene.person("4")?.name == "Dana")
            // Of another row than that at the index: where that is.
            #expect(list.update(Person(id: "5", name: "Eve"), at: 4))
            try await expectList(list, ["5", "1", "2", "6", "3", "4"], scene)
            #expect(list.data[0].name == "Eve")
            // A sibling and a static edit share the list.
            let sibling = People(dataModelManager: scene.manager)
            _ = try await sibling.fetchDataFromCache(withCacheKey: "people")
            sibling.append([Person(id: "6", name: "Fay")])
            try await People.append(
                [Person(id: "6"), Person(id: "7")], cacheKey: "people", dataModelManager: scene.manager)
            try await expectList(list, ["5", "1", "2", "6", "3", "4", "7"], scene)
            _ = try await list.load(withCacheKey: "people", reload: true) {
                ["8", "1", "8"].map { Person(id: $0, name: "new") }
            }
            try await expectList(list, ["8", "1"], scene)
        }
    }

    @Test("What two managers put in at once is there once", arguments: FollowedBackend.allCases)
    func managers(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let lists = [scene.manager, scene.other].map { People(dataModelManager: $0, holdsEachOnce: true) }
            lists[0].setData((0..<300).map { Person(id: "p\($0)") }, cacheKey: "people")
            try await scene.settle()
            _ = try await lists[1].fetchDataFromCache(withCacheKey: "people")
            for step in 0..<20 {
                lists[step % 2].append([Person(id: "\(step)", name: "first")])
                lists[(step + 1) % 2].insert([Person(id: "\(step)", name: "second")], at: 0)
                if step % 5 == 0 { try await scene.settle() }
            }
            try await scene.settle()
            let ids = scene.people().map(\.id)
            #expect(Set(ids).count == ids.count)
            #expect(ids.count == 320)
            for list in lists { #expect(list.data == scene.people()) }
        }
    }

    @Test("What is put in while the list is read is there once", arguments: FollowedBackend.allCases)
    func whileLoading(backend: FollowedBackend) async throws {
        typealias Edit = @MainActor (People) -> Void
        let new = [Person(id: "2", name: "new"), Person(id: "3")]
        let edits: [(isOnce: Bool, edit: Edit, then: [String])] = [
            (true, { $0.append(new) }, ["1", "2", "3"]),
            (true, { $0.insert(new, at: 0) }, ["3", "1", "2"]),
            (false, { $0.upsert(new) }, ["1", "2", "3"]),
            (false, { $0.upsert(new, at: .first) }, ["3", "1", "2"]),
            (
                true,
                {
                    $0.append(new)
                    $0.remove("Person:2")
                }, ["1", "3"]
            ),
        ]
        for (isOnce, edit, then) in edits {
            try await backend.open { scene, _ in
                try scene.begin()
                try await scene.settle()
                let list = People(dataModelManager: scene.manager, holdsEachOnce: isOnce)
                list.fetchDataFromCache(withCacheKey: "people") { _, _ in }
                edit(list)
                try await scene.settle()
                try await expectList(list, then, scene)
                #expect(try scene.person("2")?.name == "new")
                #expect(list.data.allSatisfy { $0.id != "2" || $0.name == "new" })
            }
        }
    }

    @Test("What a paused sibling does not show yet is not put in again")
    func paused() async throws {
        try await FollowedBackend.memory.open { scene, _ in
            try scene.begin()
            let lists = (0..<2).map { _ in People(dataModelManager: scene.manager, holdsEachOnce: true) }
            for list in lists { _ = try await list.fetchDataFromCache(withCacheKey: "people") }
            lists[0].isPaused = true
            lists[1].append([Person(id: "m")], shouldCache: false)
            lists[0].append([Person(id: "m", name: "new"), Person(id: "n")], shouldCache: false)
            lists[0].isPaused = false
            for list in lists { #expect(list.data.map(\.id) == ["1", "2", "m", "n"]) }
            #expect(lists[0].data[2].name == "new")
            lists[0].append([Person(id: "x")])
            try await expectList(lists[1], ["1", "2", "m", "n", "x"], scene)
        }
    }

    @Test("Without that a list has what is put in twice two times")
    func twice() async throws {
        try await FollowedBackend.memory.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            list.setData([Person(id: "1")], cacheKey: "people")
            list.append([Person(id: "1")])
            try await expectList(list, ["1", "1"], scene)
            // An upsert is of the call.
            list.upsert([Person(id: "1", name: "Ann"), Person(id: "2")])
            try await expectList(list, ["1", "1", "2"], scene)
        }
    }
}
