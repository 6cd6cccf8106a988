import Grove
import GroveCache
import GroveMemory
import Synchronization

struct Person: Model, Equatable, CacheableModel {
    var id: String
    var name = ""
    var isOnline = false

    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> Person? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    static let fields = FieldTable("id", "name", "isOnline")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
        try node.encode(isOnline, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Person {
        let id = try node.scan(String.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        let isOnline = try node.scan(Bool.self, at: 2)
        return Person(id: try node.finish(id), name: try node.finish(name), isOnline: try node.finish(isOnline))
    }
}

struct Message: Model, Equatable, CacheableModel {
    var id: String
    var text = ""
    var sender: Person

    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> Message? {
        guard let sender = transform(sender) as? Person else { return nil }
        return Message(id: id, text: text, sender: sender)
    }
    func forEach(_ visit: (any Model) -> Void) { visit(sender) }
    func merge(_ model: any Model) -> any Model {
        if let text = model as? MessageText { return Message(id: id, text: text.text, sender: sender) }
        return model is Message ? model : self
    }

    static let fields = FieldTable("id", "text", "sender")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(text, at: 1)
        try node.encode(sender, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Message {
        let id = try node.scan(String.self, at: 0)
        let text = try node.scan(String.self, at: 1)
        let sender = try node.scan(Person.self, at: 2)
        return Message(id: try node.finish(id), text: try node.finish(text), sender: try node.finish(sender))
    }
}

/// A cache whose reads wait until the test lets them answer.
final class HeldCache: CacheDelegate {
    let inner: MemoryCache
    private let held = Mutex<[@Sendable () -> Void]>([])
    private let isHolding = Mutex(false)

    init() throws { inner = try MemoryCache() }

    /// How many reads wait.
    var waiting: Int { held.withLock { $0.count } }

    var isHeld: Bool { isHolding.withLock { $0 } }

    func hold() { isHolding.withLock { $0 = true } }

    /// Lets every read answer, in the order of the reads or, with `reversed`, against it.
    func release(reversed: Bool = false) {
        isHolding.withLock { $0 = false }
        let waiting = held.withLock { held in
            defer { held = [] }
            return held
        }
        for answer in reversed ? waiting.reversed() : waiting { answer() }
    }

    private func answer(_ body: @escaping @Sendable () -> Void) {
        if isHolding.withLock({ $0 }) { held.withLock { $0.append(body) } } else { body() }
    }

    /// Reads when it is asked, and answers when the test says so.
    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        inner.modelForKey(cacheKey, context: context) { (model: T?, error) in
            self.answer { completion(model, error) }
        }
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        inner.setModel(model, forKey: cacheKey, context: context)
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        collectionForKey(cacheKey, missing: .miss, context: context, completion: completion)
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        inner.collectionForKey(cacheKey, missing: missing, context: context) { (models: [T]?, error) in
            self.answer { completion(models, error) }
        }
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        inner.setCollection(collection, forKey: cacheKey, context: context)
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        inner.deleteModel(model, forKey: cacheKey, context: context)
    }

    func wipe() async throws(CacheError) { try await inner.wipe() }
}

@MainActor
final class Screen: DataProviderDelegate, CollectionDataProviderDelegate, BatchDataProviderListenerDelegate {
    var told: [String?] = []
    var changes: [CollectionChange] = []
    var batches: [(count: Int, toldBefore: Int)] = []
    /// Applied by the changes alone, as a table view would.
    var rows: [String] = []

    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
        told.append(context as? String)
    }

    func collectionDataProviderHasUpdatedData<T>(
        _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
    ) {
        told.append(context as? String)
        changes.append(collectionChanges)
    }

    func batchDataProviderListener(
        _ batchListener: BatchDataProviderListener, hasUpdatedDataProviders dataProviders: [any BatchListenable],
        context: (any Sendable)?
    ) {
        batches.append((dataProviders.count, told.count))
    }
}

/// Remembers what was misused.
final class MisuseLog: LogDelegate {
    var messages: [String] = []
    func assertionFailure(_ message: String, file: StaticString, function: StaticString, line: UInt) {
        messages.append(message)
    }
}

/// Counts from any thread.
final class Count: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

/// Waits for an answer that comes through a completion.
@MainActor
func answer<Value: Sendable>(
    _ body: @MainActor (@escaping @MainActor @Sendable (Value, (any Error)?) -> Void) -> Void
) async -> (value: Value, error: (any Error)?) {
    await withCheckedContinuation { continuation in body { continuation.resume(returning: ($0, $1)) } }
}

/// A task that has begun `body`, and gone on to where it waits.
@MainActor
func begun<Value: Sendable>(
    _ body: @escaping @MainActor () async throws -> Value
) async -> Task<Value, any Error> {
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
        begin.finish()
        return try await body()
    }
    for await _ in begins {}
    return task
}
