import GroveCache
import GroveCoding
import GroveConformance
import GroveModel

/// A cache that hands every call on: a mutant overrides one of them.
// SAFETY: it holds nothing but a constant; a subclass guards what it adds.
class ForwardingCache: ConformanceCache, @unchecked Sendable {
    let base: any ConformanceCache

    required init(_ base: any ConformanceCache) { self.base = base }

    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        try base.write(contentsOf: models)
    }

    func writeInTask<M: CacheableModel>(_ models: [M]) async throws(CacheError) -> WrittenChanges {
        try await base.writeInTask(models)
    }

    func place() throws(CacheError) -> Place { try base.place() }

    func changes() throws(CacheError) -> ChangeReader { try base.changes() }

    func changes(since token: ChangeToken?) throws(CacheError) -> ChangeReader { try base.changes(since: token) }

    func statistics() throws(CacheError) -> CacheStatistics { try base.statistics() }

    func write<M: CacheableModel>(contentsOf models: [M], asOf place: Place) throws(CacheError) -> WrittenChanges {
        try base.write(contentsOf: models, asOf: place)
    }

    func writeUnconfirmed<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        try base.writeUnconfirmed(model)
    }

    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M> {
        try base.read(identifier, as: type)
    }

    func writeCollection<M: CacheableModel>(_ elements: [M], forKey key: String) throws(CacheError) -> WrittenChanges {
        try base.writeCollection(elements, forKey: key)
    }

    func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String, asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        try base.writeCollection(elements, forKey: key, asOf: place)
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try base.readCollection(key, as: type, missing: missing)
    }

    func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        try base.read(identifier, as: type, maxAge: maxAge)
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try base.readCollection(key, as: type, maxAge: maxAge)
    }

    func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try base.readPage(key, as: type, in: range, missing: missing)
    }

    func count(ofCollection key: String) throws(CacheError) -> Int? { try base.count(ofCollection: key) }

    func knownCount(ofCollection key: String) throws(CacheError) -> Int? { try base.knownCount(ofCollection: key) }

    func edit<M: CacheableModel>(_ key: String, _ edit: CollectionEdit<M>) throws(CacheError) -> WrittenChanges {
        try base.edit(key, edit)
    }

    func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        try base.edit(key, edit, asOf: place)
    }

    func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges { try base.delete(identifier) }

    func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        try base.delete(identifier, removingFrom: holders)
    }

    func restore<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges { try base.restore(model) }

    func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, _ change: (inout M) -> Void
    ) throws -> WrittenChanges {
        try base.update(identifier, as: type, change)
    }

    func delete<M: CacheableModel>(allOf type: M.Type) throws -> WrittenChanges { try base.delete(allOf: type) }

    func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        try base.transact(body)
    }

    func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value { try base.view(body) }

    func evict(_ identifier: ModelIdentifier) throws(CacheError) { try base.evict(identifier) }

    func retain(_ identifier: ModelIdentifier) throws(CacheError) {
        try base.retain(identifier)
    }

    func retain(collection key: String) throws(CacheError) {
        try base.retain(collection: key)
    }

    func release(_ identifier: ModelIdentifier) throws(CacheError) {
        try base.release(identifier)
    }

    func release(collection key: String) throws(CacheError) {
        try base.release(collection: key)
    }

    func wipe() throws(CacheError) { try base.wipe() }

    func flush() throws(CacheError) { try base.flush() }

    func kept() throws(CacheError) -> [String: [UInt8]] { try base.kept() }

    func size() throws(CacheError) -> StoreSize { try base.size() }

    func suspend() throws(CacheError) { try base.suspend() }

    func resume() throws(CacheError) { try base.resume() }

    func usage() throws(CacheError) -> CacheUsage { try base.usage() }

    func copy(to directory: String) async throws(CacheError) { try await base.copy(to: directory) }

    func close() { base.close() }

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        base.modelForKey(cacheKey, context: context, completion: completion)
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        base.setModel(model, forKey: cacheKey, context: context)
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        base.collectionForKey(cacheKey, context: context, completion: completion)
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        base.setCollection(collection, forKey: cacheKey, context: context)
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        base.deleteModel(model, forKey: cacheKey, context: context)
    }
}
