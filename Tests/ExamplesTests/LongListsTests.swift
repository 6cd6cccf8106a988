import Grove
import GroveMemory
import Testing

@MainActor
@Suite("Docs/Guides/LongLists.md")
struct LongListsTests {
    private struct Server: ChatServer {
        let all: [Message]

        func messages(before id: String?) async throws -> [Message] {
            all[..<(id.flatMap { id in all.firstIndex { $0.id == id } } ?? all.count)].suffix(50)
        }

        func messages(after id: String?) async throws -> [Message] {
            Array(all[(id.flatMap { id in all.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0)...].prefix(50))
        }
    }

    @Test("A chat shows its last messages, and the others as the user scrolls")
    func chat() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let ann = Person(id: "1", name: "Ann", isOnline: false)
        let all = (0..<400).map { Message(id: "\($0)", text: "text \($0)", sender: ann) }
        try cache.writeCollection(all[200..<300], as: "chat")
        let chat = ChatModel(manager, Server(all: all))
        await manager.flush()
        #expect(chat.window.rows.map(\.model) == Array(all[250..<300]))
        for _ in 0..<3 {
            let first = try #require(chat.window.rows.first)
            await chat.appeared(first)
        }
        #expect(chat.window.rows.map(\.model) == Array(all[100..<300]))
        chat.stopped(at: chat.window.rows[20])
        chat.show("290")
        await manager.flush()
        #expect(chat.window.rows.map(\.model) == Array(all[250..<300]))
        let last = try #require(chat.window.rows.last)
        await chat.appeared(last)
        #expect(chat.window.rows.map(\.model) == Array(all[250..<350]))
    }
}
