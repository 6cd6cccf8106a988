import Foundation
import Grove
import GroveCache
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// What was under way when everything went does not come back, whichever door it went by.
@MainActor
@Suite("A log-out")
struct LogOutTests {
    enum Door: CaseIterable {
        case manager, cache, otherManager, otherHandle, allOfType, files
    }

    struct NoNetwork: Error {}

    private func wipe(
        by door: Door, _ cache: SQLiteCache, _ path: String, _ manager: DataModelManager, _ other: DataModelManager
    ) async throws {
        switch door {
        case .manager: try await manager.wipe()
        case .cache: try await cache.wipe()
        case .otherManager: try await other.wipe()
        case .otherHandle: try await SQLiteCache(directory: path).wipe()
        case .allOfType:
            try await cache.delete(allOf: Person.self)
            try await cache.delete(allOf: Message.self)
        case .files:
            try await cache.suspend()
            try FileManager.default.removeItem(atPath: path)
            try await cache.resume()
        }
    }

    /// Runs `body` for each door, over a cache of its own.
    private func onEach(
        _ body:
            @MainActor (
                _ wipe: @MainActor () async throws -> Void, SQLiteCache, DataModelManager, Door
            ) async throws -> Void
    ) async throws {
        for door in Door.allCases {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/cache"
            let cache = try SQLiteCache(directory: path)
            let (manager, other) = (DataModelManager(cacheDelegate: cache), DataModelManager(cacheDelegate: cache))
            try await body({ try await wipe(by: door, cache, path, manager, other) }, cache, manager, door)
        }
    }

    @Test("Loads, their retries and pages end, and bring nothing back")
    func requests() async throws {
        try await onEach { wipe, cache, manager, door in
            let (server, lists) = (Server<Message?>(), Server<[Person]>())
            let clock = ManualClock()
            let message = Message(id: "34", sender: Person(id: "1"))
            try await cache.write(message)
            let (one, two) = (
                DataProvider<Message>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
            )
            let list = CollectionDataProvider<Person>(dataModelManager: manager)
            let load = Task { try await one.load(withCacheKey: "Message:34") { try await server.ask() } }
            await server.receives(1)
            let retrying = Task {
                try await two.load(withCacheKey: "Message:35", retry: LoadRetry(3, clock: clock)) { () -> Message? in
                    throw NoNetwork()
                }
            }
            let page = Task { try await list.load(withCacheKey: "people") { try await lists.ask() } }
            await lists.receives(1)
            await clock.sleeps()
            try await wipe()
            await #expect(throws: CacheError.self) { try await load.value }
            await #expect(throws: CacheError.self) { try await retrying.value }
            await #expect(throws: CacheError.self) { try await page.value }
            server.answer(0, .success(message))
            lists.answer(0, .success([Person(id: "1")]))
            for _ in 0..<3 {
                await manager.flush()
                try await cache.flush()
            }
            // Files that go are no log-out: what is shown stays.
            #expect(one.data == (door == .files ? message : nil) && list.count == 0)
            #expect(try cache.model("Message:34", as: Message.self) == nil)
            #expect(try cache.collection("people", of: Person.self) == nil)
            // What is asked for afterwards is another user's.
            let next = Task { try await one.load(withCacheKey: "Message:34") { try await server.ask() } }
            await server.answer(1, Message(id: "34", text: "mine", sender: Person(id: "2")))
            #expect(try await next.value?.text == "mine")
            await manager.flush()
            #expect(try cache.model("Message:34", as: Message.self)?.text == "mine")
        }
    }

    @Test("An edit by identity of what the former user was shown ends with a wipe")
    func updateByIdentity() async throws {
        let scene = Scene(try MemoryCache())
        let shown = DataProvider<Person>(dataModelManager: scene.manager)
        shown.setData(Person(id: "1", name: "Ann"))
        try await scene.settle()
        let edit = try wipe(scene.cache) {
            Task { try await scene.manager.update(Person.self, id: "1") { $0.name = "x" } }
        }
        await #expect(throws: CacheError.self) { try await edit.value }
        for _ in 0..<3 { try await scene.settle() }
        #expect(shown.data == nil)
        #expect(try scene.person("1") == nil)
    }

