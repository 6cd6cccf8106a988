import Grove
import GroveCache
import TestSupport
import Testing

/// Everything at once, from several threads; run under the thread sanitizer by `Scripts/tsan.sh`.
@MainActor
@Suite("Stress")
struct StressTests {
    typealias People = CollectionDataProvider<Person>

    struct Note: Sendable { var text: String }

    @MainActor final class Receiver { var count = 0 }

    @Test("Whatever threads do at once: more seeds", arguments: 100..<1_000 as Range<UInt64>)
    func slowEverything(seed: UInt64) async throws { try await everything(seed: seed) }

    @Test(
        "Whatever threads do at once, providers, siblings, listeners and cache agree when all is quiet",
        arguments: 0..<100 as Range<UInt64>)
    func everything(seed: UInt64) async throws {
        let cache = try HeldCache()
        let manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        let people = (0..<4).map { _ in DataProvider<Person>(dataModelManager: manager) }
        let messages = (0..<2).map { _ in DataProvider<Message>(dataModelManager: manager) }
        let lists = (0..<2).map { _ in People(dataModelManager: manager) }
        lists[0].setData((0..<4).map { Person(id: "\($0)") }, cacheKey: "people")
        _ = try await lists[1].fetchDataFromCache(withCacheKey: "people")
        let batch = BatchDataProviderListener(dataProviders: messages, dataModelManager: manager)
        let receiver = Receiver()
        manager.addReceiver(receiver, for: Note.self) { receiver, _, _ in receiver.count += 1 }
        let stream: AsyncStream<ModelEvent<Person>> = manager.consistencyManager.changes(of: "Person:1")
        let reading = Task.detached {
            var last: Person?
            for await event in stream { last = event.model }
            return last
        }
        var notes = 0
        await withTaskGroup(of: Int.self) { group in
            for worker in 0..<3 as Range<UInt64> {
                group.addTask { await StressTests.work(manager, SeededGenerator(seed: seed * 8 + worker), "\(worker)") }
            }
            await self.edit(manager, people, messages, lists, batch, SeededGenerator(seed: seed * 8 + 7))
            for await posted in group { notes += posted }
        }
        batch.isPaused = false
        for provider in people { provider.isPaused = false }
        for list in lists { list.isPaused = false }
        for _ in 0..<3 { await manager.flush() }
        try await cache.inner.flush()
        await manager.flush()
        #expect(receiver.count == notes, "seed \(seed)")
        #expect(lists[0].data == lists[1].data, "seed \(seed)")
        var newest: [String: Person] = [:]
        for person in people.compactMap(\.data) + messages.compactMap({ $0.data?.sender }) + lists[0].data {
            if let known = newest[person.id] { #expect(known == person, "seed \(seed)") }
            newest[person.id] = person
        }
        for person in newest.values {
            if let cached = try cache.inner.model("Person:\(person.id)", as: Person.self) {
                #expect(cached == person, "seed \(seed)")
            }
        }
        for message in messages.compactMap(\.data) {
            if let cached = try cache.inner.model("Message:\(message.id)", as: Message.self) {
                #expect(cached == message, "seed \(seed)")
            }
        }
        if let cached = try cache.inner.collection("people", of: Person.self) {
            #expect(cached == lists[0].data, "seed \(seed)")
        }
        reading.cancel()
        _ = await reading.value
    }

    /// What any thread may do; returns how many events it posted.
    private nonisolated static func work(_ manager: DataModelManager, _ seeded: SeededGenerator, _ name: String) async
        -> Int
    {
        var random = seeded
        var notes = 0
        for step in 0..<12 {
            let person = Person(id: "\(Int.random(in: 0..<4, using: &random))", name: "\(name).\(step)")
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: manager.updateModel(person)
            case 2: manager.updateModels([person, Person(id: "1", name: "\(name) \(step)")])
            case 3: manager.updateModel(Message(id: "\(step % 2)", text: name, sender: person))
            case 4: manager.deleteModel(person)
            case 5: manager.modelFromCache("Person:\(person.id)") { (_: Person?, _) in }
            case 6:
                manager.post(Note(text: name))
                notes += 1
            default: await Task.yield()
            }
        }
        return notes
    }

    private func edit(
        _ manager: DataModelManager, _ people: [DataProvider<Person>], _ messages: [DataProvider<Message>],
        _ lists: [People], _ batch: BatchDataProviderListener, _ seeded: SeededGenerator
    ) async {
        var random = seeded
        for step in 0..<16 {
            let id = "\(Int.random(in: 0..<4, using: &random))"
            let person = Person(id: id, name: "main.\(step)")
            let list = lists[Int.random(in: 0..<2, using: &random)]
            let provider = people[Int.random(in: 0..<4, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0: provider.setData(person)
            case 1: messages[step % 2].setData(Message(id: "\(step % 2)", text: "main", sender: person))
            case 2: list.append([person])
            case 3 where list.count > 0: list.remove(at: Int.random(in: 0..<list.count, using: &random))
            case 4 where list.count > 0: list.update(person, at: Int.random(in: 0..<list.count, using: &random))
            case 5: provider.fetchDataFromCache(withCacheKey: "Person:\(id)", completion: { _, _ in })
            case 6:
                provider.setData(nil)
                provider.modelIdentifier = "Person:\(id)"
            case 7: list.isPaused.toggle()
            case 8: batch.isPaused.toggle()
            case 9:
                // Made, used and gone while others work.
                let short = DataProvider<Message>(dataModelManager: manager)
                short.modelIdentifier = "Message:\(step % 2)"
            case 10: provider.isPaused.toggle()
            default: await Task.yield()
            }
        }
    }
}
