import Dispatch
import Grove
@testable import GroveCache
import GroveMemory
import TestSupport
import Testing

/// Who changes something.
enum Writer: CaseIterable { case typedCall, transaction, otherManager }

/// A cache, a manager whose screens are looked at, and another one.
@MainActor
struct Scene<Store: NodeStore> {
    let cache: NormalizedCache<Store>
    let manager: DataModelManager
    let other: DataModelManager

    init(_ cache: NormalizedCache<Store>) {
        self.cache = cache
        manager = DataModelManager(cacheDelegate: cache)
        other = DataModelManager(cacheDelegate: cache)
    }

    /// Returns when everybody has been told of everything.
    func settle() async throws {
        // What follows of one commit is read in a few steps, one after the other.
        for _ in 0..<4 {
            for manager in [manager, other] { await manager.flush() }
            try await cache.flush()
            await withCheckedContinuation { continuation in
                cache.core.audience.events.async { continuation.resume() }
            }
        }
        for manager in [manager, other] { await manager.flush() }
    }

    func write(_ models: [Message], by writer: Writer) throws {
        switch writer {
        case .typedCall: try cache.write(contentsOf: models)
        case .transaction: try cache.write { tx in for model in models { try tx.write(model) } }
        case .otherManager: other.updateModels(models)
        }
    }

    func delete(_ person: Person, by writer: Writer) throws {
        switch writer {
        case .typedCall: try cache.delete("Person:\(person.id)")
        case .transaction: try cache.write { tx in try tx.delete("Person:\(person.id)") }
        case .otherManager: other.deleteModel(person)
        }
    }
}

/// A scene of any backend.
@MainActor
protocol FollowingScene {
    var manager: DataModelManager { get }
    var other: DataModelManager { get }
    func settle() async throws
    func write(_ models: [Message], by writer: Writer) throws
    func delete(_ person: Person, by writer: Writer) throws
    func insert(_ people: [Person], at index: Int, by writer: Writer) throws
    func forget(_ identifier: ModelIdentifier, list: String?) throws
    func renameText(_ id: String, _ text: String) throws
    func person(_ id: String) throws -> Person?
    func stored(_ list: String) -> [Person]
    func wipe() async throws
    func put(_ people: [Person]) throws
    func putAndSuspend(_ people: [Person]) throws
    func suspendNow() throws
    func resumeNow() throws
    func program(_ seed: UInt64) async throws
}

extension Scene: FollowingScene {
    func insert(_ people: [Person], at index: Int, by writer: Writer) throws {
        switch writer {
        case .typedCall: try cache.insert(people, at: index, inCollection: "people")
        case .transaction: try cache.write { tx in try tx.insert(people, at: index, inCollection: "people") }
        case .otherManager:
            let list = CollectionDataProvider<Person>(dataModelManager: other)
            let stored = stored("people")
            list.setData(stored, cacheKey: "people", shouldCache: false)
            list.insert(people, at: index)
        }
    }

    func forget(_ identifier: ModelIdentifier, list: String?) throws {
        try cache.evict(identifier)
        if let list { try cache.removeCollection(list) }
    }

    func renameText(_ id: String, _ text: String) throws {
        // A projection that leaves the sender as it is.
        try cache.write(MessageText(id: id, text: text))
    }

    func person(_ id: String) throws -> Person? { try cache.model("Person:\(id)", as: Person.self) }

    func stored(_ list: String) -> [Person] { (try? cache.collection(list, of: Person.self, missing: .skip)) ?? [] }

    func wipe() async throws { try await cache.wipe() }

    /// Calls of this thread, which waits.
    func put(_ people: [Person]) throws { try cache.write(contentsOf: people) }

    func putAndSuspend(_ people: [Person]) throws {
        try put(people)
        try cache.suspend()
    }

    func suspendNow() throws { try cache.suspend() }

    func resumeNow() throws { try cache.resume() }

    func add(_ people: [Person]) throws { try cache.append(people, toCollection: "people") }