    private func wipe<Result>(_ cache: MemoryCache, before body: () -> Result) throws -> Result {
        try cache.wipe()
        return body()
    }

    @Test("What was read before a wipe is not handed out after it")
    func readsUnderWay() async throws {
        let scene = Scene(try MemoryCache())
        try await scene.cache.writeCollection([Person(id: "1", name: "Ann")], as: "people")
        let (answers, hits) = (Count(), scene.cache.statistics.hits)
        var (model, list): (Person?, [Person]?)
        scene.manager.modelFromCache("Person:1") { (found: Person?, _) in
            model = found
            answers.add()
        }
        scene.manager.collectionFromCache("people") { (found: [Person]?, _) in
            list = found
            answers.add()
        }
        try wipe(scene.cache, afterReads: hits + 2)
        while answers.value < 2 { await scene.manager.flush() }
        #expect(model == nil && list == nil)
    }

    /// Without a turn of the main actor, once what was asked for has been read.
    private func wipe(_ cache: MemoryCache, afterReads count: Int) throws {
        while cache.statistics.hits < count { sched_yield() }
        try cache.wipe()
    }

    @Test("Events of before a wipe do not come after it, and those after it do, whichever way it went")
    func events() async throws {
        try await onEach { wipe, cache, manager, door in
            guard door != .allOfType, door != .files else { return }
            final class Screen {
                var seen: [Int] = []
            }
            let (early, late) = (Screen(), Screen())
            manager.post(1)
            manager.addReceiver(early, for: Int.self) { screen, event, _ in screen.seen.append(event) }
            await manager.flush()
            try await wipe()
            manager.post(2)
            await manager.flush()
            try await cache.write(Person(id: "1"))
            for _ in 0..<3 { await manager.flush() }
            manager.addReceiver(late, for: Int.self, replay: true) { screen, event, _ in screen.seen.append(event) }
            await manager.flush()
            #expect(early.seen.last == 2 && late.seen == [2], "\(door)")
            try await wipe()
            let last = Screen()
            manager.addReceiver(last, for: Int.self, replay: true) { screen, event, _ in screen.seen.append(event) }
            await manager.flush()
            #expect(last.seen.isEmpty, "\(door)")
        }
    }

