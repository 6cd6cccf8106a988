// The code of Docs/Guides/Tests.md, between rules; a test holds the two together.
// -----
import Foundation
import Grove
import GroveTesting
import Testing

/// What each test has for itself: a cache in memory, a manager over it, and a clock that stands still.
@MainActor
struct TestApp {
    let cache: TestCache
    let manager: DataModelManager
    let clock: TestClock

    init() throws {
        let fixture = try CacheFixture()
        let clock = fixture.clock
        (cache, self.clock) = (fixture.cache, clock)
        manager = DataModelManager(cacheDelegate: cache, now: { clock.now })
    }
    /// Returns when everything that was called is stored and shown.
    func settle() async throws {
        for _ in 0..<3 {
            await manager.flush()
            try await cache.flush()
        }
    }
}
// -----
/// A server that answers what the test says; without an answer, there is no network.
struct ScriptedServer: MessageServer {
    struct NoNetwork: Error {}

    let answer: [Message]?

    func message(_ id: String) async throws -> Message? { try messages().first { $0.id == id } }
    func messages(after id: String?) async throws -> [Message] { try messages() }

    private func messages() throws -> [Message] {
        guard let answer else { throw NoNetwork() }
        return answer
    }
}
// -----
@MainActor
@Suite("The screen of a message")
struct MessageModelTests {
    private func message(_ text: String) -> Message {
        Message(id: "34", text: text, sender: Person(id: "1", name: "Ann", isOnline: false))
    }

    @Test("For a minute the network is not asked, and then it is")
    func age() async throws {
        let app = try TestApp()
        try await app.cache.write(message("old"), confirmed: true)
        let screen = MessageModel("34", app.manager, ScriptedServer(answer: [message("new")]))
        app.clock.advance(by: 10)
        await screen.appear()
        #expect(screen.message.data?.text == "old")
        app.clock.advance(by: 100)
        await screen.appear()
        #expect(screen.message.data?.text == "new")
    }

    @Test("Without a network, what is stored is shown, and the state says that the request failed")
    func offline() async throws {
        let app = try TestApp()
        try await app.cache.write(message("old"))
        let screen = MessageModel("34", app.manager, ScriptedServer(answer: nil))
        await screen.appear()
        #expect(screen.message.data?.text == "old")
        if case .failed = screen.message.state {} else { Issue.record("the state is \(screen.message.state)") }
    }

    @Test("A change by another part of the application shows")
    func change() async throws {
        let app = try TestApp()
        let screen = MessageModel("34", app.manager, ScriptedServer(answer: [message("new")]))
        await screen.appear()
        try await app.cache.write(Person(id: "1", name: "Anna", isOnline: true))
        try await app.settle()
        #expect(screen.message.data?.sender.name == "Anna")
    }

    @Test("If the sender was evicted, the message is a miss that names the sender")
    func evicted() async throws {
        let app = try TestApp()
        try await app.cache.write(message("old"))
        try await app.cache.evict("Person:1")
        try expectMiss(app.cache.read("Message:34", as: Message.self), .absent, "Person:1")
    }
}
// -----
