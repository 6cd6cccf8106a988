import Synchronization

/// Two dictionaries under a lock: people once, and messages that name their senders.
final class Dictionaries: Contestant {
    private let state = Mutex(State())

    private struct State {
        var people: [Int: Person] = [:]
        var messages: [Int: MessageRow] = [:]
        var lists: [Int: [Int]] = [:]

        func message(_ id: Int) -> Message? {
            guard let row = messages[id], let sender = people[row.senderId] else { return nil }
            return Message(
                id: row.id, text: row.text, sent: row.sent, topic: row.topic, unread: row.unread, sender: sender)
        }
    }

    static var isInMemory: Bool { true }
    static func item(_ message: Message) -> Message { message }
    static func id(of message: Message) -> Int { message.id }
    static func senderName(of message: Message) -> String { message.sender.name }

    init(directory: String, feed: Feed) {}

    func write(_ messages: ArraySlice<Message>) {
        state.withLock { state in
            for message in messages {
                state.people[message.sender.id] = message.sender
                state.messages[message.id] = MessageRow(message)
            }
        }
    }

    func writeLists(_ lists: [[Message]]) {
        state.withLock { state in
            for (index, list) in lists.enumerated() { state.lists[index] = list.map(\.id) }
        }
    }

    func read(_ id: Int) -> Message? { state.withLock { $0.message(id) } }

    func readAll(_ ids: [Int]) -> [Message] { state.withLock { state in ids.compactMap { state.message($0) } } }

    func page(from id: Int) -> [Message] {
        state.withLock { state in (id..<id + 100).compactMap { state.message($0) } }
    }

    func list(_ index: Int) -> [Message] {
        state.withLock { state in (state.lists[index] ?? []).compactMap { state.message($0) } }
    }

    func rename(_ person: Person, messages: [Int]) { state.withLock { $0.people[person.id] = person } }

    func close() {}
}