    @Test("What a wipe empties is not unsaved, and waits for nothing")
    func statesAfterwards() async throws {
        let scene = Scene(try MemoryCache())
        let (list, waiting) = (
            CollectionDataProvider<Person>(dataModelManager: scene.manager),
            CollectionDataProvider<Person>(dataModelManager: scene.manager)
        )
        list.setData([Person(id: "1", name: "Ann")], cacheKey: "people")
        _ = try await waiting.fetchDataFromCache(withCacheKey: "others") as [Person]?
        try await scene.settle()
        try scene.suspend()
        list.append([Person(id: "2", name: "Bob")])
        await scene.manager.flush()
        guard case .unsaved = list.state else { return #expect(Bool(false), "\(list.state)") }
        try? await scene.manager.wipe()
        try scene.resume()
        list.setData([Person(id: "3", name: "Cid")], cacheKey: "people")
        try? await scene.settle()
        guard case .fresh = list.state else { return #expect(Bool(false), "\(list.state)") }
        try await scene.cache.writeCollection([Person(id: "4", name: "Dan")], as: "others")
        try await scene.settle()
        #expect(waiting.count == 0)
    }

    @Test("Requests that are sent anew at one time, because of edits, all end")
    func sentAnewTogether() async throws {
        let scene = Scene(try MemoryCache())
        let server = Server<Person?>()
        let screens = (0..<4).map { _ in DataProvider<Person>(dataModelManager: scene.manager) }
        var loads: [Task<Person?, any Error>] = []
        func load(_ id: Int) {
            let screen = screens[id]
            loads.append(Task { try await screen.load(withCacheKey: "Person:\(id)") { try await server.ask() } })
        }
        for id in 0..<4 { load(id) }
        await server.receives(4)
        for id in 0..<4 { screens[id].setData(Person(id: "\(id)", name: "edited")) }
        // Each finds a request under way that is older than the edit.
        for id in 0..<4 { load(id) }
        await server.receives(8)
        try await scene.cache.wipe()
        for load in loads { await #expect(throws: CacheError.self) { try await load.value } }
        #expect(server.cancelled == 8)
    }

    @Test("What is shown and the cache has forgotten goes with all of its type")
    func forgotten() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let (shown, other) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
        )
        shown.setData(Person(id: "1", name: "Ann"))
        other.setData(Message(id: "34", sender: Person(id: "2")))
        await manager.flush()
        try await cache.evict("Person:1")
        try await cache.evict("Message:34")
        try await cache.delete(allOf: Person.self)
        await manager.flush()
        #expect(shown.data == nil)
        #expect(other.data == nil, "it cannot be without its sender")
        shown.setData(Person(id: "1", name: "Ben"))
        await manager.flush()
        #expect(shown.data?.name == "Ben")
    }

    @Test("What is shown goes with all of its type, also if the cache has none of it, or is suspended at once")
    func forgottenWholly() async throws {
        for isSuspended in [false, true] {
            let directory = try TemporaryDirectory()
            let cache = try SQLiteCache(directory: directory.path + "/cache")
            let manager = DataModelManager(cacheDelegate: cache)
            let shown = DataProvider<Person>(dataModelManager: manager)
            shown.setData(Person(id: "1", name: "Ann"))
            await manager.flush()
            try await cache.evict("Person:1")
            await manager.flush()
            #expect(shown.data?.name == "Ann")
            try deleteAll(cache, thenSuspending: isSuspended)
            await manager.flush()
            if isSuspended { try await cache.resume() }
            for _ in 0..<3 {
                await manager.flush()
                try await cache.flush()
            }
            #expect(shown.data == nil, "suspended: \(isSuspended)")
        }
    }

    /// Without a turn of the main actor between the two.
    private func deleteAll(_ cache: SQLiteCache, thenSuspending isSuspended: Bool) throws {
        try cache.delete(allOf: Person.self)
        if isSuspended { try cache.suspend() }
    }

    @Test("An answer that is queued while all of its type is deleted is not stored")
    func queuedMeanwhile() async throws {
        let cache = try MemoryCache()
        let follower = cache.followed(by: { _ in })
        let place = follower.place()
        let (outcomes, isQueued) = (Count(), Count())
        try deleteAll(cache) {
            follower.save(Person(id: "1", name: "Ann"), forKey: "Person:1", asOf: place) { outcome in
                if case .refused(let error, _) = outcome, error.code == .cancelled { outcomes.add() }
            }
            isQueued.add()
        }
        #expect(isQueued.value == 1)
        try await cache.flush()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(outcomes.value == 1)
    }

    private func deleteAll(_ cache: MemoryCache, _ body: () -> Void) throws {
        _ = try cache.write { tx in
            try tx.delete(allOf: Person.self)
            body()
        }
    }

    @Test("A list that was refused while the cache was suspended does not outlive a wipe")
    func refusedList() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path + "/cache")
        let manager = DataModelManager(cacheDelegate: cache)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        try await cache.suspend()
        list.setData([Person(id: "1", name: "Ann")], cacheKey: "people")
        await manager.flush()
        try resumeAndWipe(cache)
        for _ in 0..<3 {
            await manager.flush()
            // It tells of the refusal.
            try? await cache.flush()
        }
        #expect(list.count == 0)
        #expect(try cache.collection("people", of: Person.self) == nil)
    }

    @Test("What was borrowed from a list, and whose fetch met a wipe, goes, and its state is no longer loading")
    func borrowed() async throws {
        let scene = Scene(try MemoryCache())
        try await scene.cache.writeCollection([Person(id: "1", name: "Ann")], as: "people")
        let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people") as [Person]?
        let one = DataProvider<Person>(dataModelManager: scene.manager)
        var outcomes: [(any Error)?] = []
        try wipe(scene.cache) {
            one.fetchDataFromCache(withCacheKey: "Person:1") { outcomes.append($1) }
            #expect(one.data?.name == "Ann", "It is shown before the cache has answered.")
        }
        for _ in 0..<3 { try await scene.settle() }
        #expect(outcomes.count == 1 && (outcomes.first as? CacheError)?.code == .cancelled)
        #expect(one.data == nil && list.count == 0)
        if case .loading = one.state { Issue.record("It is loading still.") }
    }

    /// Wipes before and after `body`, without a turn of the main actor between.
    private func wipe(_ cache: MemoryCache, around body: () -> Void) throws {
        try cache.wipe()
        body()
        try cache.wipe()
    }

    @Test(
        "A list that was edited while the cache was suspended does not bring back what another manager deleted meanwhile"
    )
    func deletedMeanwhile() async throws {
        let scene = Scene(try MemoryCache())
        try await scene.cache.writeCollection(
            [Person(id: "1", name: "Ann"), Person(id: "2", name: "Bob")], as: "people")
        let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people") as [Person]?
        #expect(list.count == 2)
        try scene.suspend()
        scene.other.deleteModel(Person(id: "1"))
        await scene.other.flush()
        list.append([Person(id: "3", name: "Cid")])
        await scene.manager.flush()
        try scene.resume()
        for _ in 0..<6 { try? await scene.settle() }
        #expect(try scene.person("1") == nil)
        #expect(try scene.person("3")?.name == "Cid")
        #expect(list.data.map(\.id) == ["2", "3"])
        #expect(scene.people().map(\.id) == ["2", "3"])
    }

    /// Without a turn of the main actor between the two.
    private func resumeAndWipe(_ cache: SQLiteCache) throws {
        try cache.resume()
        try cache.wipe()
    }

    @Test("A write and an update that were asked for before throw, and store nothing")
    func places() async throws {
        try await onEach { wipe, cache, manager, _ in
            let (asked, askedManager) = (cache.place(), manager.place())
            try await wipe()
            #expect(throws: CacheError.self) { try cache.write(Person(id: "1"), asOf: asked) }
            #expect(throws: CacheError.self) { try cache.write { tx in try tx.write(Person(id: "1"), asOf: asked) } }
            await #expect(throws: CacheError.self) { try await cache.write(contentsOf: [Person(id: "1")], asOf: asked) }
            await manager.flush()
            #expect(throws: CacheError.self) { try manager.updateModel(Person(id: "1"), asOf: askedManager) }
            await manager.flush()
            #expect(try cache.model("Person:1", as: Person.self) == nil)
            try manager.updateModel(Person(id: "1"), asOf: manager.place())
            await manager.flush()
            #expect(try cache.model("Person:1", as: Person.self) != nil)
        }
    }

    @Test(
        "A wipe by another process ends what is under way; a commit of one wins over an older answer",
        arguments: FollowedBackend.shared)
    func otherProcess(backend: FollowedBackend) async throws {
        try await backend.open(withPeer: true) { scene, peer in
            let server = Server<Message?>()
            let message = Message(id: "1", text: "network", sender: Person(id: "1", name: "old"))
            let provider = DataProvider<Message>(dataModelManager: scene.manager)
            func load() -> Task<Message?, any Error> {
                Task { try await provider.load(withCacheKey: "Message:1") { try await server.ask() } }
            }
            let first = load()
            await server.receives(1)
            _ = try peer?.ask("put", "1", "new")
            try await scene.settle()
            await server.answer(0, message)
            #expect(try await first.value?.sender.name == "new")
            try await scene.settle()
            #expect(try scene.message("1") == provider.data && provider.data?.sender.name == "new")
            let second = load()
            await server.receives(2)
            _ = try peer?.ask("wipe")
            try await scene.settle()
            await #expect(throws: CacheError.self) { try await second.value }
            server.answer(1, .success(message))
            try await scene.settle()
            #expect(provider.data == nil)
            #expect(try scene.message("1") == nil)
        }
    }
}
