import GroveConsistency
import GroveModel

/// The objects that show the data of one manager: its providers, and the stores and readers of their lists.
///
/// It retains none of the providers and stores.
final class Screens: Sendable {
    nonisolated init() {}

    /// The readers of the lists that have a key.
    let listReaders = Lock<[SubscriptionKey: ListReader]>([:])
    @MainActor var stores: [CollectionKey: WeakStore] = [:]
    @MainActor private(set) var providers: [SubscriptionKey: WeakProvider] = [:]
    @MainActor private var providersAfterCleaning = 0
    /// The providers that show a model as their own.
    @MainActor private(set) var showing: [ModelIdentifier: [WeakProvider]] = [:]

    /// Registers a provider, so that it is cleared by ``DataModelManager/wipe()``.
    @MainActor
    func register(_ provider: any WipeableProvider, _ key: SubscriptionKey) {
        if providers.count > 2 * providersAfterCleaning + 64 {
            providers = providers.filter { $0.value.provider != nil }
            providersAfterCleaning = providers.count
            showing = showing.filter { $0.value.contains { $0.provider != nil } }
        }
        providers[key] = WeakProvider(provider: provider)
    }

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
            if let store = holder.store as? CollectionStore<T>, let model = store.rows.element(identifier) {
                return model
            }
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

struct WeakProvider {
    weak var provider: (any WipeableProvider)?
}
