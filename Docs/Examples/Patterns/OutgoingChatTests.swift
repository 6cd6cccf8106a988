import Dispatch
import Foundation
import Grove
import GroveLMDB
import GroveOutbox
import Synchronization
import Testing

@MainActor
@Suite("A chat that sends, an example")
struct OutgoingChatTests {
    @Test(
        "What is sent without a network shows, outlasts a relaunch, goes out in order, and goes away if it is refused")
    func offline() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try OutgoingServer()
        do {
            let cache = try LMDBCache(directory: directory)
            try await cache.writeCollection([OutgoingMessage(id: "1", text: "first")], as: "conversation")
            let chat = try Conversation(cache, ChatService(port: server.port))
            while chat.messages.count < 1 { await chat.messages.dataModelManager.flush() }
            for (local, text) in [("a", "hello"), ("b", "rude"), ("c", "bye")] { try await chat.send(text, as: local) }
            #expect(chat.messages.data.map(\.text) == ["first", "hello", "rude", "bye"])
            #expect(chat.messages.data.map(\.isPending) == [false, true, true, true])
            await chat.outbox.flush()
            guard case .waitingForNetwork? = chat.outbox.pending.first?.state else {
                return #expect(Bool(false), "Not waiting.")
            }
            // The application ends; the cache has nothing that is not confirmed.
            chat.outbox.close()
            #expect(try cache.collection("conversation", of: OutgoingMessage.self)?.map(\.text) == ["first"])
            cache.close()
        }
        let cache = try LMDBCache(directory: directory)
        defer { cache.close() }
        let chat = try Conversation(cache, ChatService(port: server.port))
        while chat.messages.count < 4 { await chat.messages.dataModelManager.flush() }
        let rows = chat.messages.rows.map(\.id)
        #expect(chat.messages.data.map(\.text) == ["first", "hello", "rude", "bye"])
        await chat.outbox.flush()

        // The first answer is lost on its way: the message is sent again, with its key.
        server.mood.withLock { $0 = .losesOne }
        chat.reconnect()
        await chat.outbox.flush()
        #expect(server.received.withLock { $0.map(\.text) } == ["hello"])
        chat.reconnect()
        await chat.outbox.flush()
        #expect(chat.messages.data.map(\.text) == ["first", "hello", "bye"])
        #expect(chat.messages.data.allSatisfy { !$0.isPending })
        #expect(chat.messages.rows.map(\.id) == [rows[0], rows[1], rows[3]])
        #expect(chat.refusals.count == 1 && chat.refusals[0].hasPrefix("rude"))
        #expect(chat.outbox.pending.map(\.id).count == 1)
        chat.outbox.discard(chat.outbox.pending[0])
        #expect(chat.outbox.pending.isEmpty)
        #expect(server.received.withLock { $0.map(\.text) } == ["hello", "bye"])
        #expect(try cache.collection("conversation", of: OutgoingMessage.self) == chat.messages.data)
    }
}

/// A server on the loopback: one message in each connection, and each key once.
private final class OutgoingServer: Sendable {
    enum Mood: Sendable { case offline, losesOne, answers }

    let port: UInt16
    let mood = Mutex(Mood.offline)
    let received = Mutex<[(key: String, text: String)]>([])
    private let listening: Socket

    init() throws {
        (listening, port) = try Socket.listening()
        DispatchQueue(label: "outgoing server").async { [listening, weak self] in
            while let socket = try? listening.accepted(), let self { answer(socket) }
        }
    }

    deinit { listening.shutDown() }

    private func answer(_ socket: Socket) {
        let words = String(decoding: socket.read() ?? [], as: UTF8.self).dropLast().split(separator: "|").map(
            String.init)
        let mood = mood.withLock { mood in
            defer { if mood == .losesOne { mood = .answers } }
            return mood
        }
        guard words.count == 2, mood != .offline else { return }
        let (key, text) = (words[0], words[1])
        guard text != "rude" else { return socket.write("no|rude".utf8) }
        let number = received.withLock { received in
            if let index = received.firstIndex(where: { $0.key == key }) { return index }
            received.append((key, text))
            return received.count - 1
        }
        if mood == .answers { socket.write("ok|server-\(number)".utf8) }
    }
}
