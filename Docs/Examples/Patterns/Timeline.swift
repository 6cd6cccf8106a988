// The timeline of a chat, the newest message first: pages, what a socket brings, and what the user does, by identifiers.
import Grove
import GroveLMDB
import GroveMacros

@Cacheable
struct Note {
    let id: Int
    var text: String
}

/// What the chat asks its server.
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
    /// The first page; what was loaded before stays behind it.
    func refresh() async throws {
        _ = try await notes.load(withCacheKey: "timeline", missing: .skip, part: .firstPage, reload: true) { [server] in
            try await server.newest()
        }
    }
    /// The next page.
    func older() async throws {
        _ = try await notes.loadMore { [server] shown in try await server.older(than: shown.last?.id) }
    }
    /// A message that the socket brings, perhaps once more, and for which it was asked at `asked`; throws if the user has logged out since.
    func received(_ note: Note, asOf asked: Place) async throws {
        try await cache.write { tx in try tx.put(pushed: [note], at: .first, inCollection: "timeline", asOf: asked) }
    }
    func edited(_ note: Note) { notes.update(note) }
    func retracted(_ id: Int) { notes.remove(id: id) }
    func pin(_ id: Int) { notes.move(id: id, to: .first) }
    /// An answer of the user, above the message that it is to.
    func answer(_ note: Note, to id: Int) { notes.insert([note], at: .before(Note.self, id: id)) }
}
