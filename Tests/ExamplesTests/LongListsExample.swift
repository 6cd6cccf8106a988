// The code of Docs/Guides/LongLists.md but for its view, between rules; a test holds the two together.
// -----
import Grove

/// What the application asks its server about a chat.
protocol ChatServer: Sendable {
    /// The messages right before one, in order; without one, the last of the chat. None if there are none.
    func messages(before id: String?) async throws -> [Message]
    /// The messages right after one.
    func messages(after id: String?) async throws -> [Message]
}

/// The screen of a chat: however long that is, at most 200 messages are in memory.
@MainActor
final class ChatModel {
    let window: WindowDataProvider<Message>

    init(_ manager: DataModelManager, _ server: any ChatServer) {
        window = WindowDataProvider(dataModelManager: manager, limit: 200)
        window.open(
            "chat", at: .last, count: 50, before: { try await server.messages(before: $0?.id) },
            after: { try await server.messages(after: $0?.id) })
    }
    /// Called when the screen appears: asks for the newest messages, also of a chat that was never loaded.
    func appear() async { try? await window.refresh() }
    /// Called as a row is drawn.
    func appeared(_ row: WindowRow<Message>) async {
        if row === window.rows.first { try? await window.showEarlier() }
        if row === window.rows.last { try? await window.showLater() }
    }
    /// Called when the user stops to scroll, with the first row that is visible: edits elsewhere leave it where it is.
    func stopped(at row: WindowRow<Message>) { window.anchor = row }
    /// Shows a message of which the user has tapped a link, if the cache has it.
    func show(_ id: String) { window.jump(to: .around("Message:\(id)")) }
}
// -----
extension ChatModel {
    /// Called when the screen appears: yesterday's messages stay, and a gap says that there may be others between.
    func appearKeepingOlder() async { try? await window.refresh(keepingOlder: true) }
    /// The gap above a row, if there is one.
    func gap(above index: Int) -> WindowGap? { window.gaps.first { $0.index == index } }
    /// Called as the row of a gap is drawn: asks for the page beside it.
    func appeared(_ gap: WindowGap) async { try? await window.fill(gap) }
    /// Called for a tap on it: asks for page after page until it is closed.
    func tapped(_ gap: WindowGap) async { try? await window.fill(gap, all: true) }
}
// -----
/// A server that answers with some messages, and with a cursor for those behind them.
protocol FeedServer: Sendable {
    func feed(after cursor: String?) async throws -> (messages: [Message], next: String?)
}

/// Shows the feed from its beginning.
@MainActor
func openFeed(_ window: WindowDataProvider<Message>, _ server: any FeedServer) {
    window.open("feed", at: .first, pageBefore: nil) { cursor in
        let answer = try await server.feed(after: cursor)
        return .init(answer.messages, next: answer.next)
    }
}
// -----
/// The screen of an address book: who is online, by name, in sections by first letters.
@MainActor
final class ContactsModel {
    let list: CollectionDataProvider<Person>
    let online: ArrangedRows<CollectionRow<Person>, String>

    init(_ manager: DataModelManager) {
        list = CollectionDataProvider(dataModelManager: manager)
        online = list.filtered(\.isOnline).sorted(by: \.name).sections(by: { String($0.name.prefix(1)) })
        list.fetchDataFromCache(withCacheKey: "contacts") { _, _ in }
    }
    /// For the field in which the user searches: other rows for each text.
    func found(_ text: String) -> ArrangedRows<CollectionRow<Person>, Never> {
        list.filtered { $0.name.contains(text) }.sorted(by: \.name)
    }
}
// -----
import GroveCache

/// The next 50 messages of all that the cache has, in the order of their identifiers; from the first one for `nil`.
func messages(_ cache: any Cache, after last: Message?) throws -> [Message] {
    try cache.read { view in
        Array(try view.models(Message.self, after: last?.modelIdentifier, limit: 50))
    }
}
// -----
