import Grove
import GroveCache
import GroveMemory
import TestSupport
import Testing

/// An index, or a row, that was taken before an `await`, while which others have put something in front.
@MainActor
@Suite("An index from before an await")
struct StaleIndexTests {
    typealias People = CollectionDataProvider<Person>
    typealias Edit = @MainActor (People, _ index: Int, _ row: CollectionRow<Person>.ID) async throws -> Void

    /// Edits of the person 2, and what the list, which was 1, 2, 3, is with the socket's row in front.
    private static let edits: [(name: String, edit: Edit, then: [String])] = [
        (
            "update at its index",
            { list, index, _ in #expect(list.update(Person(id: "2", name: "new"), at: index)) },
            ["socket", "1", "2 new", "3"]
        ),
        (
            "update by another model",
            { list, index, _ in #expect(!list.update(Person(id: "9", name: "new"), at: index)) },
            ["socket", "1", "2", "3"]
        ),
        (
            "update of its row",
            { list, _, row in #expect(list.update(Person(id: "2", name: "new"), row: row)) },
            ["socket", "1", "2 new", "3"]
        ),
        (
            "static update",
            { list, index, _ in
                try await People.update(
                    Person(id: "2", name: "new"), at: { _ in index }, cacheKey: "people",
                    dataModelManager: list.dataModelManager)
            }, ["socket", "1", "2 new", "3"]
        ),
        (
            "static update without a completion",
            { list, index, _ in
                People.update(
                    Person(id: "2", name: "new"), at: { _ in index }, cacheKey: "people",
                    dataModelManager: list.dataModelManager, completion: nil)
            }, ["socket", "1", "2 new", "3"]
        ),
        (
            "static update by another model",
            { list, index, _ in
                let error = await #expect(throws: CacheError.self) {
                    try await People.update(
                        Person(id: "9", name: "new"), at: { _ in index }, cacheKey: "people",
                        dataModelManager: list.dataModelManager)
                }
                #expect(error?.code == .other)
            }, ["socket", "1", "2", "3"]
        ),
        ("removal of its row", { list, _, row in #expect(list.remove(row: row)) }, ["socket", "1", "3"]),
        (
            "insertion before its row", { list, _, row in list.insert([Person(id: "n")], before: row) },
            ["socket", "1", "n", "2", "3"]
        ),
        (
            "move of its row", { list, _, row in #expect(list.move(row: row, before: nil)) },
            ["socket", "1", "3", "2"]
        ),
        (
            "move before its row", { list, _, row in #expect(list.move(row: list.rows[3].id, before: row)) },
            ["socket", "1", "3", "2"]
        ),
    ]

    private func described(_ people: some Sequence<Person>) -> [String] {
        people.map { $0.name.isEmpty ? $0.id : "\($0.id) \($0.name)" }
    }

    @Test("No edit of a provider is of another's element then", arguments: FollowedBackend.allCases)
    func providers(backend: FollowedBackend) async throws {
        for isEachOnce in [false, true] {
            for (name, edit, then) in Self.edits {
                try await backend.open { scene, _ in
                    let list = People(dataModelManager: scene.manager, holdsEachOnce: isEachOnce)
                    list.setData(["1", "2", "3"].map { Person(id: $0) }, cacheKey: "people")
                    try await scene.settle()
                    let (index, row) = (1, list.rows[1].id)
                    try scene.insert([Person(id: "socket")], at: 0)
                    try await scene.settle()
                    try await edit(list, index, row)
                    #expect(described(list.data) == then, "\(name)")
                    try await scene.settle()
                    #expect(described(list.data) == then && described(scene.people()) == then, "\(name)")
                }
            }
        }
    }

    @Test("Nor is one of a row that is gone")
    func goneRows() async throws {
        try await FollowedBackend.memory.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            list.setData(["1", "2", "3"].map { Person(id: $0) }, cacheKey: "people")
            let row = list.rows[1].id
            list.remove(row: row)
            #expect(!list.update(Person(id: "2", name: "new"), row: row))
            #expect(!list.move(row: row, before: nil) && !list.remove(row: row))
            list.insert([Person(id: "n")], before: row)
            #expect(described(list.data) == ["1", "3", "n"])
            // A row of another list.
            let other = People(dataModelManager: scene.manager)
            other.setData([Person(id: "1")], cacheKey: "others")
            #expect(!list.remove(row: other.rows[0].id))
        }
    }

    @Test("An element without an identifier is replaced where the index says")
    func unidentified() throws {
        let list = CollectionDataProvider<Note>(dataModelManager: DataModelManager(cacheDelegate: try MemoryCache()))
        list.setData([Note(text: "a"), Note(text: "b")], cacheKey: nil)
        #expect(list.update(Note(text: "c"), at: 1))
        #expect(list.data.map(\.text) == ["a", "c"])
    }

    @Test("The identities of models find what their identifiers do")
    func identities() throws {
        let list = CollectionDataProvider<Keyed>(dataModelManager: DataModelManager(cacheDelegate: try MemoryCache()))
        list.setData((1...3).map { Keyed(id: $0) }, cacheKey: nil)
        #expect(list.index(ofID: 2) == 1 && list.contains(id: 3) && !list.contains(id: 4))
        #expect(list.move(id: 3, to: .before(Keyed.self, id: 1)) && list.move(id: 1, to: .after(Keyed.self, id: 2)))
        #expect(list.data.map(\.id) == [3, 2, 1])
        #expect(list.remove(id: 3) && !list.remove(id: 3))
        #expect(list.data.map(\.id) == [2, 1])
    }

    private struct Note: SimpleModel, Equatable {
        var text: String
        var modelIdentifier: ModelIdentifier? { nil }
    }

    private struct Keyed: KeyedModel, Equatable {
        var id: Int
        var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
        static func modelIdentifier(for id: Int) -> ModelIdentifier { "Keyed:\(id)" }
    }
}
