// The chat of Chat.swift by hand, over `setData` and without an outbox, to compare with.
//
// It does less: see "The chat, by hand" in Docs/Internals/Decisions/0038-pending-changes.md.
import Foundation
import Grove
import GroveLMDB
import GroveOutbox

/// What the user did.
struct HandChange: Codable {
    enum Action: Codable {
        case send(local: String, author: String, text: String)
        case like(String)
    }

    let key: String
    let channel: Int
    var action: Action
}

@MainActor
final class HandChat {
    let channels: CollectionDataProvider<Channel>
    private(set) var refused: [(change: HandChange, error: any Error)] = []
    private(set) var pending: [HandChange] = []
    private let server: any ChatServer
    private let cache: LMDBCache
    private let manager: DataModelManager
    private let file: URL
    /// The timelines that are shown, and what the server says of them.
    private var timelines: [Int: CollectionDataProvider<Message>] = [:]
    private var confirmed: [Int: [Message]] = [:]
    private var sending: [Int: Task<Void, Never>] = [:]
    private var isClosed = false

    init(in directory: String, _ server: any ChatServer) throws {
        self.server = server
        cache = try LMDBCache(directory: directory + "/cache")
        manager = DataModelManager(cacheDelegate: cache)
        channels = CollectionDataProvider(dataModelManager: manager)
        // feature: kept
        file = URL(fileURLWithPath: directory + "/pending.json")
        if let data = try? Data(contentsOf: file) { pending = try JSONDecoder().decode([HandChange].self, from: data) }
        // end
    }

    func load() async throws {
        let server = server
        _ = try await channels.load(withCacheKey: "channels") { try await server.channels() }
    }

    /// Shows what is stored, and what is pending, then what the server says.
    func timeline(of channel: Int) async throws -> CollectionDataProvider<Message> {
        let timeline = timelines[channel] ?? CollectionDataProvider<Message>(dataModelManager: manager)
        timelines[channel] = timeline
        // feature: shown
        if confirmed[channel] == nil {
            confirmed[channel] = try? cache.collection(Chat.key(channel), of: Message.self) ?? []
            show(channel)
        }
        // end
        // feature: confirmed
        if let messages = try? await server.messages(in: channel, before: nil) {
            confirmed[channel] = messages
            store(channel)
            show(channel)
        }
        // end
        return timeline
    }

    // feature: shown
    /// Shows what is confirmed, with what is pending over it.
    private func show(_ channel: Int) {
        guard let timeline = timelines[channel] else { return }
        var messages = confirmed[channel] ?? []
        for change in pending where change.channel == channel {
            switch change.action {
            case .send(let local, let author, let text):
                guard !messages.contains(where: { $0.id == local }) else { continue }
                messages.append(Message(id: local, author: author, text: text, isPending: true))
            case .like(let id):
                guard let index = messages.firstIndex(where: { $0.id == id }), !messages[index].isLiked else {
                    continue
                }
                messages[index].isLiked = true
                messages[index].likes += 1
            }
        }
        timeline.setData(messages, cacheKey: Chat.key(channel), shouldCache: false)
    }

    // end
    // feature: kept
    /// Keeps what is pending, before anything of it is sent.
    private func keep() throws { try JSONEncoder().encode(pending).write(to: file, options: .atomic) }

    // end
    // feature: actions
    func send(_ text: String, local: String, by author: String, in channel: Int) throws {
        let action = HandChange.Action.send(local: local, author: author, text: text)
        try submit(HandChange(key: UUID().uuidString, channel: channel, action: action))
    }

    func like(_ message: String, in channel: Int) throws {
        try submit(HandChange(key: UUID().uuidString, channel: channel, action: .like(message)))
    }

    // end
    // feature: shown
    private func submit(_ change: HandChange) throws {
        pending.append(change)
        do {
            try keep()
        } catch {
            pending.removeLast()
            throw error
        }
        show(change.channel)
        pump(change.channel)
    }

    // end
    // feature: sending
    /// Sends what is next in a channel, one after the other, until the network fails for good.
    private func pump(_ channel: Int) {
        guard sending[channel] == nil, !isClosed else { return }
        sending[channel] = Task {
            var pause = 1.0
            while !Task.isCancelled, let change = pending.first(where: { $0.channel == channel }) {
                do {
                    let message = try await carryOut(change)
                    confirm(change.key, message)
                    pause = 1
                } catch let refusal as Refusal {
                    // The error by which the server of the example says no.
                    refuse(change.key, refusal)
                } catch {
                    try? await Task.sleep(for: .seconds(pause * Double.random(in: 0.5...1)))
                    pause = min(2 * pause, 300)
                }
            }
            if !Task.isCancelled { sending[channel] = nil }
        }
    }

    private func carryOut(_ change: HandChange) async throws -> Message {
        switch change.action {
        case .send(let local, _, let text):
            return try await server.send(text, to: change.channel, local: local, key: change.key)
        case .like(let id): return try await server.like(id, key: change.key)
        }
    }

    /// Tries at once.
    private func resume() {
        for task in sending.values { task.cancel() }
        sending = [:]
        for channel in Set(pending.map(\.channel)) { pump(channel) }
    }

    // end
    // feature: confirmed
    private func confirm(_ key: String, _ message: Message) {
        guard let change = pending.first(where: { $0.key == key }) else { return }
        take(message, in: change.channel)
        // feature: identifiers
        // Likes of the message itself go on under the server's identifier.
        if case .send(let local, _, _) = change.action {
            for index in pending.indices {
                if case .like(local) = pending[index].action { pending[index].action = .like(message.id) }
            }
        }
        // end
        end(key)
    }

    private func take(_ message: Message, in channel: Int) {
        var messages = confirmed[channel] ?? []
        if let index = messages.firstIndex(where: { $0.id == message.id }) {
            messages[index] = message
        } else {
            messages.append(message)
        }
        confirmed[channel] = messages
        store(channel)
    }

    private func store(_ channel: Int) {
        manager.cacheCollection(confirmed[channel] ?? [], forKey: Chat.key(channel))
    }

    private func end(_ key: String) {
        guard let index = pending.firstIndex(where: { $0.key == key }) else { return }
        let channel = pending.remove(at: index).channel
        // If this fails, it is sent again after a relaunch, with its key.
        try? keep()
        show(channel)
    }

    // end
    // feature: refused
    private func refuse(_ key: String, _ refusal: Refusal) {
        guard let change = pending.first(where: { $0.key == key }) else { return }
        refused.append((change, refusal))
        end(key)
    }

    // end
    // feature: pushes
    /// Call it when the network is there: sends what waits, and takes what the socket brings until it ends.
    func connect() async {
        resume()
        for await push in server.pushes() {
            // If it is what the user has sent, that is done.
            if let key = push.key, pending.contains(where: { $0.key == key }) {
                confirm(key, push.message)
            } else {
                take(push.message, in: push.channel)
                show(push.channel)
            }
        }
    }

    // end
    func close() async {
        isClosed = true
        for task in sending.values { task.cancel() }
        await manager.flush()
        cache.close()
    }
}
