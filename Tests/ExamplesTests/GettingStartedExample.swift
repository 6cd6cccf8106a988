// The code of Docs/Guides/GettingStarted.md, between rules; a test holds the two together. `make tutorial` builds the
// page step by step.
// -----
import GroveMacros

@Cacheable
struct Writer {
    let id: Int
    let name: String
}

@Cacheable
struct Book {
    let id: Int
    let title: String
    let writer: Writer
    var isRead = false
}
// -----
import GroveSQLite

/// The application's cache, of at most 50 MB on disk.
func openCache(in directory: String) throws -> SQLiteCache {
    try SQLiteCache(directory: directory, budget: CacheBudget(bytes: 50_000_000))
}

/// Says what an earlier run has stored, and stores two books.
func firstRead(_ cache: SQLiteCache) throws -> [String] {
    let before = try cache.model(Book.self, id: 2)?.writer.name
    let writer = Writer(id: 7, name: "Ursula Le Guin")
    try cache.write(contentsOf: [
        Book(id: 1, title: "The Dispossessed", writer: writer), Book(id: 2, title: "Lavinia", writer: writer),
    ])
    try cache.write(Writer(id: 7, name: "Ursula K. Le Guin"))
    let now = try cache.model(Book.self, id: 2)?.writer.name
    return ["Before: \(before ?? "nothing")", "Now: \(now ?? "nothing")"]
}
// -----
/// What the application asks its server.
protocol BookServer: Sendable {
    func book(_ id: Int) async throws -> Book?
    func shelf() async throws -> [Book]
    /// Does it once, however often it is asked with one key.
    func markRead(_ id: Int, key: String) async throws -> Book
}

/// In place of yours: a server with one book, which may be out of reach.
struct ShelfServer: BookServer {
    struct OutOfReach: Error {}

    let isReachable: Bool
    private var kindred: Book { Book(id: 3, title: "Kindred", writer: Writer(id: 8, name: "Octavia E. Butler")) }

    init(isReachable: Bool) { self.isReachable = isReachable }

    func book(_ id: Int) async throws -> Book? { try await shelf().first { $0.id == id } }
    func shelf() async throws -> [Book] {
        guard isReachable else { throw OutOfReach() }
        return [kindred]
    }
    func markRead(_ id: Int, key: String) async throws -> Book {
        guard isReachable else { throw OutOfReach() }
        return Book(id: 3, title: kindred.title, writer: kindred.writer, isRead: true)
    }
}
// -----
import Grove

/// The screen of one book.
@MainActor
final class BookScreen {
    let book: DataProvider<Book>
    private let server: any BookServer

    init(_ manager: DataModelManager, _ server: any BookServer) {
        book = DataProvider(dataModelManager: manager)
        self.server = server
    }
    func appear(_ id: Int) async {
        _ = try? await book.load(withCacheKey: "Book:\(id)", maxAge: 60) { [server] in try await server.book(id) }
    }
    var title: String {
        if let book = book.data { return "\(book.title), by \(book.writer.name)" }
        return switch book.state {
        case .missing: "There is no such book"
        case .failed: "No network"
        default: "…"
        }
    }
}
// -----
import Grove

/// The screen of all books, in the server's order.
@MainActor
final class ShelfScreen {
    let books: CollectionDataProvider<Book>
    private let server: any BookServer

    init(_ manager: DataModelManager, _ server: any BookServer) {
        books = CollectionDataProvider(dataModelManager: manager)
        self.server = server
    }
    func appear() async {
        _ = try? await books.load(withCacheKey: "shelf") { [server] in try await server.shelf() }
    }
    var lines: [String] {
        books.rows.map { row in "\(row.model.isRead ? "✓" : "·") \(row.model.title), by \(row.model.writer.name)" }
    }
}
// -----
import Grove
import GroveOutbox
import GroveSQLite

/// The user has read a book, and the server has yet to hear of it.
struct MarkRead: Mutation {
    let book: Int

    func apply(to draft: inout Draft) throws {
        try draft.update(Book.self, id: book) { $0.isRead = true }
    }
    func send(_ server: any BookServer, _ attempt: Attempt) async throws -> Answer {
        Answer(try await server.markRead(book, key: attempt.key))
    }
}

/// What all screens share.
@MainActor
final class Library {
    let manager: DataModelManager
    let outbox: Outbox<any BookServer>
    private let cache: any Cache

    init<Store: NodeStore>(_ cache: NormalizedCache<Store>, _ server: any BookServer) throws {
        self.cache = cache
        outbox = try Outbox(cache, server, for: [MarkRead.self])
        manager = DataModelManager(cache, outbox: outbox)
    }
    /// Returns when everything is stored.
    func close() async throws {
        await manager.flush()
        outbox.close()
        await outbox.flush()
        try await cache.flush()
        cache.close()
    }
}
// -----
