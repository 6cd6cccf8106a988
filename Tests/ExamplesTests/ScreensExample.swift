// The code of Docs/Guides/Screens.md but for its views, between rules; a test holds the two together.
import GroveCache

// -----
import Grove
import Observation

/// What the application asks its server.
protocol MessageServer: Sendable {
    func message(_ id: String) async throws -> Message?
    func messages(after id: String?) async throws -> [Message]
}

/// The screen of one message.
@MainActor
final class MessageModel {
    let message: DataProvider<Message>
    private let (id, server): (String, any MessageServer)

    init(_ id: String, _ manager: DataModelManager, _ server: any MessageServer) {
        (self.id, self.server) = (id, server)
        message = DataProvider(dataModelManager: manager)
        // If a list shows the message already, `message.data` has it now, before the first frame is drawn.
        message.fetchDataFromCache(withCacheKey: "Message:\(id)") { _, _ in }
    }
    func appear() async {
        _ = try? await message.load(withCacheKey: "Message:\(id)", maxAge: 60) { [server, id] in
            try await server.message(id)
        }
    }
}
// -----
/// The screen of a list, in pages.
@MainActor
final class InboxModel {
    let messages: CollectionDataProvider<Message>
    private let server: any MessageServer
    private var isAtEnd = false

    init(_ manager: DataModelManager, _ server: any MessageServer) {
        self.server = server
        messages = CollectionDataProvider(dataModelManager: manager)
    }
    /// Yesterday's messages at once, then the first page, which is tried twice more if it fails.
    func refresh(maxAge: Double? = nil, reload: Bool = false) async {
        isAtEnd = false
        _ = try? await messages.load(
            withCacheKey: "inbox", missing: .skip, maxAge: maxAge, part: .firstPage, reload: reload, retry: LoadRetry(2)
        ) { [server] in try await server.messages(after: nil) }
    }
    /// The next page, when the last row is drawn.
    func appeared(_ row: CollectionRow<Message>) async {
        guard !isAtEnd, row == messages.rows.last else { return }
        let count = try? await messages.loadMore { [server] shown in try await server.messages(after: shown.last?.id) }
        isAtEnd = count == 0
    }
    /// What is shown instead of rows, if there are none.
    var notice: String? {
        guard messages.count == 0 else { return nil }
        return switch messages.state {
        case .idle, .loading: "Loading…"
        case .cached, .fresh, .unsaved: "No messages"
        case .missing(let miss): "Nothing stored (\(miss))"
        case .failed: "No network. Pull to try again."
        }
    }
}
// -----
/// Calls `draw` now, and again in a turn after what it read has changed.
@MainActor
func follow(_ draw: @escaping @MainActor () -> Void) {
    withObservationTracking(draw) { Task { @MainActor in follow(draw) } }
}
// -----
/// What the server pushes over a socket: each line says what changed, as the server has it.
func follow(_ manager: DataModelManager, _ changed: () async throws -> [Message]?) async throws {
    while true {
        let asked = manager.place()
        guard let messages = try await changed() else { return }
        try manager.updateModels(messages, asOf: asked)
    }
}
// -----
/// A new message that the server pushes: it goes into its list, if that is stored.
func add(_ message: Message, to cache: any Cache, asOf asked: Place) throws {
    try cache.write { tx in
        try tx.write(message, asOf: asked)
        if try tx.knownCount(ofCollection: "inbox") != nil { try tx.upsert([message], inCollection: "inbox") }
    }
}

/// A message that the server says is deleted.
func remove(_ identifier: ModelIdentifier, from cache: any Cache, asOf asked: Place) throws {
    try cache.delete(identifier, asOf: asked)
}
// -----
