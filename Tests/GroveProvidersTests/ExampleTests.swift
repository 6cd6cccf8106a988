import Grove
import GroveCache
import GroveMemory
import TestSupport
import Testing

/// The front page of RocketData, and 500px's message bus, in their shape.
@MainActor
@Suite("Examples")
struct ExampleTests {
    /// The message screen: cache and network at once.
    @MainActor
    final class MessagesScreen: CollectionDataProviderDelegate {
        let dataProvider: CollectionDataProvider<Message>
        var reloads = 0

        init(_ manager: DataModelManager, network: @escaping @Sendable () async -> [Message]) async {
            dataProvider = CollectionDataProvider(dataModelManager: manager)
            dataProvider.delegate = self
            dataProvider.fetchDataFromCache(withCacheKey: "messages") { _, _ in self.reloads += 1 }
            let models = await network()
            dataProvider.setData(models, cacheKey: "messages")
        }

        func collectionDataProviderHasUpdatedData<T>(
            _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
        ) {
            reloads += 1
        }
    }

    @Test("A person who comes online in the contact list changes the open message; the network wins over the cache")
    func messagesAndContacts() async throws {
        let cache = try HeldCache()
        let manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        let ann = Person(id: "1", name: "Ann")
        try await cache.inner.writeCollection([Message(id: "1", text: "old", sender: ann)], as: "messages")
        cache.hold()
        let screen = await MessagesScreen(manager) { [Message(id: "1", text: "new", sender: ann)] }
        await manager.flush()
        cache.release()
        await manager.flush()
        #expect(screen.dataProvider.data.map(\.text) == ["new"])

        let contacts = CollectionDataProvider<Person>(dataModelManager: manager)
        contacts.setData([ann, Person(id: "2", name: "Bob")], cacheKey: "contacts")
        contacts.update(Person(id: "1", name: "Ann", isOnline: true), at: 0)
        await manager.flush()
        #expect(screen.dataProvider[0].sender.isOnline)
        #expect(screen.reloads > 0)

        await withCheckedContinuation { continuation in
            CollectionDataProvider<Message>.append(
                [Message(id: "9", text: "hey", sender: ann)], cacheKey: "nobody has this", dataModelManager: manager,
                completion: { _ in continuation.resume() })
        }
        await manager.flush()
        try await cache.inner.flush()
        #expect(try cache.inner.collection("nobody has this", of: Message.self)?.map(\.text) == ["hey"])
    }

    /// An event as a model, stamped with its time of making so that no two are equal.
    struct Upload: SimpleModel, Equatable {
        var photo: String
        var stamp: Int
        var modelIdentifier: ModelIdentifier? { "Upload" }
    }

