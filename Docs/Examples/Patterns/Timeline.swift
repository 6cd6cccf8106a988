// The timeline of a chat, the newest message first: pages, pushed messages and edits of the user, by identifiers.
import Grove
import GroveLMDB
import GroveMacros

@Cacheable
struct Note {
    let id: Int
    var text: String
}

/// The requests of the chat to its server.
protocol NoteServer: Sendable {
    func newest() async throws -> [Note]
    func older(than id: Int?) async throws -> [Note]
}

/// The screen's model.
@MainActor
final class Timeline {
    let notes: CollectionDataProvider<Note>
    private let cache: any Cache
    private let server: any NoteServer

    init(_ manager: DataModelManager, _ cache: any Cache, _ server: any NoteServer) {
        (self.cache, self.server) = (cache, server)
        notes = CollectionDataProvider(dataModelManager: manager, holdsEachOnce: true)
    }
    /// Loads the first page; the pages that were loaded before stay after it.
    func refresh() async throws {
        _ = try await notes.load(withCacheKey: "timeline", missing: .skip, part: .firstPage, reload: true) { [server] in
            try await server.newest()
        }
    }
    /// Loads the next page.
    func older() async throws {
        _ = try await notes.loadMore { [server] shown in try await server.older(than: shown.last?.id) }
    }
    /// Stores a message from the socket, which was asked at `asked`; the same message may come again.
    ///
    /// It throws if the user has logged out since.
    func received(_ note: Note, asOf asked: Place) async throws {
        try await cache.write { tx in try tx.put(pushed: [note], at: .first, inCollection: "timeline", asOf: asked) }
    }
    func edited(_ note: Note) { notes.update(note) }
    func retracted(_ id: Int) { notes.remove(id: id) }
    func pin(_ id: Int) { notes.move(id: id, to: .first) }
    /// Inserts an answer of the user before the message that it answers.
    func answer(_ note: Note, to id: Int) { notes.insert([note], at: .before(Note.self, id: id)) }
}
