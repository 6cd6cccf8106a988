import Foundation
import Grove
import GroveSQLite
import Observation
import Testing

@Suite("README")
struct ReadmeTests {
    @MainActor
    @Test("Its example runs and does what it says")
    func cache() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let message = try await example(directory: directory)
        #expect(message?.text == "Hello")
        #expect(message?.sender.isOnline == true)
    }

    @MainActor
    @Test("The title of each state of a screen is what the guide says")
    func screens() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        _ = try await example(directory: directory)
        let cache = try SQLiteCache(directory: directory)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let screen = MessageScreen(manager)
        #expect(screen.title == "…")
        struct NoNetwork: Error {}
        await screen.appear { throw NoNetwork() }
        #expect(screen.title == "Ann: Hello", "what the cache has is young enough")

        let told = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = screen.title
        } onChange: {
            told.continuation.yield()
        }
        try await cache.write(Person(id: "1", name: "Anna", isOnline: true))
        for await _ in told.stream { break }
        await manager.flush()
        #expect(screen.title == "Anna: Hello")

        try await manager.wipe()
        await screen.appear { nil }
        #expect(screen.title == "Not here: Message:34")
        await screen.appear { throw NoNetwork() }
        #expect(screen.title == "Try again: NoNetwork()")
        await screen.appear { Message(id: "34", text: "Back", sender: Person(id: "1", name: "Ann", isOnline: false)) }
        #expect(screen.title == "Ann: Back")
        await manager.flush()
        try await cache.flush()
        let stored: Message? = try await cache.read { view in try view.model("Message:34") }
        #expect(stored == screen.provider.data)
    }

    @MainActor
    @Test("The guide's example with a delegate runs and does what it says")
    func delegate() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        _ = try await example(directory: directory)
        let cache = try SQLiteCache(directory: directory)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let screen = MessageController(manager)
        while screen.shown == nil { await manager.flush() }
        #expect(screen.shown?.text == "Hello")
        let answer = Message(id: "34", text: "Hello again", sender: Person(id: "1", name: "Ann", isOnline: false))
        try await screen.refresh { answer }
        manager.updateModel(Person(id: "1", name: "Ann", isOnline: true))
        await manager.flush()
        #expect(screen.shown?.text == "Hello again")
        #expect(screen.shown?.sender.isOnline == true)
    }

    @MainActor
    @Test("The guide's cache of one's own, and its edit from any thread, run and do what they say")
    func ownCache() async throws {
        let cache = DictionaryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let message = Message(id: "34", text: "Hello", sender: Person(id: "1", name: "Ann", isOnline: false))
        CollectionDataProvider<Message>.setData([], cacheKey: "inbox", dataModelManager: manager)
        let asked = manager.place()
        await Task.detached { messageArrived(message, asOf: asked, manager) }.value
        let stored = await withCheckedContinuation { (answer: CheckedContinuation<[[Message]], Never>) in
            Task { @MainActor in
                // Behind the task that inserts.
                CollectionDataProvider<Message>.append([], cacheKey: "inbox", dataModelManager: manager) { _ in
                    let inbox = CollectionDataProvider<Message>(dataModelManager: manager)
                    inbox.fetchDataFromCache(withCacheKey: "inbox") { messages, _ in
                        answer.resume(returning: [messages ?? [], inbox.data])
                    }
                }
            }
        }
        #expect(stored == [[message], [message]])
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message)
        let other = DataModelManager(cacheDelegate: cache)
        let shown = try await DataProvider<Message>(dataModelManager: other).fetchDataFromCache(
            withCacheKey: "Message:34")
        #expect(shown == message)
        manager.deleteModel(message)
        await manager.flush()
        #expect(provider.data == nil)
    }

    @Test("The guide's example of a transaction and a view runs and does what it says")
    func transactions() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let cache = try SQLiteCache(directory: directory)
        try cache.write(Person(id: "7", name: "Gus", isOnline: true))
        let ann = Person(id: "1", name: "Ann", isOnline: true)
        let message = Message(id: "34", text: "Hello", sender: ann)
        let found = try together(cache, message)
        let list = (0..<130).map { Message(id: "\($0)", text: "", sender: ann) }
        try cache.writeCollection(list, as: "inbox")
        for number in 40..<110 { try cache.delete(Message.self, id: "\(number)") }
        var shown: [Message] = []
        try pages(cache) { shown += $0 }
        #expect(shown == list.filter { !(40..<110).contains(Int($0.id) ?? 0) })
        #expect(found.inbox == [message])
        #expect(found.online == [ann])
    }

    @Test(
        "The examples of the documents are the ones that are tested",
        arguments: [
            ("ReadmeExample.swift", "README.md"), ("GettingStartedExample.swift", "Docs/Guides/GettingStarted.md"),
            ("GettingStartedTests.swift", "Docs/Guides/GettingStarted.md"),
            ("StatesExample.swift", "Docs/Guides/Screens.md"),
            ("CacheExample.swift", "Docs/Guides/Cache.md"), ("ScreensExample.swift", "Docs/Guides/Screens.md"),
            ("WritingExample.swift", "Docs/Guides/Writing.md"), ("LongListsExample.swift", "Docs/Guides/LongLists.md"),
            ("ModellingExample.swift", "Docs/Guides/Modelling.md"),
            ("SigningOutExample.swift", "Docs/Guides/SigningOut.md"),
            ("SeveralProcessesExample.swift", "Docs/Guides/SeveralProcesses.md"),
            ("TestingExample.swift", "Docs/Guides/Tests.md"),
            ("ComingFromExample.swift", "Docs/Guides/ComingFromApollo.md"),
            ("ComingFromExample.swift", "Docs/Guides/ComingFromSwiftData.md"),
            ("ComingFromExample.swift", "Docs/Guides/ComingFromGRDB.md"),
            ("DelegateScreen.swift", "Docs/Guides/MovingFromRocketData.md"),
            ("OwnCache.swift", "Docs/Guides/MovingFromRocketData.md"),
        ])
    func examplesAreCurrent(file: String, document: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        let text = try String(contentsOf: folder.appendingPathComponent("../../\(document)"), encoding: .utf8)
        let examples = source.components(separatedBy: "// -----\n").dropFirst().dropLast()
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(text.contains("```swift\n" + example + "```"), "\(document) shows another code than \(file)")
        }
    }
}
