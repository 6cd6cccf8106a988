// The cache of one's own of Docs/Guides/MovingFromRocketData.md, and the edit from any thread, between the rules; a
// test holds them together.
import Grove
// -----
import Synchronization

final class DictionaryCache: CacheDelegate {
    private struct Content {  // what were the class's variables
        var models: [String: any SimpleModel] = [:]
        var collections: [String: [any SimpleModel]] = [:]
    }
    private let content = Mutex(Content())

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        let model = content.withLock { content in cacheKey.flatMap { content.models[$0] } }
        completion(model as? T, nil)  // outside the lock: it may call the cache again
    }
    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        content.withLock { $0.models[cacheKey] = model }
    }
    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        let collection = content.withLock { content in cacheKey.flatMap { content.collections[$0] } }
        completion(collection as? [T], nil)
    }
    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        content.withLock { $0.collections[cacheKey] = collection }
    }
    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        content.withLock { content in cacheKey.map { content.models[$0] = nil } }
    }
}
// -----
func messageArrived(_ message: Message, asOf asked: Place, _ manager: DataModelManager) {  // on any thread
    Task { @MainActor in
        try manager.updateModel(message, asOf: asked)  // throws if the user has signed out since
        try await CollectionDataProvider.insert([message], at: { _ in 0 }, cacheKey: "inbox", dataModelManager: manager)
    }
}
// -----
