import Foundation
import Grove
import GroveLMDB
import GroveOutbox
import Synchronization
import Testing

/// A chat over a server and a socket that the test holds.
@MainActor
@Suite("The chat, an example", .timeLimit(.minutes(2)))
struct ChatTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    private let server = FakeChatServer()

    /// Waits until `isTrue`; the test's time limit ends it.
    private func until(_ isTrue: () -> Bool) async { while !isTrue() { await Task.yield() } }

    @Test(
        "Sent offline, killed, started again, connected and refused: each shows what is confirmed and what is pending")
    func story() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }

        // Online: channels and a timeline.
        // A killed process is waited for as long as this.
        var options = OutboxOptions()
        options.leaseLength = 0.5
        var chat = try Chat(in: directory, server, options: options)
        try await chat.load()
        #expect(chat.channels.data.map(\.name) == ["general"])
        var timeline = chat.timeline(of: 1)
        try await timeline.load()
        #expect(timeline.messages.shown.map(\.text) == ["welcome"])

        // Offline: a message and two likes, one of the message itself, show in the turn of the tap.
        server.set(online: false)
        timeline.like("1")
        #expect(timeline.messages.shown[0].likes == 1 && timeline.messages.shown[0].isLiked)
        try await timeline.send("hello", local: "draft", by: "Ann")
        timeline.like("draft")
        #expect(timeline.messages.shown.map(\.text) == ["welcome", "hello"])
        #expect(timeline.messages.shown[1].isPending && timeline.messages.shown[1].isLiked)
        await chat.outbox.flush()
        let keys = chat.outbox.pending.map(\.id)
        guard keys.count == 3, case .waitingForNetwork = chat.outbox.pending[0].state else {
            return #expect(Bool(false), "\(chat.outbox.pending.map(\.state))")
        }

        // Killed and started again, still offline: the same is shown.
        chat.cache.close()
        chat = try Chat(in: directory, server, options: options)
        timeline = chat.timeline(of: 1)
        await #expect(throws: Offline.self) { try await timeline.load() }
        await chat.manager.flush()
        #expect(timeline.messages.shown.map(\.text) == ["welcome", "hello"])
        #expect(timeline.messages.shown.map(\.likes) == [1, 1])
        #expect(chat.outbox.pending.map(\.id) == keys)
        await chat.outbox.flush()
        let row = try #require(timeline.messages.rows.last?.id)

        // Meanwhile Ben writes, and likes. Connected: all is sent in order, with the keys of before; the row stays the
        // row.
        server.like("1")
        server.set(online: true)
        let connection = Task { [chat] in await chat.connect() }
        await until { server.isConnected }
        server.push(Push(channel: 1, message: server.add("hi Ann", by: "Ben")))
        await until { chat.outbox.pending.isEmpty && timeline.messages.rows.count == 3 }
        #expect(server.keys == keys)
        #expect(Set(timeline.messages.shown.map(\.text)) == ["welcome", "hello", "hi Ann"])
        let hello = try #require(timeline.messages.shown.first { $0.text == "hello" })
        #expect(!hello.isPending && hello.id != "draft" && hello.likes == 1)
        #expect(timeline.messages.rows.contains { $0.id == row && $0.model.text == "hello" })
        #expect(timeline.messages.shown[0].likes == 2)

        // Refused: the message goes, and the application knows of it.
        server.refuse("spam")
        try await timeline.send("spam", local: "draft 2", by: "Ann")
        await until { !chat.refused.isEmpty }
        #expect(!timeline.messages.shown.contains { $0.text == "spam" })
        #expect((chat.refused[0].mutation as? SendMessage)?.text == "spam")
        chat.outbox.discard(chat.refused[0])
        #expect(chat.outbox.pending.isEmpty)

        // Everything that is shown is stored.
        server.end()
        await connection.value
        let shown = timeline.messages.shown
        await chat.manager.flush()
        await chat.close()
        chat = try Chat(in: directory, server)
        timeline = chat.timeline(of: 1)
        server.set(online: false)
        await #expect(throws: Offline.self) { try await timeline.load() }
        await chat.manager.flush()
        #expect(timeline.messages.shown == shown)
        await chat.close()
    }

    @Test("If the socket is quicker than the answer, the message is shown once, and its row stays the row")
    func pushedFirst() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let chat = try Chat(in: directory, server)
        let timeline = chat.timeline(of: 1)
        try await timeline.load()
        let connection = Task { await chat.connect() }
        server.hold()
        try await timeline.send("hello", local: "draft", by: "Ann")
        let row = try #require(timeline.messages.rows.last?.id)
        await until { server.held != nil && server.isConnected }
        server.push(try #require(server.held))
        await until { chat.outbox.pending.isEmpty }
        server.release()
        await chat.outbox.flush()
        await chat.manager.flush()
        #expect(timeline.messages.shown.map(\.text) == ["welcome", "hello"])
        #expect(timeline.messages.rows.last?.id == row && timeline.messages.shown[1].isPending == false)
        server.end()
        await connection.value
        await chat.close()
    }

    @Test("Of a long channel the last messages are shown, older ones as the user scrolls, and a draft below them")
    func long() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for number in 2...400 { _ = server.add("\(number)", by: "Ben") }
        let chat = try Chat(in: directory, server)
        let timeline = chat.timeline(of: 1)
        try await timeline.load()
        for _ in 0..<5 { try await timeline.loadEarlier() }
        let shown = timeline.messages.shown.map(\.id)
        #expect(shown.count <= 200 && shown == (101..<101 + shown.count).map(String.init))
        timeline.messages.jump(to: .last)
        await chat.manager.flush()
        server.set(online: false)
        try await timeline.send("hello", local: "draft", by: "Ann")
        #expect(timeline.messages.shown.map(\.text) == (351...400).map(String.init) + ["hello"])
        await chat.close()
    }

    @Test("By hand, the same is shown, kept, sent in order and refused; its row is another one")
    func byHand() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var chat = try HandChat(in: directory, server)
        try await chat.load()
        var timeline = try await chat.timeline(of: 1)
        server.set(online: false)
        try chat.like("1", in: 1)
        try chat.send("hello", local: "draft", by: "Ann", in: 1)
        try chat.like("draft", in: 1)
        #expect(timeline.data.map(\.text) == ["welcome", "hello"] && timeline.data.map(\.likes) == [1, 1])
        let keys = chat.pending.map(\.key)

        await chat.close()
        chat = try HandChat(in: directory, server)
        timeline = try await chat.timeline(of: 1)
        #expect(timeline.data.map(\.text) == ["welcome", "hello"] && timeline.data.map(\.likes) == [1, 1])
        let row = try #require(timeline.rows.last?.id)
        server.set(online: true)
        let connection = Task { [chat] in await chat.connect() }
        await until { chat.pending.isEmpty && server.isConnected }
        #expect(server.keys == keys)
        server.push(Push(channel: 1, message: server.add("hi Ann", by: "Ben")))
        await until { timeline.count == 3 }
        #expect(timeline.data.map(\.text) == ["welcome", "hello", "hi Ann"])
        #expect(!timeline.rows.contains { $0.id == row && $0.model.text == "hello" })
        server.refuse("spam")
        try chat.send("spam", local: "draft 2", by: "Ann", in: 1)
        await until { !chat.refused.isEmpty }
        #expect(timeline.data.map(\.text) == ["welcome", "hello", "hi Ann"] && chat.pending.isEmpty)
        server.end()
        await connection.value
        await chat.close()
    }
}

