import Grove
import GroveMemory
import TestSupport
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
        // A chat that was never loaded.
        try await manager.wipe()
        let other = ChatModel(manager, Server(all: all))
        await other.appear()
        #expect(other.window.rows.map(\.model) == Array(all[350..<400]))
        // Yesterday's messages, and a gap that is filled.
        try cache.writeCollection(all[0..<100], as: "chat")
        let older = ChatModel(manager, Server(all: all))
        // If the answer came first, the window would begin with it.
        await manager.flush()
        await older.appearKeepingOlder()
        #expect(older.window.rows.map(\.model) == Array(all[50..<100] + all[350..<400]))
        await older.appeared(try #require(older.gap(above: 50)))
        #expect(older.window.rows.map(\.model) == Array(all[300..<400]))
        await older.appeared(try #require(older.window.rows.first))
        #expect(older.window.rows.map(\.model) == Array(all[50..<100] + all[300..<400]))
        await older.tapped(try #require(older.gap(above: 50)))
        #expect(older.window.gaps.isEmpty)
        #expect(try cache.collection("chat", of: Message.self) == all)
    }

    @Test("Contacts are shown by name in sections, as they go online, and found by a text")
    func contacts() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let people = ["Bob", "Ann", "Abe"].map { Person(id: $0, name: $0, isOnline: $0 != "Abe") }
        try await cache.writeCollection(people, as: "contacts")
        let contacts = ContactsModel(manager)
        await waitUntil { !contacts.online.rows.isEmpty }
        #expect(contacts.online.sections.map(\.id) == ["A", "B"])
        manager.updateModel(Person(id: "Abe", name: "Abe", isOnline: true))
        await manager.flush()
        #expect(contacts.online.rows.map(\.model.id) == ["Abe", "Ann", "Bob"])
        #expect(contacts.online.sections.map(\.rows.count) == [2, 1])
        #expect(contacts.found("b").rows.map(\.model.name) == ["Abe", "Bob"])
    }

    @Test("All messages are read a page at a time")
    func messagesByType() throws {
        let cache = try MemoryCache()
        let ann = Person(id: "1", name: "Ann", isOnline: false)
        let all = (100..<220).map { Message(id: "\($0)", text: "", sender: ann) }
        for message in all { try cache.write(message) }
        var found: [Message] = []
        for count in [50, 50, 20, 0] {
            let page = try messages(cache, after: found.last)
            #expect(page.count == count)
            found += page
        }
        #expect(found == all)
    }
}
