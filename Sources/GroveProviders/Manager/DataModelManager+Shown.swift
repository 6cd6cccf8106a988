import GroveModel

/// The models that are in memory already, for a screen that asks for one.
extension DataModelManager {
    /// The model of `identifier` that some provider shows, by itself or in a list with a key.
    ///
    /// The first look into a list after its order changed is O(*n*).
    @MainActor
    func shownModel<T: SimpleModel>(_ identifier: ModelIdentifier, as type: T.Type) -> T? {
        for holder in showing[identifier] ?? [] {
            let data = (holder.provider as? DataProvider<T>)?.newestShown
            if let data, data.modelIdentifier == identifier { return data }
        }
        for (key, holder) in stores where key.type == ObjectIdentifier(type) {
            if let store = holder.store as? CollectionStore<T>, let model = store.element(identifier) { return model }
        }
        return nil
    }

    /// Says that `provider` shows `new` from now on, instead of `old`.
    @MainActor
    func note(_ provider: any WipeableProvider, shows new: ModelIdentifier?, insteadOf old: ModelIdentifier?) {
        guard new != old else { return }
        if let old {
            showing[old]?.removeAll { $0.provider == nil || $0.provider === provider }
            if showing[old]?.isEmpty == true { showing[old] = nil }
        }
        if let new {
            showing[new, default: []].removeAll { $0.provider == nil }
            showing[new, default: []].append(WeakProvider(provider: provider))
        }
    }
}