    func program(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let managers = [manager, other]
        let people = (0..<6).map { DataProvider<Person>(dataModelManager: managers[$0 % 2]) }
        let messages = (0..<4).map { DataProvider<Message>(dataModelManager: managers[$0 % 2]) }
        let lists = managers.map { CollectionDataProvider<Person>(dataModelManager: $0) }
        let watchers = people.map { provider in
            let watcher = VersionWatcher()
            provider.delegate = watcher
            return watcher
        }
        lists[0].setData((0..<4).map { Person(id: "\($0)", name: "0") }, cacheKey: "people")
        try await settle()
        _ = try await lists[1].fetchDataFromCache(withCacheKey: "people")
        // Who is deleted here does not come back: a list that was stored whole in the meantime would hold him again.
        var ids = (0..<4).map { "\($0)" }
        for step in 1...60 {
            let place = Int.random(in: 0..<4, using: &random)
            let id = ids[place]
            let person = Person(id: id, name: "\(step)")
            let message = Message(id: "\(Int.random(in: 0..<2, using: &random))", text: "\(step)", sender: person)
            let who = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<16, using: &random) {
            case 0: try put([person])
            case 1: try write([message], by: .typedCall)
            case 2:
                try write(
                    [message, Message(id: "1", text: "\(step)", sender: Person(id: ids[3], name: "\(step)"))],
                    by: .transaction)
            case 3: managers[who].updateModel(person)
            case 4: people[Int.random(in: 0..<6, using: &random)].setData(person)
            case 5: messages[Int.random(in: 0..<4, using: &random)].setData(message)
            case 6:
                try delete(person, by: .typedCall)
                ids[place] = "\(step + 10)"
            case 7:
                managers[who].deleteModel(person)
                ids[place] = "\(step + 10)"
            case 8:
                people[Int.random(in: 0..<6, using: &random)].fetchDataFromCache(
                    withCacheKey: "Person:\(id)", completion: { _, _ in })
            case 9:
                messages[Int.random(in: 0..<4, using: &random)].fetchDataFromCache(
                    withCacheKey: "Message:\(step % 2)", completion: { _, _ in })
            case 10: lists[who].append([person])
            case 11 where lists[who].count > 0: lists[who].remove(at: 0)
            case 12: try? add([person])
            case 13: try await cache.write(Person(id: id, name: "\(step)"))
            case 14: await managers[who].flush()
            default: await Task.yield()
            }
        }
        for _ in 0..<3 { try await settle() }
        for provider in people {
            guard let shown = provider.data else { continue }
            let cached = try cache.model("Person:\(shown.id)", as: Person.self)
            #expect(cached == shown, "seed \(seed)")
        }
        for provider in messages {
            guard let shown = provider.data else { continue }
            let cached = try cache.read("Message:\(shown.id)", as: Message.self)
            #expect(cached == .hit(shown), "seed \(seed)")
        }
        #expect(lists[0].data == lists[1].data, "seed \(seed)")
        #expect(stored("people") == lists[0].data, "seed \(seed)")
        for watcher in watchers { #expect(watcher.wentBack == nil, "seed \(seed)") }
    }
}

/// Notes where a newer version of a person was followed by an older one.
@MainActor
private final class VersionWatcher: DataProviderDelegate {
    private var seen: [String: Int] = [:]
    var wentBack: String?

    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
        guard let person = dataProvider.data as? Person, let version = Int(person.name) else { return }
        if let before = seen[person.id], version < before { wentBack = "\(person.id): \(before), then \(version)" }
        seen[person.id] = max(version, seen[person.id] ?? 0)
    }
}

/// The text of a message, without its sender.
struct MessageText: Model, Equatable, CacheableModel {
    var id: String
    var text: String

    static let recordName = "Message"
    static let projectionName = "MessageText"
    var projectionIdentifier: String { "MessageText" }
    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> MessageText? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    static let fields = FieldTable("id", "text")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(text, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> MessageText {
        let id = try node.scan(String.self, at: 0)
        let text = try node.scan(String.self, at: 1)
        return MessageText(id: try node.finish(id), text: try node.finish(text))
    }
}
