import Foundation
import Grove
import GroveSQLite
import Testing

@Suite("README")
struct ReadmeTests {
    @Test("Its first example runs and does what it says")
    func cache() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let message = try example(directory: directory)
        #expect(message?.text == "Hello")
        #expect(message?.sender.isOnline == true)
    }

    @MainActor
    @Test("Its second example runs and does what it says")
    func screens() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        _ = try example(directory: directory)
        let cache = try SQLiteCache(directory: directory)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let screen = MessageScreen(manager)
        await manager.flush()
        #expect(screen.shown?.text == "Hello")

        screen.networkAnswered(
            Message(id: "34", text: "Hello again", sender: Person(id: "1", name: "Ann", isOnline: false)))
        manager.updateModel(Person(id: "1", name: "Ann", isOnline: true))
        await manager.flush()
        #expect(screen.shown?.text == "Hello again")
        #expect(screen.shown?.sender.isOnline == true)

        try await cache.flush()
        let stored: Message? = try cache.model("Message:34")
        #expect(stored == screen.shown)
    }

    @Test("Its example of a transaction and a view runs and does what it says")
    func transactions() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let cache = try SQLiteCache(directory: directory)
        try cache.write(Person(id: "7", name: "Gus", isOnline: true))
        let ann = Person(id: "1", name: "Ann", isOnline: true)
        let message = Message(id: "34", text: "Hello", sender: ann)
        let found = try together(cache, message)
        #expect(found.inbox == [message])
        #expect(found.online == [ann])
    }

    @Test(
        "Its examples are the ones that are tested",
        arguments: ["ReadmeExample.swift", "ReadmeScreens.swift", "ReadmeTransactions.swift"])
    func examplesAreCurrent(file: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        let readme = try String(contentsOf: folder.appendingPathComponent("../../README.md"), encoding: .utf8)
        let example = try #require(source.components(separatedBy: "// -----\n").dropFirst().first)
        let isCurrent = readme.contains("```swift\n" + example + "```")
        #expect(isCurrent, "README.md shows another code than \(file)")
    }
}
