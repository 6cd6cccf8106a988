import Grove
import GroveCache
import GroveMemory
import Testing

/// Places of a manager that are given to its cache, and of a cache that are given to a manager.
@MainActor
@Suite("Places of a manager and of its cache")
struct ManagerPlaceTests {
    let cache: MemoryCache
    let manager: DataModelManager
    let provider: DataProvider<Message>
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        cache = try MemoryCache()
        manager = DataModelManager(cacheDelegate: cache)
        provider = DataProvider(dataModelManager: manager)
    }

    private func rest() async throws {
        for _ in 0..<4 {
            await manager.flush()
            try await cache.flush()
        }
    }

    /// Expects that an edit of the message stays, and that the answer's sender is taken, on screen and in the cache.
    private func expectEdited(_ location: SourceLocation = #_sourceLocation) async throws {
        try await rest()
        let expected = Message(id: "34", text: "edited", sender: Person(id: "1", name: "answer"))
        #expect(provider.data == expected, sourceLocation: location)
        #expect(try cache.model("Message:34", as: Message.self) == expected, sourceLocation: location)
    }

    private final class Texts: DataProviderDelegate {
        var seen: [String] = []
        func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
            if let message = dataProvider.data as? Message { seen.append(message.text) }
        }
    }

    private let answer = Message(id: "34", text: "answer", sender: Person(id: "1", name: "answer"))

    @Test("An answer that a cache stores as of its manager's place does not undo what a screen did since")
    func managersPlace() async throws {
        provider.setData(Message(id: "34", text: "old", sender: ann))
        let asked = manager.place()
        provider.setData(Message(id: "34", text: "edited", sender: ann))
        try await cache.write(answer, asOf: asked)
        try await expectEdited()
        #expect(try cache.model("Person:1", as: Person.self, maxAge: 100_000) != nil, "An answer confirms.")
    }

    @Test("After a wipe by either, a write as of the manager's place throws", arguments: [false, true])
    func managersPlaceAndWipe(byCache: Bool) async throws {
        let asked = manager.place()
        if byCache { try await cache.wipe() } else { try await manager.wipe() }
        let error = await #expect(throws: CacheError.self) { try await cache.write(answer, asOf: asked) }
        #expect(error?.code == .cancelled)
        try await cache.write(answer, asOf: manager.place())
        try await rest()
        #expect(try cache.model("Message:34", as: Message.self) == answer)
    }

    @Test("An answer that a manager is given as of its cache's place does not undo what a screen did since")
    func cachesPlace() async throws {
        provider.setData(Message(id: "34", text: "old", sender: ann))
        try await rest()
        let asked = cache.place()
        provider.setData(Message(id: "34", text: "edited", sender: ann))
        let screen = Texts()
        provider.delegate = screen
        try manager.updateModel(answer, asOf: asked)
        try await expectEdited()
        #expect(screen.seen == ["edited"], "It is not shown for a moment either.")
    }

    @Test("After a wipe by either, a manager's update as of a place of its cache throws", arguments: [false, true])
    func cachesPlaceAndWipe(byCache: Bool) async throws {
        let asked = cache.place()
        if byCache { try await cache.wipe() } else { try await manager.wipe() }
        let error = #expect(throws: CacheError.self) { try manager.updateModel(answer, asOf: asked) }
        #expect(error?.code == .cancelled)
        // One that is taken afterwards is as good as any.
        try manager.updateModel(answer, asOf: cache.place())
        try await rest()
        #expect(try cache.model("Message:34", as: Message.self) == answer)
    }
}
