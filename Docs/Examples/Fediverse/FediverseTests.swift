import Foundation
import Grove
import GroveSQLite
import GroveTesting
import Synchronization
import Testing

@MainActor
@Suite("The reader of the fediverse, an example")
struct FediverseTests {
    private let outbox = "https://social.example/users/ada/outbox"
    private let ada = "https://social.example/users/ada"
    private let all = [
        "grace ↻: A moth in relay 70.", "Ada: The second card is punched. #looms", "Ada ↻: The first card is punched.",
        "Ada: The first card is punched.",
    ]

    @Test(
        "Its own notes and announced ones are lines, page after page; a like is not, and no document is asked for twice"
    )
    func pages() async throws {
        let (fixture, web) = (try CacheFixture(), Files())
        let screen = screen(fixture.cache, web)
        try await screen.refresh()
        #expect(screen.lines == Array(all[..<2]))
        #expect(try await screen.more())
        #expect(screen.lines == all)
        #expect(try await !screen.more())
        let asked = web.asked.count
        #expect(Set(web.asked).count == asked)
        try await screen.refresh()
        #expect(screen.lines == all)
        #expect(web.asked.count == asked + 2, "the outbox and its first page")
    }

    @Test("A new name is in each line of its owner, announced by others too")
    func rename() async throws {
        let fixture = try CacheFixture()
        let manager = DataModelManager(cacheDelegate: fixture.cache)
        let screen = screen(fixture.cache, Files(), manager)
        try await screen.refresh()
        _ = try await screen.more()
        manager.updateModel(Actor(id: ada, name: "Ada L."))
        await manager.flush()
        #expect(screen.lines.filter { $0.hasPrefix("Ada L.") }.count == 3)
    }

    @Test("A deleted note is gone from its own line and from the one that announces it")
    func deletion() async throws {
        let fixture = try CacheFixture()
        let manager = DataModelManager(cacheDelegate: fixture.cache)
        let screen = screen(fixture.cache, Files(), manager)
        try await screen.refresh()
        _ = try await screen.more()
        manager.deleteModel(Note(id: ada + "/statuses/1", author: Actor(id: ada, name: ""), text: "", answerTo: nil))
        await manager.flush()
        #expect(screen.lines == Array(all[..<2]) + ["(deleted)", "(deleted)"])
    }

    @Test("Without a network, the next start shows what this one has read")
    func offline() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let cache = try SQLiteCache(directory: directory)
        let manager = DataModelManager(cacheDelegate: cache)
        let first = screen(cache, Files(), manager)
        try await first.refresh()
        _ = try await first.more()
        await manager.flush()
        try await cache.flush()
        cache.close()

        let again = try SQLiteCache(directory: directory)
        defer { again.close() }
        let second = screen(again, Files(isReachable: false))
        await #expect(throws: Files.OutOfReach.self) { try await second.refresh() }
        #expect(second.lines == all)
    }

    private func screen(_ cache: NormalizedCache<some NodeStore>, _ web: Files, _ manager: DataModelManager? = nil)
        -> OutboxScreen
    {
        OutboxScreen(outbox, manager ?? DataModelManager(cacheDelegate: cache), Library(cache: cache, web: web))
    }
}

/// The web, as the files of Documents have it.
private final class Files: Web {
    struct OutOfReach: Error {}

    private let isReachable: Bool
    private let answered = Mutex<[String]>([])
    var asked: [String] { answered.withLock { $0 } }

    init(isReachable: Bool = true) { self.isReachable = isReachable }

    func get(_ address: String) async throws -> Data? {
        guard isReachable else { throw OutOfReach() }
        answered.withLock { $0.append(address) }
        let names = [
            "https://social.example/users/ada": "ada", "https://other.example/@grace": "grace",
            "https://other.example/notes/77": "note-77", "https://social.example/users/ada/outbox": "outbox",
            "https://social.example/users/ada/outbox?page=1": "outbox-page1",
            "https://social.example/users/ada/outbox?page=2": "outbox-page2",
        ]
        guard let name = names[address] else { return nil }
        return try Data(contentsOf: URL(filePath: #filePath).appending(path: "../Documents/\(name).json").standardized)
    }
}
