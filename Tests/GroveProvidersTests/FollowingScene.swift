@testable import GroveCache
import Dispatch
import Grove
import GroveInspect
import GroveMemory
import TestSupport
import Testing

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
}

/// A scene of any backend.
@MainActor
protocol FollowingScene {
    var manager: DataModelManager { get }
    var other: DataModelManager { get }
    /// The cache, of any backend.
    var anyCache: any Cache { get }
    /// One more manager of the cache.
    func oneMore() -> DataModelManager

    /// Returns when everybody has been told of everything that was committed; with `noticing`, also by other processes.
    func settle(noticing: Bool) async throws
    /// Returns when what this process wrote is stored.
    func store() async throws

    /// Stores what a matrix begins with.
    func begin() throws
    func change(_ verb: FollowedVerb, by writer: FollowedWriter, _ peer: PeerConversation?) async throws

    func put(_ people: [Person]) throws
    func put(_ message: Message) throws
    func putInTransaction(_ message: Message, _ person: Person) throws
    func putAndForget(_ message: Message, lists: [String], _ people: [Person]) throws
    func renameText(_ id: String, _ text: String) throws
    func delete(_ id: String) throws
    func restore(_ person: Person) throws
    func evict(_ id: String) throws
    func append(_ people: [Person]) throws
    func insert(_ people: [Person], at index: Int) throws
    func remove(list: String) throws
    /// Removes the list of people and writes it again in one commit, which does not say which elements changed.
    func rewrite(_ people: [Person], forgetting id: String?) throws
    /// Edits the list of people by a call of the cache, or by two in one transaction.
    /// Returns whether it was stored: without a transaction, the list may have no such position or part any more.
    @discardableResult
    func edit(_ form: ListForm, _ id: String, beside other: String, inTransaction: Bool) throws -> Bool
    func suspend() throws
    func resume() throws

    func person(_ id: String) throws -> Person?
    func message(_ id: String) throws -> Message?
    /// Why the cache does not have the whole tree; `nil` if it does.
    func miss<T: CacheableModel>(_ name: String, as type: T.Type) throws -> CacheMiss?
    /// Whether the cache has the whole tree, and a source has confirmed it.
    func isConfirmed<T: CacheableModel>(_ name: String, as type: T.Type) throws -> Bool
    func people() -> [Person]
    var hasAllPeople: Bool { get }
    /// Loses a part of the stored list of people, as an eviction does.
    func lose(part: Int) throws
    /// Returns when the read that `body` begins has found something: the main actor is busy until then.
    func waitForRead(_ body: () throws -> Void) rethrows
    /// Returns when what was committed has been read for those who follow: the main actor is busy until then.
    func waitForFollowers()
    func changes(of identifier: ModelIdentifier) -> CacheChanges<CacheChange>
    func changes() -> CacheChanges<ChangeSet>
    func close()
}

extension FollowingScene {
    func settle() async throws { try await settle(noticing: true) }
    func rewrite(_ people: [Person]) throws { try rewrite(people, forgetting: nil) }
}

extension Scene: FollowingScene {
    var anyCache: any Cache { cache }
    func oneMore() -> DataModelManager { DataModelManager(cacheDelegate: cache) }

    func settle(noticing: Bool) async throws {
        // What follows of one commit is read in a few steps, one after the other.
        for _ in 0..<4 {
            if noticing { cache.noticeCommitsOfOtherProcesses() }
            try await store()
            cache.core.drainNow()
            await withCheckedContinuation { continuation in
                cache.core.audience.events.async { continuation.resume() }
            }
        }
        for manager in [manager, other] { await manager.flush() }
    }

    func store() async throws {
        for manager in [manager, other] { await manager.flush() }
        try await cache.flush()
    }

    func put(_ people: [Person]) throws { try cache.write(contentsOf: people) }
    func put(_ message: Message) throws { try cache.write(message) }

