import Grove
import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// Screens over a cache that has less room than what they show, and a sync that writes on.
@MainActor
@Suite("Screens within a budget")
struct BudgetScreenTests {
    typealias Messages = CollectionDataProvider<Message>
    typealias People = CollectionDataProvider<Person>

    private func rest<Store: NodeStore>(_ cache: NormalizedCache<Store>, _ manager: DataModelManager) async throws {
        for _ in 0..<4 {
            await manager.flush()
            try await cache.flush()
        }
    }

    private func isMissing(_ state: ProviderState) -> Bool {
        if case .missing = state { true } else { false }
    }

    @Test("What a screen shows goes last, however little it is read")
    func shownGoesLast() async throws {
        let cache = try MemoryCache(budget: CacheBudget(nodes: 300))
        let manager = DataModelManager(cacheDelegate: cache)
        let shown = (0..<60).map { Person(id: "\($0)", name: "shown") }
        let list = People(dataModelManager: manager)
        list.setData(shown, cacheKey: "channels")
        let one = DataProvider<Person>(dataModelManager: manager)
        one.setData(Person(id: "one", name: "shown"))
        try await rest(cache, manager)
        for round in 0..<20 {
            let others = (0..<100).map { Person(id: "\(round)-\($0)") }
            try await cache.write(contentsOf: others)
            // The other models are read; those on the screen are not.
            for _ in 0..<2 {
                for other in others.suffix(50) { _ = try cache.model("Person:\(other.id)", as: Person.self) }
            }
        }
        #expect(try await cache.usage().evictions > 1_000)
        #expect(try cache.collection("channels", of: Person.self) == shown)
        #expect(try cache.model("Person:one", as: Person.self) != nil)
        // What is shown no longer goes like everything else.
        list.setData([], cacheKey: "other")
        try await rest(cache, manager)
        for round in 20..<40 {
            let others = (0..<100).map { Person(id: "\(round)-\($0)") }
            try await cache.write(contentsOf: others)
            for _ in 0..<8 { for other in others { _ = try cache.model("Person:\(other.id)", as: Person.self) } }
        }
        let left = try shown.filter { try cache.model("Person:\($0.id)", as: Person.self) != nil }
        #expect(left.count < 30)
        #expect(try cache.model("Person:one", as: Person.self) != nil)
        _ = (list, one)
    }