    @Test("An event model that is updated through the manager tells every provider of it and is never stored")
    func messageBus() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        let providers = (0..<3).map { _ in DataProvider<Upload>(dataModelManager: manager) }
        let screen = Screen()
        for provider in providers {
            provider.delegate = screen
            provider.setData(Upload(photo: "", stamp: 0), updateCache: false)
        }
        manager.updateModel(Upload(photo: "cat", stamp: 1), updateCache: false)
        manager.updateModel(Upload(photo: "cat", stamp: 2), updateCache: false)
        await manager.flush()
        try await cache.flush()
        #expect(screen.told.count == 6)
        #expect(providers.allSatisfy { $0.data?.stamp == 2 })
    }

    @Test("Events need no unregistering, take turns, carry their sender, and the latest is replayed on request")
    func events() async throws {
        struct Ping: Sendable { var count: Int }
        struct Pong: Sendable { var count: Int }
        @MainActor final class Receiver {
            var seen: [Int] = []
            var lines: [Int] = []
        }
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let first = Receiver()
        var second: Receiver? = Receiver()
        let isSecondGone = { [weak second] in second == nil }
        manager.addReceiver(first, for: Ping.self) { [unowned manager] receiver, ping, source in
            receiver.seen.append(ping.count)
            receiver.lines.append(source.line)
            if ping.count < 10 { manager.post(Pong(count: ping.count + 1)) }
        }
        if let second {
            manager.addReceiver(second, for: Pong.self) { [unowned manager] receiver, pong, _ in
                receiver.seen.append(pong.count)
                manager.post(Ping(count: pong.count + 1))
            }
        }
        manager.post(Ping(count: 0))
        let line = #line - 1
        // Each answer waits for the next turn of the main actor.
        for _ in 0..<12 { await manager.flush() }
        #expect(first.seen == [0, 2, 4, 6, 8, 10])
        #expect(second?.seen == [1, 3, 5, 7, 9])
        #expect(first.lines.first == line)
        second = nil
        #expect(isSecondGone())
        manager.post(Pong(count: 5))
        let late = Receiver()
        manager.addReceiver(late, for: Pong.self, replay: true) { receiver, pong, _ in receiver.seen.append(pong.count)
        }
        await manager.flush()
        #expect(late.seen.last == 5)
        try await manager.wipe()
        let later = Receiver()
        manager.addReceiver(later, for: Pong.self, replay: true) { receiver, pong, _ in receiver.seen.append(pong.count)
        }
        await manager.flush()
        #expect(later.seen.isEmpty)
    }

    @Test(
        "The newest change wins on every provider and in the cache: more seeds", arguments: 100..<1_000 as Range<UInt64>
    )
    func slowConflicts(seed: UInt64) async throws { try await conflicts(seed: seed) }

    @Test("The newest change wins on every provider and in the cache", arguments: 0..<100 as Range<UInt64>)
    func conflicts(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        let people = (0..<4).map { _ in DataProvider<Person>(dataModelManager: manager) }
        let messages = (0..<3).map { _ in DataProvider<Message>(dataModelManager: manager) }
        var newest: [String: Person] = [:]
        var newestMessage: [String: Message] = [:]
        var version = 0
        func person() -> Person {
            version += 1
            let person = Person(id: "\(Int.random(in: 0..<3, using: &random))", name: "\(version)")
            newest[person.id] = person
            for (id, message) in newestMessage where message.sender.id == person.id {
                newestMessage[id]?.sender = person
            }
            return person
        }
        func message() -> Message {
            let message = Message(id: "\(Int.random(in: 0..<2, using: &random))", text: "\(version)", sender: person())
            newestMessage[message.id] = message
            return message
        }
        for _ in 0..<40 {
            let holder = people.randomElement(using: &random)!
            let reader = messages.randomElement(using: &random)!
            let id = "\(Int.random(in: 0..<3, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0: holder.setData(person())
            case 1: reader.setData(message())
            case 2: manager.updateModel(person())
            case 3: manager.updateModel(message())
            case 4: manager.updateModels([person(), person()])
            case 5:
                manager.deleteModel(Person(id: id))
                newest[id] = nil
                newestMessage = newestMessage.filter { $0.value.sender.id != id }
            case 6: holder.fetchDataFromCache(withCacheKey: "Person:\(id)", completion: { _, _ in })
            case 7: reader.fetchDataFromCache(withCacheKey: "Message:\(id)", completion: { _, _ in })
            case 8: try await cache.evict("Person:\(id)")
            default: await manager.flush()
            }
        }
        await manager.flush()
        try await cache.flush()
        await manager.flush()
        for provider in people {
            if let data = provider.data { #expect(data == newest[data.id], "seed \(seed)") }
        }
        for provider in messages {
            if let data = provider.data { #expect(data == newestMessage[data.id], "seed \(seed)") }
        }
        for id in ["0", "1", "2"] {
            if let cached = try cache.model("Person:\(id)", as: Person.self) {
                #expect(cached == newest[id], "seed \(seed)")
            }
            if let cached = try cache.model("Message:\(id)", as: Message.self) {
                #expect(cached == newestMessage[id], "seed \(seed)")
            }
        }
    }
}
