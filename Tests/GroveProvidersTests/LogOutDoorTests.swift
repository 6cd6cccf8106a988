import Grove
import GroveCache
import TestSupport
import Testing

/// Every door ends the same things: requests, retries, pages, fetches, queued saves and events.
@MainActor
@Suite("A log-out, by every door")
struct LogOutDoorTests {
    struct NoNetwork: Error {}

    final class Receiver {}

    @Test("Loads, their retries and first loads of lists end, and bring nothing back")
    func requests() async throws {
        try await LogOutScene.forEachDoor { scene in
            let (cache, manager) = (scene.cache, scene.manager)
            let (server, lists) = (
                Server<Message?>(endsWhenCancelled: false), Server<[Person]>(endsWhenCancelled: false)
            )
            let clock = ManualClock()
            let message = Message(id: "34", sender: Person(id: "1"))
            try await cache.write(message)
            let (one, two) = (
                DataProvider<Message>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
            )
            let list = CollectionDataProvider<Person>(dataModelManager: manager)
            let load = Task { try await one.load(withCacheKey: "Message:34") { try await server.ask() } }
            await server.receives(1)
            // The cache answers too.
            await waitUntil { one.data != nil }
            let retrying = Task {
                try await two.load(withCacheKey: "Message:35", retry: LoadRetry(3, clock: clock)) { () -> Message? in
                    throw NoNetwork()
                }
            }
            // The second try of this one is under way.
            let tries = Server<Message?>(endsWhenCancelled: false)
            let tried = Task {
                try await DataProvider<Message>(dataModelManager: manager).load(
                    withCacheKey: "Message:36", retry: LoadRetry(3, after: .zero)
                ) { try await tries.ask() }
            }
            await tries.waits(0)
            tries.answer(0, .failure(NoNetwork()))
            await tries.receives(2)
            let page = Task { try await list.load(withCacheKey: "people") { try await lists.ask() } }
            await lists.receives(1)
            await clock.sleeps()
            try await scene.leave()
            await scene.expectEnd { try await load.value }
            await scene.expectEnd { try await retrying.value }
            await scene.expectEnd { try await tried.value }
            await scene.expectEnd { try await page.value }
            await server.answer(0, message)
            await tries.answer(1, Message(id: "36", sender: Person(id: "1")))
            await lists.answer(0, [Person(id: "1")])
            try await scene.rest()
            #expect(tries.sent == 2 && server.sent == 1, "\(scene.door)")
            #expect(try scene.message("36") == nil, "\(scene.door)")
            #expect(one.data == (scene.door.leavesWhatIsShown ? message : nil), "\(scene.door)")
            #expect(list.count == 0, "\(scene.door)")
            #expect(try scene.message("34") == nil, "\(scene.door)")
            #expect(try cache.collection("people", of: Person.self) == nil, "\(scene.door)")
            // What is asked for afterwards is another user's.
            let next = Task { try await one.load(withCacheKey: "Message:34") { try await server.ask() } }
            await server.answer(1, Message(id: "34", text: "mine", sender: Person(id: "2")))
            _ = try await next.value
            try await scene.rest()
            #expect(one.data?.text == "mine", "\(scene.door)")
            #expect(try scene.message("34")?.text == "mine", "\(scene.door)")
        }
    }