extension WindowDataProvider {
    fileprivate var shown: [Element] { rows.map(\.model) }
}

struct Offline: Error {}

/// A server in memory, which takes each key once.
final class FakeChatServer: ChatServer {
    private struct State {
        var isOnline = true
        var messages = [Message(id: "1", author: "Cy", text: "welcome")]
        var results: [String: String] = [:]
        var keys: [String] = []
        var refused: Set<String> = []
        var sockets: [AsyncStream<Push>.Continuation] = []
        var isHolding = false
        var held: Push?
    }

    private let state = Mutex(State())

    func channels() async throws -> [Channel] {
        try state.withLock { state in
            guard state.isOnline else { throw Offline() }
            return [Channel(id: 1, name: "general")]
        }
    }

    func messages(in channel: Int, before message: String?) async throws -> [Message] {
        try state.withLock { state in
            guard state.isOnline else { throw Offline() }
            return state.messages.prefix { $0.id != message }.suffix(50)
        }
    }

    func send(_ text: String, to channel: Int, local: String, key: String) async throws -> Message {
        let message = try once(key) { state in
            guard !state.refused.contains(text) else { throw Refusal("not here") }
            return FakeChatServer.add(text, "Ann", &state)
        }
        state.withLock { state in
            if state.isHolding { state.held = Push(channel: channel, message: message, key: key, local: local) }
        }
        while state.withLock(\.isHolding) { await Task.yield() }
        return message
    }

    func like(_ message: String, key: String) async throws -> Message {
        try once(key) { state in
            FakeChatServer.like(message, &state)
            return message
        }
    }

    /// Does `body` if the key is new, and returns the message of the identifier that it names.
    private func once(_ key: String, _ body: (inout State) throws -> String) throws -> Message {
        try state.withLock { state in
            guard state.isOnline else { throw Offline() }
            if state.results[key] == nil {
                state.keys.append(key)
                state.results[key] = try body(&state)
            }
            return state.messages.first { $0.id == state.results[key] } ?? state.messages[0]
        }
    }

    func pushes() -> AsyncStream<Push> {
        let (stream, continuation) = AsyncStream.makeStream(of: Push.self)
        state.withLock { $0.sockets.append(continuation) }
        return stream
    }

    // MARK: What the test does

    /// The keys in the order in which they came for the first time.
    var keys: [String] { state.withLock { $0.keys } }
    /// What is answered once ``release()`` is called.
    var held: Push? { state.withLock { $0.held } }

    var isConnected: Bool { state.withLock { !$0.sockets.isEmpty } }

    func set(online isOnline: Bool) { state.withLock { $0.isOnline = isOnline } }
    func refuse(_ text: String) { state.withLock { _ = $0.refused.insert(text) } }
    func hold() { state.withLock { $0.isHolding = true } }
    func release() { state.withLock { $0.isHolding = false } }
    func push(_ push: Push) { for socket in state.withLock({ $0.sockets }) { socket.yield(push) } }
    func end() { for socket in state.withLock({ $0.sockets }) { socket.finish() } }
    func like(_ message: String) { state.withLock { FakeChatServer.like(message, &$0) } }

    func add(_ text: String, by author: String) -> Message {
        state.withLock { state in
            let id = FakeChatServer.add(text, author, &state)
            return state.messages.first { $0.id == id } ?? state.messages[0]
        }
    }

    private static func add(_ text: String, _ author: String, _ state: inout State) -> String {
        let id = "\(state.messages.count + 1)"
        state.messages.append(Message(id: id, author: author, text: text))
        return id
    }

    private static func like(_ message: String, _ state: inout State) {
        guard let index = state.messages.firstIndex(where: { $0.id == message }) else { return }
        state.messages[index].likes += 1
        state.messages[index].isLiked = true
    }
}
