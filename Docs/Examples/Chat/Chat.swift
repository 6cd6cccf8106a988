// A chat that works offline: channels, timelines, and messages and likes that show in the turn of the tap.
//
// What the user does is in an outbox: it survives a kill, is sent in order when the network is back, and goes away if
// the server says no. What others do comes over a socket.
import Grove
import GroveLMDB
import GroveMacros
import GroveOutbox

// MARK: Models

@Cacheable
struct Channel {
    let id: Int
    let name: String
}

@Cacheable
struct Message {
    let id: String
    let author: String
    let text: String
    var likes = 0
    var isLiked = false
    /// Whether the server has not confirmed it yet.
    var isPending = false
}

// MARK: The server

/// What the server pushes: a message as it is now, and whose request it answers, if it is one of this application.
struct Push: Sendable {
    let channel: Int
    let message: Message
    var key: String?
    var local: String?
}

protocol ChatServer: Sendable {
    func channels() async throws -> [Channel]
    /// Up to fifty messages of a channel, the oldest first: those right before one, or the last ones.
    func messages(in channel: Int, before message: String?) async throws -> [Message]
    /// Stores a message; it is one message, however often it is sent with one key. Throws `Refusal` if it says no.
    func send(_ text: String, to channel: Int, local: String, key: String) async throws -> Message
    func like(_ message: String, key: String) async throws -> Message
    /// Ends when the socket does.
    func pushes() -> AsyncStream<Push>
}

// MARK: What the user does

struct SendMessage: Mutation {
    let local: String
    let channel: Int
    let author: String
    let text: String
    /// A channel that waits keeps no other one waiting.
    var lane: String { Chat.key(channel) }

    func apply(to draft: inout Draft) throws {
        let message = Message(id: local, author: author, text: text, isPending: true)
        try draft.append(message, toCollection: Chat.key(channel))
    }

    func send(_ server: any ChatServer, _ attempt: Attempt) async throws -> Answer {
        let message = try await server.send(text, to: channel, local: local, key: attempt.key)
        return Answer(message, replacing: Message.modelIdentifier(for: local))
    }
}

struct LikeMessage: Mutation {
    let channel: Int
    var message: String
    /// That of the message, which may be on its way itself.
    var lane: String { Chat.key(channel) }

    func apply(to draft: inout Draft) throws {
        try draft.update(Message.self, id: message) {
            guard !$0.isLiked else { return }
            $0.isLiked = true
            $0.likes += 1
        }
    }

    func send(_ server: any ChatServer, _ attempt: Attempt) async throws -> Answer {
        Answer(try await server.like(message, key: attempt.key))
    }

    func replacing(_ old: ModelIdentifier, _ new: ModelIdentifier) -> LikeMessage {
        guard old == Message.modelIdentifier(for: message), let prefix = Message.identifierPrefix else { return self }
        return LikeMessage(channel: channel, message: String(new.rawValue.dropFirst(prefix.count)))
    }
}

// MARK: The application

@MainActor
final class Chat {
    let channels: CollectionDataProvider<Channel>
    let outbox: Outbox<any ChatServer>
    let manager: DataModelManager
    let cache: LMDBCache
    private let server: any ChatServer
    /// What the server has refused, for the user to see.
    var refused: [PendingMutation] {
        outbox.pending.filter { if case .refused = $0.state { true } else { false } }
    }

    nonisolated static func key(_ channel: Int) -> String { "channel:\(channel)" }

    /// Opens the chat as it was left, with what is still to be sent.
    init(in directory: String, _ server: any ChatServer, options: OutboxOptions = OutboxOptions()) throws {
        self.server = server
        cache = try LMDBCache(directory: directory)
        outbox = try Outbox(cache, server, for: [SendMessage.self, LikeMessage.self], options: options)
        manager = DataModelManager(cache, outbox: outbox)
        channels = CollectionDataProvider(dataModelManager: manager)
    }

    /// Shows the stored channels, then the server's.
    func load() async throws {
        let server = server
        _ = try await channels.load(withCacheKey: "channels") { try await server.channels() }
    }

    func timeline(of channel: Int) -> Timeline { Timeline(channel, self, server) }

    /// Call it when the network is there: sends what waits, and takes what the socket brings until it ends.
    func connect() async {
        outbox.resume()
        for await push in server.pushes() {
            let keys: Set<String> = push.key.map { [$0] } ?? []
            // If it is what the user has sent, that is done, and the row goes on as the same row.
            let local = push.local.map { Message.modelIdentifier(for: $0) }
            await outbox.receive(Answer(push.message, replacing: local, includes: keys))
            try? await cache.write { tx in
                let (key, id) = (Chat.key(push.channel), push.message.id)
                guard try tx.count(ofCollection: key) != nil, try !tx.contains(Message.self, id: id, inCollection: key)
                else { return }
                try tx.insert(references: [Message.modelIdentifier(for: id)], at: .last, inCollection: key)
            }
        }
    }

    /// Stops sending, and lets go of the files.
    func close() async {
        outbox.close()
        await outbox.flush()
        cache.close()
    }
}

/// The screen of a channel: as many of its messages are in memory as a screen needs, however long it is.
@MainActor
final class Timeline {
    let messages: WindowDataProvider<Message>
    private let channel: Int
    private let chat: Chat

    /// Shows what is stored last, and what is pending.
    init(_ channel: Int, _ chat: Chat, _ server: any ChatServer) {
        (self.channel, self.chat) = (channel, chat)
        messages = WindowDataProvider(dataModelManager: chat.manager)
        messages.open(
            Chat.key(channel), at: .last, before: { try await server.messages(in: channel, before: $0?.id) })
    }

    /// Shows what the server says.
    func load() async throws { try await messages.refresh() }

    /// Call it as the first row is drawn: shows older messages.
    func loadEarlier() async throws { try await messages.showEarlier() }

    /// Shows the message in this turn; returns when a kill loses it no more.
    func send(_ text: String, local: String, by author: String) async throws {
        try await chat.outbox.submit(SendMessage(local: local, channel: channel, author: author, text: text))
    }

    func like(_ message: String) { chat.outbox.submit(LikeMessage(channel: channel, message: message)) }
}
