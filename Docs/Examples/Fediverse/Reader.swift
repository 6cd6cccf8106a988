// A reader of what people publish in the fediverse: the outbox of an actor, with the notes of others that the actor has
// announced.
import Foundation
import Grove
import GroveCache
import GroveMacros

// MARK: Models. The addresses of the format are identifiers: each is the only one in the world.

@Cacheable
struct Actor {
    let id: String
    let name: String
}

@Cacheable
struct Note {
    let id: String
    let author: Actor
    let text: String
    let answerTo: String?
}

/// One line of an outbox.
@Cacheable
struct Activity {
    let id: String
    let isAnnounced: Bool
    let published: Date?
    let note: Note?  // nil once its author has deleted it
}

// MARK: From documents to models

/// What the reader gets documents from.
protocol Web: Sendable {
    /// The document at `address`; `nil` if the server says that there is none.
    func get(_ address: String) async throws -> Data?
}

/// Makes models of documents.
///
/// What a document only names is read from the cache, or else from the web.
struct Library: Sendable {
    let cache: any Cache
    let web: any Web

    func actor(_ address: String) async throws -> Actor? {
        if let known = try cache.model(Actor.self, id: address) { return known }
        return try await document(address, as: ActorDocument.self).map {
            Actor(id: $0.id, name: $0.name ?? $0.preferredUsername ?? $0.id)
        }
    }

    func note(_ part: Part<NoteDocument>) async throws -> Note? {
        let found: NoteDocument
        switch part {
        case .whole(let note): found = note
        case .address(let address):
            if let known = try cache.model(Note.self, id: address) { return known }
            guard let note = try await document(address, as: NoteDocument.self) else { return nil }
            found = note
        }
        guard let author = try await actor(found.author) else { return nil }
        let text = (found.content ?? "").replacing(/<[^>]*>/, with: "")
        return Note(id: found.id, author: author, text: text, answerTo: found.inReplyTo)
    }

    /// A page of an outbox, with the notes that the actor wrote or announced; other kinds of lines are passed over.
    func page(_ address: String) async throws -> (activities: [Activity], next: String?) {
        guard let page = try await document(address, as: PageDocument.self) else { return ([], nil) }
        var activities: [Activity] = []
        for line in page.orderedItems where ["Create", "Announce"].contains(line.type) {
            let note = try await note(line.object)
            activities.append(
                Activity(id: line.id, isAnnounced: line.type == "Announce", published: line.published, note: note))
        }
        return (activities, page.next)
    }

    func document<Document: Decodable>(_ address: String, as type: Document.Type) async throws -> Document? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try await web.get(address).map { try decoder.decode(type, from: $0) }
    }
}

// MARK: The screen

/// An actor's outbox.
@MainActor
final class OutboxScreen {
    let activities: CollectionDataProvider<Activity>
    private let library: Library
    private let outbox: String
    /// The address of the next page, as the last one has it; `nil` at the end, and before anything was loaded.
    private var next: String?

    init(_ outbox: String, _ manager: DataModelManager, _ library: Library) {
        (self.outbox, self.library) = (outbox, library)
        activities = CollectionDataProvider(dataModelManager: manager)
    }

    /// Shows what is stored, then the first page; stored pages behind that stay if it reaches them.
    func refresh() async throws {
        try await activities.load(withCacheKey: outbox, part: .firstPage) { [library, outbox] in
            guard let first = try await library.document(outbox, as: OutboxDocument.self)?.first else { return [] }
            return try await self.read(library.page(first))
        }
    }

    /// Shows the next page too; false at the end.
    func more() async throws -> Bool {
        guard let next else { return false }
        try await activities.loadMore { [library] _ in try await self.read(library.page(next)) }
        return true
    }

    private func read(_ page: (activities: [Activity], next: String?)) -> [Activity] {
        next = page.next
        return page.activities
    }

    var lines: [String] {
        activities.rows.map { row in
            guard let note = row.model.note else { return "(deleted)" }
            return "\(note.author.name)\(row.model.isAnnounced ? " ↻" : ""): \(note.text)"
        }
    }
}
