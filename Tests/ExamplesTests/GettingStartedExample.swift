// The code of Docs/Guides/GettingStarted.md, between rules; a test holds the two together, and `make tutorial` builds the page step by step.
// -----
import GroveMacros

@Cacheable
struct Author {
    let id: Int
    let name: String
}

@Cacheable
struct Book {
    let id: Int
    let title: String
    let author: Author
    var isRead = false
}
// -----
import GroveSQLite

/// The application's cache, of at most 50 MB on disk.
func openCache(in directory: String) throws -> SQLiteCache {
    try SQLiteCache(directory: directory, budget: CacheBudget(bytes: 50_000_000))
}

/// Prints what an earlier run has stored, and stores two books of one author.
func firstRead(_ cache: SQLiteCache) throws {
    print("Stored before:", try cache.model(Book.self, id: 2)?.author.name ?? "nothing")
    let author = Author(id: 7, name: "Ursula Le Guin")
    let books = [
        Book(id: 1, title: "The Dispossessed", author: author), Book(id: 2, title: "Lavinia", author: author),
    ]
    try cache.write(contentsOf: books)
    // One record holds the author of both books.
    try cache.write(Author(id: 7, name: "Ursula K. Le Guin"))
    print("Stored now:", try cache.model(Book.self, id: 2)?.author.name ?? "nothing")
}
// -----
import Grove

/// What the application asks its server.
protocol BookServer: Sendable {
    func book(_ id: Int) async throws -> Book?
    func shelf() async throws -> [Book]
    /// Does it once, however often it is asked with one key.
    func markRead(_ id: Int, key: String) async throws -> Book
}

/// The screen of one book.
@MainActor
final class BookScreen {
    let book: DataProvider<Book>
    private let server: any BookServer

    init(_ manager: DataModelManager, _ server: any BookServer) {
        book = DataProvider(dataModelManager: manager)
        self.server = server
    }
    /// Shows what is stored. If that is older than a minute, asks the server, and shows and stores its answer.
    func appear(_ id: Int) async {
        _ = try? await book.load(withCacheKey: "Book:\(id)", maxAge: 60) { [server] in try await server.book(id) }
    }
    var title: String {
        if let book = book.data { return "\(book.title), by \(book.author.name)" }
        return switch book.state {
        case .missing: "There is no such book"
        case .failed: "No network"
        default: "…"
        }
    }
}
// -----
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
        books.rows.map { row in "\(row.model.isRead ? "✓" : "·") \(row.model.title), by \(row.model.author.name)" }
    }
}
// -----
import GroveOutbox

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
struct Library {
    let manager: DataModelManager
    let outbox: Outbox<any BookServer>

    init(_ cache: some Cache & UpdatableCache, _ server: any BookServer) throws {
        outbox = try Outbox(cache, server, for: [MarkRead.self])
        manager = DataModelManager(cache, outbox: outbox)
    }
}
// -----
/// A server with one book, which can be out of reach.
final class ShelfServer: BookServer {
    struct OutOfReach: Error {}

    let isReachable: Bool
    private let stored = Book(id: 3, title: "Kindred", author: Author(id: 8, name: "Octavia E. Butler"))

    init(isReachable: Bool) { self.isReachable = isReachable }

    func book(_ id: Int) async throws -> Book? { try await shelf().first { $0.id == id } }
    func shelf() async throws -> [Book] {
        guard isReachable else { throw OutOfReach() }
        return [stored]
    }
    func markRead(_ id: Int, key: String) async throws -> Book {
        guard isReachable else { throw OutOfReach() }
        return Book(id: stored.id, title: stored.title, author: stored.author, isRead: true)
    }
}
// -----
