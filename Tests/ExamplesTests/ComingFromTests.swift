import Grove
import GroveSQLite
import TestSupport
import Testing

@MainActor
@Suite("Docs/Guides/ComingFrom….md")
struct ComingFromTests {
    @Test("The screen shows what is stored without a network, and an author's new name in every row")
    func screen() async throws {
        struct NoNetwork: Error {}
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        let ann = Author(id: 1, name: "Ann")
        let all = (1...3).map { Article(id: $0, title: "article \($0)", isRead: false, author: ann) }
        let manager = DataModelManager(cacheDelegate: cache)
        let screen = ArticlesScreen(manager)
        await screen.open { all }
        try await screen.read(2)
        for _ in 0..<3 {
            await manager.flush()
            try await cache.flush()
        }
        #expect(screen.articles.data.map(\.isRead) == [false, true, false])
        try await cache.write(Author(id: 1, name: "Anna"))

        let next = ArticlesScreen(DataModelManager(cacheDelegate: cache))
        await next.open { throw NoNetwork() }
        #expect(next.articles.data.map(\.isRead) == [false, true, false])
        #expect(next.articles.rows.map { $0.model.author.name } == ["Anna", "Anna", "Anna"])
    }
}