    @Test("If a sync appends more than fits, the screen shows all of the list or says what is missing")
    func syncBeyondBudget() async throws {
        let cache = try MemoryCache(budget: CacheBudget(nodes: 1_000))
        let manager = DataModelManager(cacheDelegate: cache)
        var server = (0..<50).map { Person(id: "\($0)") }
        try await cache.writeCollection(server, as: "people")
        let screen = People(dataModelManager: manager)
        _ = try await screen.fetchDataFromCache(withCacheKey: "people")
        for page in 1..<60 {
            let more = (0..<50).map { Person(id: "\(page * 50 + $0)") }
            try await cache.write { tx in _ = try tx.append(more, toCollection: "people") }
            server += more
        }
        try await rest(cache, manager)
        #expect(
            screen.data.map(\.id) == server.map(\.id) || isMissing(screen.state),
            "\(screen.data.count), \(screen.state)")
        let newest = Person(id: "newest")
        try await cache.write { tx in _ = try tx.insert([newest], at: 0, inCollection: "people") }
        server.insert(newest, at: 0)
        try await rest(cache, manager)
        #expect(
            screen.data.map(\.id) == server.map(\.id) || isMissing(screen.state),
            "\(screen.data.count), \(screen.state)")
    }

    @Test("A chat is there after a sync of more than fits", arguments: ["memory", "lmdb", "sqlite", "leveldb"])
    func chat(backend: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat"
        let budget = CacheBudget(bytes: 5_000_000)
        switch backend {
        case "lmdb": try await chat { try LMDBCache(directory: path, options: LMDBOptions(), budget: budget) }
        case "sqlite": try await chat { try SQLiteCache(directory: path, options: SQLiteOptions(), budget: budget) }
        case "leveldb": try await chat { try LevelDBCache(directory: path, options: LevelDBOptions(), budget: budget) }
        default: try await chat { try MemoryCache(budget: budget) }
        }
    }

    @Test("A small list on screen stays beside a large one", arguments: ["memory", "lmdb", "sqlite", "leveldb"])
    func smallStays(backend: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat"
        let budget = CacheBudget(bytes: 5_000_000)
        switch backend {
        case "lmdb": try await smallStays(LMDBCache(directory: path, options: LMDBOptions(), budget: budget))
        case "sqlite": try await smallStays(SQLiteCache(directory: path, options: SQLiteOptions(), budget: budget))
        case "leveldb": try await smallStays(LevelDBCache(directory: path, options: LevelDBOptions(), budget: budget))
        default: try await smallStays(MemoryCache(budget: budget))
        }
    }

    /// Without an engine: everything counts as shown from the first question on.
    private func smallStays<Store: NodeStore>(_ cache: NormalizedCache<Store>) async throws {
        let followed = cache.followed(by: { _ in }, isShown: { _ in true })
        let channels = (0..<300).map { Person(id: "channel-\($0)", name: "Channel \($0)") }
        let text = String(repeating: "A message that says something. ", count: 96)
        // A large transaction, and small ones.
        try await cache.write { tx in _ = try tx.writeCollection(channels, as: "channels") }
        for number in 0..<100 {
            let page = (0..<20).map {
                Message(id: "\(number * 20 + $0)", text: text, sender: Person(id: "\($0)", name: "Person"))
            }
            try await cache.write { tx in
                if try number == 0 || tx.count(ofCollection: "timeline") == nil {
                    _ = try tx.writeCollection(page, as: "timeline")
                } else {
                    _ = try tx.append(page, toCollection: "timeline")
                }
            }
        }
        #expect(try await cache.usage().evictions > 300)
        // All of it is shown, so that something that is shown must go: never what makes so little room.
        let stored = try channels.compactMap { try cache.model("Person:\($0.id)", as: Person.self) }
        #expect(stored == channels)
        withExtendedLifetime(followed) { cache.close() }
    }

    private func chat<Store: NodeStore>(_ open: () throws -> NormalizedCache<Store>) async throws {
        let cache = try open()
        let manager = DataModelManager(cacheDelegate: cache)
        let people = (0..<40).map { Person(id: "\($0)", name: "Person \($0)") }
        let channels = (0..<300).map { Person(id: "channel-\($0)", name: "Channel \($0)") }
        let text = String(repeating: "A message that says something. ", count: 96)
        func page(_ number: Int) -> [Message] {
            (0..<20).map { Message(id: "\(number * 20 + $0)", text: text, sender: people[($0 + number) % 40]) }
        }
        try await cache.writeCollection(channels, as: "channels")
        var server = page(0)
        try await cache.writeCollection(server, as: "timeline")
        let (channelList, timeline) = (People(dataModelManager: manager), Messages(dataModelManager: manager))
        _ = try await channelList.fetchDataFromCache(withCacheKey: "channels")
        _ = try await timeline.fetchDataFromCache(withCacheKey: "timeline")
        for number in 1..<100 {
            let more = page(number)
            // The channel list is read before each page, as by a screen that comes again and again.
            _ = try await People(dataModelManager: manager).fetchDataFromCache(withCacheKey: "channels")
            try await cache.write { tx in
                if (try tx.count(ofCollection: "timeline")) == nil {
                    _ = try tx.writeCollection(more, as: "timeline")
                } else {
                    _ = try tx.append(more, toCollection: "timeline")
                }
            }
            server += more
        }
        try await rest(cache, manager)
        #expect(try await cache.usage().evictions > 300)
        let isWhole = timeline.data.map(\.id) == server.map(\.id)
        #expect(isWhole || isMissing(timeline.state), "\(timeline.data.count) of \(server.count), \(timeline.state)")
        // Offline: the screens of the next launch, or in memory those of another manager.
        if Store.profile.isPersistent { cache.close() }
        let next = Store.profile.isPersistent ? try open() : cache
        let offline = DataModelManager(cacheDelegate: next)
        let (again, late) = (People(dataModelManager: offline), Messages(dataModelManager: offline))
        _ = try await again.fetchDataFromCache(withCacheKey: "channels")
        // All that is stored is shown, so that something that is shown must go; the little that is read all the time
        // hardly ever does.
        #expect(again.data == channels || isMissing(again.state), "\(again.data.count), \(again.state)")
        #expect(try channels.count { try next.model("Person:\($0.id)", as: Person.self) == $0 } > 250)
        _ = try await late.fetchDataFromCache(withCacheKey: "timeline")
        #expect(
            late.data.map(\.id) == server.map(\.id) || isMissing(late.state), "\(late.data.count), \(late.state)")
        for message in server.suffix(100) {
            #expect(try next.model("Message:\(message.id)", as: Message.self) == message)
        }
        let count = try #require(try next.count(ofCollection: "timeline"))
        #expect(count == server.count)
        #expect(
            try next.readCollection("timeline", of: Message.self, in: count - 20..<count).value?.elements
                == server.suffix(20))
        next.close()
    }
}
