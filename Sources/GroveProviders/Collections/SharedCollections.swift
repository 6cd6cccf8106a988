import GroveModel

/// The key by which the providers of one collection find the store that they share.
struct CollectionKey: Hashable {
    let type: ObjectIdentifier
    let cacheKey: ModelIdentifier
}

struct WeakStore {
    weak var store: (any SharedList)?
}

extension DataModelManager {
    /// The store of `cacheKey`, made if no provider has it; without a key, a store that is not shared.
    @MainActor
    func store<T>(_ cacheKey: String?, of type: T.Type) -> CollectionStore<T> {
        guard let cacheKey else { return CollectionStore(cacheKey: nil, manager: self) }
        let key = CollectionKey(type: ObjectIdentifier(type), cacheKey: ModelIdentifier(cacheKey))
        if let found = screens.stores[key]?.store as? CollectionStore<T> { return found }
        let store = CollectionStore<T>(cacheKey: cacheKey, manager: self)
        if screens.stores.count > 64 { screens.stores = screens.stores.filter { $0.value.store != nil } }
        screens.stores[key] = WeakStore(store: store)
        return store
    }
}
