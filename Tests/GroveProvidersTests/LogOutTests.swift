import Foundation
import Grove
import GroveCache
import GroveMemory
import GroveSQLite
import Synchronization
import TestSupport
import Testing

/// What was under way when everything went does not come back, whichever door it went by.
@MainActor
@Suite("A log-out")
struct LogOutTests {
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

    @Test("What is of before a deletion of all of its type, and queued while that runs, is not stored")
    func queuedMeanwhile() async throws {
        let cache = try MemoryCache()
        let follower = cache.followed(by: { _ in })
        let place = follower.place()
        let wipes = follower.life.wipes
        let outcomes = Count()
        @Sendable func settled(_ outcome: SaveOutcome) {
            if case .refused(let error, _) = outcome, error.code == .cancelled { outcomes.add() }
        }
        try deleteAll(cache) {
            let person = Person(id: "1", name: "Ann")
            follower.save(person, forKey: "Person:1", asOf: place, settled: settled)
            // An edit that is made again, after others that were made before it.
            follower.edit(
                .set([person]), forKey: "people", ticket: EditTicket(rawValue: 1), asOf: nil, fillsOnly: false,
                madeAt: wipes,
                settled: settled)
        }
        try await cache.flush()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(try cache.collection("people", of: Person.self) == nil)
        #expect(outcomes.value == 2)
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

    /// Inserts a person as soon as a list shows another one.
    private final class Inserter: CollectionDataProviderDelegate {
        var isArmed = false

        func collectionDataProviderHasUpdatedData<T>(
            _ list: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
        ) {
            guard isArmed, list.count > 0, let list = list as? CollectionDataProvider<Person> else { return }
            isArmed = false
            list.insert([Person(id: "9", name: "new")], at: 0)
        }
    }

    /// An observer that takes its time: who follows the cache is told behind it.
    private final class SlowObserver: CacheObserver {
        let commits = Count()
        private let isSlow = Mutex(false)
        private let gate = DispatchSemaphore(value: 0)

        func cacheDidCommit(_ changes: ChangeSet) {
            if isSlow.withLock({ $0 }) { gate.wait() }
            commits.add()
        }

        func slow() { isSlow.withLock { $0 = true } }

        /// Lets one commit be told, and keeps those behind it.
        func step() { gate.signal() }

        func goOn() {
            isSlow.withLock { $0 = false }
            gate.signal()
        }
    }

    @Test(
        "Rows that were read before everything went are not shown after it, so that no edit brings them back",
        arguments: [false, true], [false, true])
    func rowsReadBefore(isShown: Bool, isOfType: Bool) async throws {
        let observer = SlowObserver()
        let scene = Scene(try MemoryCache(observer: observer))
        let (list, inserter) = (CollectionDataProvider<Person>(dataModelManager: scene.manager), Inserter())
        list.delegate = inserter
        if isShown { try await scene.cache.writeCollection([Person(id: "1", name: "Ann")], as: "people") }
        _ = try await list.fetchDataFromCache(withCacheKey: "people") as [Person]?
        try await scene.settle()
        inserter.isArmed = true
        try wipe(scene.cache, isOfType, observer, afterReading: Person(id: "2", name: "Bob"))
        // The manager gets to know of it later than of an edit.
        for _ in 0..<200 where try scene.cache.knownCount(ofCollection: "people") == nil {
            try await Task.sleep(for: .milliseconds(1))
        }
        observer.goOn()
        for _ in 0..<3 { try await scene.settle() }
        #expect(list.data.allSatisfy { $0.id == "9" })
        #expect(scene.people().allSatisfy { $0.id == "9" })
    }

    /// Puts `person` into the list and wipes, without a turn of the main actor.
    private func wipe(
        _ cache: MemoryCache, _ isOfType: Bool, _ observer: SlowObserver, afterReading person: Person
    ) throws {
        let commits = observer.commits.value
        if try cache.knownCount(ofCollection: "people") == nil {
            try cache.writeCollection([person], as: "people")
        } else {
            try cache.append([person], toCollection: "people")
        }
        while observer.commits.value == commits { sched_yield() }
        // Managers read what was committed, and have it for the next turn.
        usleep(50_000)
        observer.slow()
        if isOfType { try cache.delete(allOf: Person.self) } else { try cache.wipe() }
    }

    @Test("A list of before a wipe, of which the manager is told after it, is not the one that an edit adds to")
    func setBefore() async throws {
        let observer = SlowObserver()
        let scene = Scene(try MemoryCache(observer: observer))
        let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
        _ = try? await list.fetchDataFromCache(withCacheKey: "people") as [Person]?
        try await scene.settle()
        observer.slow()
        try setAndAppend(list, in: scene.cache, observer)
        try await Task.sleep(for: .milliseconds(50))
        observer.goOn()
        for _ in 0..<3 { try await scene.settle() }
        #expect(list.data.map(\.id) == ["9"])
        #expect(scene.people().map(\.id) == ["9"])
    }

    @Test("An edit that is made after a wipe, while a load of before it is under way, is stored")
    func editedWhileOvertaken() async throws {
        let scene = Scene(try MemoryCache())
        try await scene.cache.writeCollection([Person(id: "1", name: "before")], as: "people")
        let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
        try loadAndAppend(list, in: scene)
        for _ in 0..<3 { try await scene.settle() }
        #expect(list.data.map(\.id) == ["9"])
        #expect(scene.people().map(\.id) == ["9"])
    }

    /// Begins to load the list, wipes once it was read, and adds to it, without a turn of the main actor.
    private func loadAndAppend(_ list: CollectionDataProvider<Person>, in scene: Scene<MemoryStore>) throws {
        scene.waitForRead { list.fetchDataFromCache(withCacheKey: "people") { _, _ in } }
        try scene.cache.wipe()
        list.append([Person(id: "9", name: "after")])
    }

    /// Sets the list, wipes, and adds to the list, without a turn of the main actor.
    private func setAndAppend(
        _ list: CollectionDataProvider<Person>, in cache: MemoryCache, _ observer: SlowObserver
    ) throws {
        list.setData([Person(id: "1", name: "before")], cacheKey: "people")
        while try cache.knownCount(ofCollection: "people") != 1 { sched_yield() }
        try cache.wipe()
        // The manager is told of the list alone, and has that for the next turn.
        observer.step()
        usleep(50_000)
        list.append([Person(id: "9", name: "after")])
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

    @Test(
        "Another process's wipe is told when commits of others are looked for, also if a call saw before that it came",
        arguments: FollowedBackend.shared)
    func seenByAPlace(backend: FollowedBackend) async throws {
        try await backend.open(withPeer: true) { scene, peer in
            let server = Server<Person?>(endsWhenCancelled: false)
            let provider = DataProvider<Person>(dataModelManager: scene.manager)
            let isOver = Count()
            let load = Task {
                defer { isOver.add() }
                return try await provider.load(withCacheKey: "Person:1") { try await server.ask() }
            }
            await server.receives(1)
            for _ in 0..<2 { try await scene.settle() }
            try wipe(in: peer, seenBy: scene.manager)
            scene.anyCache.noticeCommitsOfOtherProcesses()
            // Without another call of the cache, which would see it too.
            await waitUntil { isOver.value > 0 }
            server.answer(0, .success(nil))
            let error = await #expect(throws: CacheError.self) { try await load.value }
            #expect(error?.code == .cancelled)
        }
    }

    private func wipe(in peer: PeerConversation?, seenBy manager: DataModelManager) throws {
        _ = try peer?.ask("wipe")
        _ = manager.place()
    }
}