    @Test("A page, and a load of a list that has pages, end, and bring nothing back")
    func pages() async throws {
        try await LogOutScene.forEachDoor { scene in
            let server = Server<[Person]>(endsWhenCancelled: false)
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            @MainActor func more() -> Task<Int?, any Error> {
                Task { try await list.loadMore { _ in try await server.ask() } }
            }
            @MainActor func refresh() -> Task<[Person], any Error> {
                Task {
                    try await list.load(withCacheKey: "people", part: .firstPage, reload: true) {
                        try await server.ask()
                    }
                }
            }
            func people(_ ids: ClosedRange<Int>, _ name: String) -> [Person] {
                ids.map { Person(id: "\($0)", name: name) }
            }
            list.setData(people(1...2, "former"), cacheKey: "people")
            let first = more()
            await server.answer(0, people(3...4, "former"))
            #expect(try await first.value == 2)
            try await scene.rest()
            #expect(try scene.people().count == 4)
            let page = more()
            await server.receives(2)
            let load = refresh()
            await server.receives(3)
            try await scene.leave()
            await scene.expectEnd { try await page.value }
            await scene.expectEnd { try await load.value }
            await server.answer(1, people(5...6, "former"))
            await server.answer(2, people(1...2, "refreshed"))
            try await scene.rest()
            #expect(list.data == (scene.door.leavesWhatIsShown ? people(1...4, "former") : []), "\(scene.door)")
            #expect(try scene.people().isEmpty, "\(scene.door)")
            for id in 1...6 { #expect(try scene.person("\(id)") == nil, "\(scene.door)") }
            // The next user's.
            let mine = refresh()
            await server.answer(3, people(7...8, "mine"))
            _ = try await mine.value
            let next = more()
            await server.answer(4, people(9...9, "mine"))
            #expect(try await next.value == 1, "\(scene.door)")
            try await scene.rest()
            #expect(list.data == people(7...9, "mine"), "\(scene.door)")
            #expect(try scene.people() == list.data, "\(scene.door)")
        }
    }

    @Test("Fetches that the cache has answered, and that are on their way, bring nothing, and each is told once")
    func fetches() async throws {
        try await LogOutScene.forEachDoor { scene in
            let ann = Person(id: "1", name: "Ann")
            try await scene.cache.write(Message(id: "34", sender: ann))
            try await scene.cache.writeCollection([ann], as: "people")
            let model = DataProvider<Message>(dataModelManager: scene.manager)
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            let reads = scene.hits()
            var brought: [Bool] = []
            model.fetchDataFromCache(withCacheKey: "Message:34") { found, _ in brought.append(found != nil) }
            list.fetchDataFromCache(withCacheKey: "people") { found, _ in brought.append(found != nil) }
            scene.manager.modelFromCache("Person:1") { (found: Person?, _) in brought.append(found != nil) }
            scene.manager.collectionFromCache("people") { (found: [Person]?, _) in brought.append(found != nil) }
            try await scene.leave(after: reads + 4)
            try await scene.rest()
            // Another manager's wipe begins when the main actor is free: what comes before it is of before.
            if scene.door == .otherManager {
                #expect(brought.count == 4)
            } else {
                #expect(brought == [false, false, false, false], "\(scene.door)")
            }
            // Files that go are no log-out: a list that was read before may show.
            #expect(model.data == nil && (list.count == 0 || scene.door.leavesWhatIsShown), "\(scene.door)")
            for state in [model.state, list.state] {
                if case .loading = state { Issue.record("\(scene.door): it is loading still") }
            }
        }
    }

    @Test("What was on its way to the cache is not stored, nor shown")
    func saves() async throws {
        try await LogOutScene.forEachDoor { scene in
            let (model, alias) = (
                DataProvider<Message>(dataModelManager: scene.manager),
                DataProvider<Person>(dataModelManager: scene.manager)
            )
            let (list, new) = (
                CollectionDataProvider<Person>(dataModelManager: scene.manager),
                CollectionDataProvider<Person>(dataModelManager: scene.manager)
            )
            list.setData([Person(id: "1")], cacheKey: "people")
            try await scene.rest()
            model.setData(Message(id: "34", sender: Person(id: "2")))
            list.append([Person(id: "3")])
            new.setData([Person(id: "4")], cacheKey: "others")
            alias.setData(Person(id: "5"))
            scene.manager.updateModel(Person(id: "6"))
            scene.manager.cacheModel(Person(id: "7"), forKey: "me")
            scene.manager.cacheCollection([Person(id: "8")], forKey: "kept")
            try await scene.leave()
            try await scene.rest()
            // A call that is on its way when another process empties the cache is of after that (decision 34): a model
            // is stored, and shown.
            if scene.door.isOtherProcess {
                #expect(try model.data == scene.message("34") && alias.data == scene.person("5"), "\(scene.door)")
                // What was stored before is of before, in lists too.
                for key in ["people", "others", "kept"] {
                    #expect(try !scene.people(key).contains { $0.id == "1" }, "\(scene.door), \(key)")
                }
                #expect(!list.data.contains { $0.id == "1" }, "\(scene.door)")
                return
            }
            #expect(try scene.message("34") == nil, "\(scene.door)")
            for id in 1...8 { #expect(try scene.person("\(id)") == nil, "\(scene.door)") }
            for key in ["people", "others", "kept"] { #expect(try scene.people(key).isEmpty, "\(scene.door)") }
            #expect(try scene.cache.model(forKey: "me", as: Person.self) == nil, "\(scene.door)")
            guard !scene.door.leavesWhatIsShown else { return }
            #expect(model.data == nil && alias.data == nil, "\(scene.door)")
            #expect(list.count == 0 && new.count == 0, "\(scene.door)")
        }
    }

    @Test(
        "A row that is appended before another process's wipe is known brings back no other",
        arguments: FollowedBackend.shared)
    func appendsBehindOthers(_ backend: FollowedBackend) async throws {
        try await LogOutScene.withDoor(.otherProcess(backend)) { scene in
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            list.setData([Person(id: "1")], cacheKey: "people")
            try await scene.rest()
            try await scene.leave(isNoticed: false)
            list.append([Person(id: "3")])
            try await scene.rest()
            #expect(try scene.people() == [Person(id: "3")])
            #expect(list.data == [Person(id: "3")])
        }
    }

    @Test("Events of before it do not come after it, and those after it do")
    func events() async throws {
        try await LogOutScene.forEachDoor { scene in
            final class Screen {
                var seen: [Int] = []
            }
            let manager = scene.manager
            let (early, late) = (Screen(), Screen())
            manager.post(1)
            manager.addReceiver(early, for: Int.self) { screen, event, _ in screen.seen.append(event) }
            await manager.flush()
            try await scene.leave()
            manager.post(2)
            await manager.flush()
            try await scene.cache.write(Person(id: "1"))
            for _ in 0..<3 { await manager.flush() }
            manager.addReceiver(late, for: Int.self, replay: true) { screen, event, _ in screen.seen.append(event) }
            await manager.flush()
            #expect(early.seen.last == 2 && late.seen == [2], "\(scene.door)")
            // One that is on its way.
            manager.post(3)
            try await scene.leave()
            await manager.flush()
            #expect(early.seen.last == 2 || scene.door == .otherManager, "\(scene.door): \(early.seen)")
            let last = Screen()
            manager.addReceiver(last, for: Int.self, replay: true) { screen, event, _ in screen.seen.append(event) }
            await manager.flush()
            #expect(last.seen.isEmpty, "\(scene.door)")
        }
    }

    @Test("What a task of the application asked for before throws, and is neither stored nor told")
    func places() async throws {
        try await LogOutScene.forEachDoor { scene in
            let (cache, manager) = (scene.cache, scene.manager)
            let (asked, askedManager) = (cache.place(), manager.place())
            try await scene.leave(isNoticed: false)
            await scene.expectEnd { try cache.write(Person(id: "1"), asOf: asked) }
            await scene.expectEnd { try cache.write { tx in try tx.write(Person(id: "1"), asOf: asked) } }
            await scene.expectEnd { try await cache.write(contentsOf: [Person(id: "1")], asOf: asked) }
            await scene.expectEnd { try await cache.writeCollection([Person(id: "1")], as: "people", asOf: asked) }
            await scene.expectEnd { try cache.write(Person(id: "1"), forKey: "me", asOf: asked) }
            // A manager's place says the same to its cache.
            await scene.expectEnd { try cache.write(Person(id: "1"), asOf: askedManager) }
            await manager.flush()
            await scene.expectEnd { try manager.updateModel(Person(id: "1"), asOf: askedManager) }
            await scene.expectEnd { try manager.updateModel(Person(id: "1"), asOf: asked) }
            var seen: [Int] = []
            let screen = Receiver()
            manager.addReceiver(screen, for: Int.self) { _, event, _ in seen.append(event) }
            await scene.expectEnd { try manager.post(1, asOf: askedManager) }
            try manager.post(2, asOf: manager.place())
            await manager.flush()
            #expect(try scene.person("1") == nil, "\(scene.door)")
            #expect(seen == [2], "\(scene.door)")
            withExtendedLifetime(screen) {}
            try manager.updateModel(Person(id: "1"), asOf: manager.place())
            await manager.flush()
            #expect(try scene.person("1") != nil, "\(scene.door)")
        }
    }
}
