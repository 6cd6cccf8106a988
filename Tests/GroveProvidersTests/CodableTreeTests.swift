import Grove
import GroveCache
import GroveMemory
import Testing

/// What Docs/Guides/Cacheable.md says of trees without the macro.
@MainActor
@Suite("Codable trees")
struct CodableTreeTests {
    struct Sender: SimpleModel, Codable, Equatable {
        var id: String
        var name: String
        var modelIdentifier: ModelIdentifier? { "Sender:\(id)" }
    }

    /// A tree of which memory knows no children.
    struct Plain: SimpleModel, Codable, Equatable {
        var id: String
        var text: String
        var sender: Sender
        var modelIdentifier: ModelIdentifier? { "Plain:\(id)" }
    }

    struct Correspondent: CodableModel, Model, Equatable {
        var id: String
        var name: String
        var modelIdentifier: ModelIdentifier? { "Correspondent:\(id)" }
        func forEach(_ visit: (any Model) -> Void) {}
        func map(_ transform: (any Model) -> (any Model)?) -> Correspondent? { self }
    }

    /// The same, and a `Model`: the guide's.
    struct Letter: CodableModel, Model, Equatable {
        let id: Int
        let text: String
        let sender: Correspondent

        var modelIdentifier: ModelIdentifier? { "Letter:\(id)" }
        func forEach(_ visit: (any Model) -> Void) { visit(sender) }
        func map(_ transform: (any Model) -> (any Model)?) -> Letter? {
            (transform(sender) as? Correspondent).map { Letter(id: id, text: text, sender: $0) }
        }
    }

    let scene: Scene<MemoryStore>
    let ann = Sender(id: "1", name: "Ann")

    init() throws { scene = Scene(try MemoryCache()) }

    @Test("A tree that is a Model follows its children, by typed calls and by other screens")
    func model() async throws {
        let letter = DataProvider<Letter>(dataModelManager: scene.manager)
        letter.setData(Letter(id: 34, text: "Hello", sender: Correspondent(id: "1", name: "Ann")))
        try await scene.settle()
        try await scene.cache.write(Correspondent(id: "1", name: "by a typed call"))
        try await scene.settle()
        #expect(letter.data?.sender.name == "by a typed call")
        let sender = DataProvider<Correspondent>(dataModelManager: scene.manager)
        sender.setData(Correspondent(id: "1", name: "by a screen"))
        try await scene.settle()
        #expect(letter.data?.sender.name == "by a screen")
        #expect(try await scene.cache.read { view in try view.model("Letter:34", as: Letter.self) } == letter.data)
    }

    @Test("One that is none is one value on screen, and nodes in the cache")
    func plain() async throws {
        let (screen, sender) = (
            DataProvider<Plain>(dataModelManager: scene.manager), DataProvider<Sender>(dataModelManager: scene.manager)
        )
        screen.setData(Plain(id: "34", text: "Hello", sender: ann))
        try await scene.settle()
        sender.setData(Sender(id: "1", name: "Anna"))
        try await scene.settle()
        #expect(screen.data?.sender == ann, "its children are not known")
        let again = try await DataProvider<Plain>(dataModelManager: scene.manager)
            .fetchDataFromCache(withCacheKey: "Plain:34")
        #expect(again?.sender == ann, "what is held counts")
        // A manager of which no provider holds it.
        let fetched = DataProvider<Plain>(dataModelManager: scene.other)
        _ = try await fetched.fetchDataFromCache(withCacheKey: "Plain:34")
        #expect(fetched.data?.sender.name == "Anna", "the cache has the newest of each node")
        // A write of the root reaches who holds it, and brings the newest of each node.
        fetched.setData(Plain(id: "34", text: "Bye", sender: Sender(id: "1", name: "Anna")))
        try await scene.settle()
        #expect(screen.data == Plain(id: "34", text: "Bye", sender: Sender(id: "1", name: "Anna")))
        // Setting it again writes its children as it has them.
        screen.setData(Plain(id: "34", text: "Bye", sender: ann))
        try await scene.settle()
        #expect(sender.data == Sender(id: "1", name: "Anna"))
        fetched.setData(nil)
        _ = try await fetched.fetchDataFromCache(withCacheKey: "Plain:34")
        #expect(fetched.data?.sender == ann)
    }
}
