// A chat that sends, over the socket of Chat.swift.
//
// A message shows in the turn in which it is sent, without a network too. It is on disk when `send` returns, goes out in order when the
// network is there, and takes itself back if the server says no. The row that was made up goes on as the server's.
import Dispatch
import Grove
import GroveLMDB
import GroveMacros
import GroveOutbox

@Cacheable
struct OutgoingMessage: Equatable {
    let id: String
    let text: String
    var isPending = false
}

struct SendMessage: Mutation {
    let local: String
    let text: String

    func apply(to draft: inout Draft) throws {
        try draft.append(OutgoingMessage(id: local, text: text, isPending: true), toCollection: "conversation")
    }

    func send(_ service: ChatService, _ attempt: Attempt) async throws -> Answer {
        Answer(
            try await service.send(text, key: attempt.key), replacing: OutgoingMessage.modelIdentifier(for: local))
    }
}

/// The screen's model.
@MainActor
final class Conversation {
    let messages: CollectionDataProvider<OutgoingMessage>
    let outbox: Outbox<ChatService>
    /// What the server has refused, for the user to see.
    private(set) var refusals: [String] = []

    init(_ cache: LMDBCache, _ service: ChatService) throws {
        outbox = try Outbox(cache, service, for: [SendMessage.self])
        messages = CollectionDataProvider(dataModelManager: DataModelManager(cache, outbox: outbox))
        messages.fetchDataFromCache(withCacheKey: "conversation") { _, _ in }
        outbox.onProblem = { [weak self] item, problem in
            guard case .refused(let error) = problem, let sent = item.mutation as? SendMessage else { return }
            self?.refusals.append("\(sent.text): \(error)")
        }
    }

    /// Returns when the message is on disk; it shows at once.
    func send(_ text: String, as local: String) async throws {
        try await outbox.submit(SendMessage(local: local, text: text))
    }

    /// The network is back.
    func reconnect() { outbox.resume() }
}

/// The server, asked over a socket of its own for each message.
struct ChatService: Sendable {
    let port: UInt16

    func send(_ text: String, key: String) async throws -> OutgoingMessage {
        let words = try await ask("\(key)|\(text)\n").split(separator: "|").map(String.init)
        guard words.first == "ok", words.count == 2 else { throw Refusal(words.last ?? "no reason") }
        return OutgoingMessage(id: words[1], text: text)
    }

    private func ask(_ line: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            // It waits for the network, which no task does.
            DispatchQueue.global().async { continuation.resume(with: Result { try read(line) }) }
        }
    }

    private func read(_ line: String) throws -> String {
        let socket = try Socket.connected(to: port)
        socket.write(line.utf8)
        guard let bytes = socket.read() else { throw Socket.Failure() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