    /// Writes and evicts in one commit, so that no reader sees the state between the two.
    func putAndForget(_ message: Message, lists: [String], _ people: [Person]) throws {
        try cache.write { tx in
            try tx.write(message)
            for list in lists { try tx.writeCollection(people, as: list) }
            if let sender = message.sender.modelIdentifier { try tx.evict(sender) }
        }
    }

    func putInTransaction(_ message: Message, _ person: Person) throws {
        try cache.write { tx in
            try tx.write(message)
            try tx.write(person)
        }
    }

    func renameText(_ id: String, _ text: String) throws {
        // A projection that leaves the sender as it is.
        try cache.write(MessageText(id: id, text: text))
    }

    func delete(_ id: String) throws { try cache.delete("Person:\(id)") }
    func restore(_ person: Person) throws { try cache.restore(person) }
    func evict(_ id: String) throws { try cache.evict("Person:\(id)") }
    func append(_ people: [Person]) throws { try cache.append(people, toCollection: "people") }

    func insert(_ people: [Person], at index: Int) throws {
        try cache.insert(people, at: index, inCollection: "people")
    }

    func remove(list: String) throws { try cache.removeCollection(list) }

    func rewrite(_ people: [Person], forgetting id: String?) throws {
        try cache.write { tx in
            try tx.removeCollection("people")
            try tx.writeCollection(people, as: "people")
            if let id { try tx.evict("Person:\(id)") }
        }
    }

    @discardableResult
    func edit(_ form: ListForm, _ id: String, beside other: String, inTransaction: Bool) throws -> Bool {
        guard inTransaction else {
            // A position of a count that another process has made smaller meanwhile.
            do { try form.apply(to: cache, id, other) } catch let error as CacheError where error.code == .outOfRange {
                return false
            }
            return true
        }
        try cache.write { tx in
            try form.apply(to: tx, id, other)
            try tx.upsert([Person(id: other)], at: .first, inCollection: "people")
        }
        return true
    }

    func suspend() throws { try cache.suspend() }
    func resume() throws { try cache.resume() }
    func person(_ id: String) throws -> Person? { try cache.model("Person:\(id)", as: Person.self) }
    func message(_ id: String) throws -> Message? { try cache.model("Message:\(id)", as: Message.self) }

    func miss<T: CacheableModel>(_ name: String, as type: T.Type) throws -> CacheMiss? {
        try cache.read(ModelIdentifier(name), as: type).miss
    }

    func isConfirmed<T: CacheableModel>(_ name: String, as type: T.Type) throws -> Bool {
        try cache.model(ModelIdentifier(name), as: type, maxAge: 1_000_000) != nil
    }

    var hasAllPeople: Bool { (try? cache.collection("people", of: Person.self)) != nil }

    func people() -> [Person] { (try? cache.collection("people", of: Person.self, missing: .skip)) ?? [] }
    func lose(part: Int) throws {
        var keys: [[UInt8]] = []
        try unsafe cache.visitStoredValues(.collection, ["people"]) { key, value in
            guard let header = unsafe try? RecordHeader(value, key: key) else { return }
            keys = (try? CollectionHead(header))?.chunkKeys ?? []
        }
        let key = try #require(keys.dropFirst(part).first)
        try cache.core.withOpenStore { (store) throws(CacheError) in
            try store.transact { (transaction) throws(CacheError) in
                try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe transaction.remove(key) }
            }
        }
    }

    func waitForRead(_ body: () throws -> Void) rethrows {
        let before = cache.statistics.hits
        try body()
        while cache.statistics.hits == before {}
    }

    func waitForFollowers() {
        for _ in 0..<3 {
            cache.core.drainNow()
            cache.core.audience.events.sync {}
            cache.core.drainNow()
            cache.core.readers.queue.sync(flags: .barrier) {}
        }
    }

    func changes(of identifier: ModelIdentifier) -> CacheChanges<CacheChange> { cache.changes(of: identifier) }
    func changes() -> CacheChanges<ChangeSet> { cache.changes() }
    func close() { cache.close() }
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
    func merge(_ model: any Model) -> any Model {
        if let message = model as? Message { return MessageText(id: id, text: message.text) }
        return model is MessageText ? model : self
    }

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
