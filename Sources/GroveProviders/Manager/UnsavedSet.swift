import GroveConsistency
import GroveModel

/// What the cache has refused to store, and what is shown is ahead of it by: it is saved again when the cache takes calls, or has room,
/// again.
struct UnsavedSet {
    private var errors: [StaleSet.Key: CacheError] = [:]
    /// How often something happened in the cache since the last attempt, and after how often the next one is made.
    private var (events, patience) = (0, 1)

    var isEmpty: Bool { errors.isEmpty }

    /// Notes what became of a save; returns whether that is news for the owners.
    mutating func note(_ key: StaleSet.Key, _ error: CacheError?) -> Bool {
        guard let error else {
            guard errors.removeValue(forKey: key) != nil else { return false }
            patience = 1
            return true
        }
        return errors.updateValue(error, forKey: key)?.code != error.code
    }

    func error(of key: StaleSet.Key) -> CacheError? { errors[key] }

    /// What to save again, now that something has happened in the cache: at first each time, then less and less often.
    mutating func takeDue() -> [StaleSet.Key] {
        guard !errors.isEmpty else { return [] }
        events += 1
        guard events >= patience else { return [] }
        (events, patience) = (0, min(2 * patience, 64))
        return Array(errors.keys)
    }
}

extension DataModelManager {
    /// Notes what became of a save of `key`.
    func note(_ key: StaleSet.Key?, isSaved error: CacheError?) {
        guard let key else { return }
        if error == nil, unsaved.withLock({ $0.isEmpty }) { return }
        // What can never be stored is the observer's matter, and what was wiped is nobody's.
        let isRefused = error.map { CacheError.refusals.contains($0.code) } ?? false
        guard isRefused || error == nil else { return }
        guard unsaved.withLock({ $0.note(key, error) }) else { return }
        consistencyManager.afterDelivery { [weak self] in
            guard let self else { return }
            let error = unsaved.withLock { $0.error(of: key) }
            switch key {
            case .model(let identifier):
                for holder in showing[identifier] ?? [] { (holder.provider as? any ModelHolder)?.note(unsaved: error) }
            case .list(let name):
                for (key, holder) in stores where key.cacheKey == name { holder.store?.note(unsaved: error) }
            }
        }
        if error == nil { saveAgain() }
    }

    /// Saves again what the cache has refused, if it is still held: something has happened in the cache.
    func saveAgain() {
        let keys = unsaved.withLock { $0.takeDue() }
        guard !keys.isEmpty else { return }
        let models = keys.compactMap { if case .model(let identifier) = $0 { identifier } else { nil } }
        inOrder { _ in
            let held = Handover<[ModelIdentifier: any SimpleModel]>()
            consistencyManager.newest(models, then: held.put)
            onCache { [self] in
                let held = held.take()
                for identifier in models {
                    guard let model = held[identifier] else {
                        note(.model(identifier), isSaved: nil)
                        continue
                    }
                    followed?.save(model, forKey: identifier.rawValue, asOf: nil) { [weak self] error in
                        self?.note(.model(identifier), isSaved: error)
                    }
                }
            }
        }
        let lists = Set(keys.compactMap { if case .list(let name) = $0 { name } else { nil } })
        guard !lists.isEmpty else { return }
        consistencyManager.afterDelivery { [weak self] in
            guard let self else { return }
            for name in lists {
                let holders = stores.filter { $0.key.cacheKey == name }.compactMap(\.value.store)
                if holders.isEmpty { note(.list(name), isSaved: nil) }
                for holder in holders { holder.saveWhole() }
            }
        }
    }
}

extension CacheError {
    /// The codes of a refusal after which the same call may succeed.
    fileprivate static let refusals: Set<Code> = [
        .suspended, .full, .overBudget, .queueFull, .locked, .inputOutput, .permissionDenied,
    ]
}
