import Foundation
import Grove
import GroveCache
import Synchronization
import Testing

/// When providers were last updated.
@MainActor
@Suite("Times of updates")
struct UpdateTimeTests {
    typealias People = CollectionDataProvider<Person>

    /// A clock that never says one time twice.
    final class Ticking: Sendable {
        private let seconds = Mutex(1_000.0)
        var now: Date {
            Date(
                timeIntervalSince1970: seconds.withLock {
                    $0 += 1
                    return $0
                })
        }
    }

    let clock = Ticking()
    let manager: DataModelManager
    let person: DataProvider<Person>
    let message: DataProvider<Message>
    let list: People
    let sibling: People

    init() async throws {
        manager = DataModelManager(cacheDelegate: try HeldCache(), now: { [clock] in clock.now })
        (person, message) = (DataProvider(dataModelManager: manager), DataProvider(dataModelManager: manager))
        (list, sibling) = (People(dataModelManager: manager), People(dataModelManager: manager))
        person.setData(Person(id: "1"))
        message.setData(Message(id: "m", sender: Person(id: "1")))
        list.setData([Person(id: "1"), Person(id: "2")], cacheKey: "people")
        sibling.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        await manager.flush()
    }

    /// The time of everybody, if it is one, and later than `before`.
    private func time(after before: Date?) async throws -> Date {
        await manager.flush()
        let times = [person.lastUpdated, message.lastUpdated, list.lastUpdated, sibling.lastUpdated]
        #expect(Set(times).count == 1, "\(times)")
        let time = try #require(times[0])
        if let before { #expect(time > before) }
        return time
    }

    @Test("One update has one time for everything that it touches")
    func oneTime() async throws {
        manager.updateModel(Person(id: "1", name: "manager"))
        var last = try await time(after: nil)
        manager.consistencyManager.updateModel(Person(id: "1", name: "engine"))
        last = try await time(after: last)
        person.setData(Person(id: "1", name: "provider"))
        last = try await time(after: last)
        list.update(Person(id: "1", name: "list"), at: 0)
        last = try await time(after: last)
        list.setData([Person(id: "1", name: "whole list")], cacheKey: "people")
        last = try await time(after: last)
        (message.isPaused, sibling.isPaused) = (true, true)
        manager.updateModel(Person(id: "1", name: "paused"))
        await manager.flush()
        (message.isPaused, sibling.isPaused) = (false, false)
        last = try await time(after: last)
        manager.deleteModel(Person(id: "1"))
        last = try await time(after: last)
        try await manager.wipe()
        #expect(person.data == nil)
    }

    @Test("A wipe, and a refresh that brings nothing new, have one time too")
    func wipe() async throws {
        list.setData(list.data, cacheKey: "people")
        #expect(try #require(list.lastUpdated) > #require(message.lastUpdated))
        try await manager.wipe()
        _ = try await time(after: list.lastUpdated.map { $0 - 1 })
    }
}
