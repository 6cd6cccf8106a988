// The Grove side of Docs/Guides/ComingFrom….md, between the two rules; a test holds it and the pages together.
// -----
import Grove
import GroveMacros

@Cacheable
struct Author {
    let id: Int
    let name: String
}

@Cacheable
struct Article {
    let id: Int
    let title: String
    var isRead: Bool
    let author: Author
}

@MainActor
final class ArticlesScreen {
    let articles: CollectionDataProvider<Article>
    private let manager: DataModelManager

    init(_ manager: DataModelManager) {
        self.manager = manager
        articles = CollectionDataProvider(dataModelManager: manager)
    }
    /// Shows what is stored, then what the server has.
    ///
    /// A view reads `articles.rows`, and `row.model` of each.
    func open(_ fetch: @escaping @Sendable () async throws -> [Article]) async {
        _ = try? await articles.load(withCacheKey: "articles", maxAge: 60, fetch: fetch)
    }
    func read(_ id: Int) async throws {
        try await manager.update(Article.self, id: id) { $0.isRead = true }
    }
}
// -----
