import GroveCache
import GroveCoding
import GroveModel
import Synchronization

/// ``NormalizedCache`` as rules use it.
struct StoreCache<Store: NodeStore>: ConformanceCache, ForwardingDelegate {
    private let cache: NormalizedCache<Store>

    var delegate: NormalizedCache<Store> { cache }

    init(_ cache: NormalizedCache<Store>) { self.cache = cache }

    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.write(contentsOf: models, confirmed: true))
    }

    func writeInTask<M: CacheableModel>(_ models: [M]) async throws(CacheError) -> WrittenChanges {
        WrittenChanges(try await cache.write(contentsOf: models, confirmed: true))
    }

    func place() -> Place { cache.place() }

    func changes() -> ChangeReader { ChangeReader(cache.changes()) }

    func changes(since token: ChangeToken?) -> ChangeReader { ChangeReader(cache.changes(since: token)) }

    func statistics() -> CacheStatistics { cache.statistics }

    func write<M: CacheableModel>(contentsOf models: [M], asOf place: Place) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.write(contentsOf: models, asOf: place))
    }

    func writeUnconfirmed<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.write(model))
    }

    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M> {
        try cache.read(identifier, as: type)
    }

    func writeCollection<M: CacheableModel>(_ elements: [M], forKey key: String) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.writeCollection(elements, as: key, confirmed: true))
    }

    func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String, asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.writeCollection(elements, as: key, asOf: place))
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try cache.readCollection(key, of: type, missing: missing))
    }

    func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        try cache.read(identifier, as: type, maxAge: maxAge)
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try cache.readCollection(key, of: type, maxAge: maxAge))
    }

    func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try cache.readCollection(key, of: type, in: range, missing: missing)
    }

    func count(ofCollection key: String) throws(CacheError) -> Int? { try cache.count(ofCollection: key) }

    func knownCount(ofCollection key: String) throws(CacheError) -> Int? { try cache.knownCount(ofCollection: key) }

    func edit<M: CacheableModel>(_ key: String, _ edit: CollectionEdit<M>) throws(CacheError) -> WrittenChanges {
        try edit.perform(on: cache, key)
    }

    func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        let outcome = Mutex<SaveOutcome?>(nil)
        let followed = cache.followed { _ in }
        followed.edit(
            edit, forKey: key, ticket: EditTicket(rawValue: 1), asOf: place?.stored, fillsOnly: false, madeAt: nil
        ) { settled in
            outcome.withLock { $0 = settled }
        }
        try cache.flush()
        if case .refused(let error, _) = outcome.withLock({ $0 }) { throw error }
    }

    func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.delete(identifier))
    }

    func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.delete(identifier, removingFrom: holders))
    }

    func restore<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try cache.restore(model))
    }

    func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, _ change: (inout M) -> Void
    ) throws -> WrittenChanges {
        WrittenChanges(try cache.update(identifier, as: type, change))
    }

    func delete<M: CacheableModel>(allOf type: M.Type) throws -> WrittenChanges {
        WrittenChanges(try cache.delete(allOf: type))
    }

    func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        try StoreTransaction.run(cache, body)
    }

    func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value { try StoreView.run(cache, body) }

    func evict(_ identifier: ModelIdentifier) throws(CacheError) { try cache.evict(identifier) }

    func retain(_ identifier: ModelIdentifier) throws(CacheError) {
        try cache.retain(identifier)
    }

    func retain(collection key: String) throws(CacheError) {
        try cache.retain(collection: key)
    }

    func release(_ identifier: ModelIdentifier) throws(CacheError) {
        try cache.release(identifier)
    }

    func release(collection key: String) throws(CacheError) {
        try cache.release(collection: key)
    }

    func kept() throws(CacheError) -> [String: [UInt8]] {
        var kept: [String: [UInt8]] = [:]
        for (name, bytes) in try cache.allKept() {
            guard let bytes else { throw CacheError(.corrupted, "What is kept as '\(name)' is damaged.") }
            kept[name] = bytes
        }
        return kept
    }

    func wipe() throws(CacheError) { try cache.wipe() }

    func suspend() throws(CacheError) { try cache.suspend() }

    func resume() throws(CacheError) { try cache.resume() }

    func flush() throws(CacheError) { try cache.flush() }

    func size() throws(CacheError) -> StoreSize { try cache.size() }

    func usage() throws(CacheError) -> CacheUsage { try cache.usage() }

    func copy(to directory: String) async throws(CacheError) { try await cache.copy(to: directory) }

    func close() { cache.close() }
}

extension CollectionEdit where Element: CacheableModel {
    /// Makes the change in the collection under `key`.
    func perform<Writer: CacheWriter & ~Copyable>(
        on writer: borrowing Writer, _ key: String
    ) throws(CacheError) -> WrittenChanges {
        let changes =
            switch self {
            case .insert(let elements, let index): try writer.insert(elements, at: index, inCollection: key)
            case .append(let elements): try writer.append(elements, toCollection: key)
            case .replace(let range, let elements):
                try writer.replaceElements(in: range, ofCollection: key, with: elements)
            case .remove(let range): try writer.removeElements(in: range, ofCollection: key)
            case .move(let from, let to): try writer.moveElement(from: from, to: to, inCollection: key)
            }
        return WrittenChanges(changes)
    }
}

extension WrittenChanges {
    init(_ changes: ChangeSet) {
        self.init(
            changed: changes.changedModelIds, deleted: changes.deletedModelIds,
            collections: changes.changedCollectionKeys)
    }
}
