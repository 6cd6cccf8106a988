import Dispatch
import GroveConsistency
import GroveModel

/// A manager over a cache that can be followed: what the cache commits reaches everybody who holds it.
extension DataModelManager {
    /// Shows what the cache committed by calls of others.
    ///
    /// Called in the order of commits. What is held is read behind every write that was called before, as of this place in the
    /// order of calls; so what is newer, wherever it was written, is what shows.
    func follow(_ changes: any CommittedChanges) {
        followModels(changes)
        followLists(changes.changedLists, isWiped: changes.extent == .emptied)
        readWhatLacked(changes)
    }

    /// Reads `models` again, which is no news.
    func readModelsAgain(_ models: Set<ModelIdentifier>) { followModels(Named(models), isReread: true) }

    func followModels(_ changes: any CommittedChanges, isReread: Bool = false) {
        guard let cache = followed else { return }
        let isWiped = changes.extent == .emptied
        let held = Handover<ConsistencyManager.HeldChanges>()
        inOrder { _ in
            let began = consistencyManager.beginFollowing(changes, isReread: isReread, then: held.put)
            onCache { [weak self, consistencyManager] in
                let held = held.take()
                let outcomes = held.wanted.isEmpty ? [] : cache.readNow(held.wanted, known: held.known)
                let time = self?.now()
                var lacking: [ModelIdentifier: CacheMiss] = [:]
                consistencyManager.endFollowing(
                    began, held,
                    zip(held.wanted, outcomes).map { wanted, outcome in
                        switch outcome {
                        case .hit(let model): return .model(model)
                        // What cannot be without something that was deleted is deleted too.
                        case .miss(let miss) where miss.reason == .deleted || isWiped: return .deleted
                        case .miss(let miss):
                            if miss.identifier != wanted.identifier { lacking[wanted.identifier] = miss }
                            return .unknown
                        case nil: return isWiped ? .deleted : .unknown
                        }
                    },
                    onOutdated: { [weak self] models in self?.readModelsAgain(models) },
                    onRewritten: { [weak self] models, holders in
                        self?.readModelsAgain(models.union(holders))
                        self?.followLists(nil, except: models)
                    })
                guard let self, let time else { return }
                func whole() -> Set<ModelIdentifier> {
                    let whole = zip(held.wanted, outcomes).filter { if case .hit = $1 { true } else { false } }
                    return Set(whole.map(\.0.identifier))
                }
                self.tell(lacking, whole: whole, readAt: time)
            }
        }
    }

    /// Reads a list of which `subscription` listens to `entries`; `finish` is given the fetch, which it must end, and the epoch
    /// of the call.
    func readList<T: SimpleModel>(
        _ key: String?, known entries: PersistentVector<Entry<T>>, _ subscription: SubscriptionKey,
        except unknown: Set<ModelIdentifier>, missing: MissingElements,
        _ finish: @escaping @Sendable (UInt64, Int, CacheRead<[T]>?) -> Void
    ) {
        guard let key, let cache = followed else { return }
        inOrder { epoch in
            let fetch = consistencyManager.beginFetch()
            let known = Handover<[any SimpleModel]?>()
            consistencyManager.newestElements(
                subscription, unlessAll: nil,
                of: { entries.slice(0, entries.count).map { ($0.handle, $0.model) } }, then: known.put)
            onCache { [weak self] in
                let known = (known.take() ?? []).compactMap { $0 as? T }.filter { model in
                    model.modelIdentifier.map { !unknown.contains($0) } ?? true
                }
                var read = cache.readListNow(key, of: T.self, known: known, missing: .miss)
                if case .miss(let miss) = read, miss.identifier.rawValue != key, miss.reason != .deleted {
                    _ = self?.note([.list(ModelIdentifier(key)): miss])
                    if missing == .skip { read = cache.readListNow(key, of: T.self, known: known, missing: .skip) }
                }
                finish(fetch, epoch, read)
            }
        }
    }

    /// Lets the lists under `keys`, or all, be read again.
    func followLists(
        _ keys: Set<ModelIdentifier>?, isWiped: Bool = false, except unknown: Set<ModelIdentifier> = []
    ) {
        let isHeld = listKeys.withLock { held in keys.map { $0.contains { held[$0] != nil } } ?? !held.isEmpty }
        guard isHeld else { return }
        consistencyManager.afterDelivery {
            for (key, store) in self.stores where keys?.contains(key.cacheKey) ?? true {
                store.store?.follow(isWiped: isWiped, except: unknown)
            }
        }
    }
}

/// Models that are to be read again.
private struct Named: CommittedChanges {
    let identifiers: Set<ModelIdentifier>

    init(_ identifiers: Set<ModelIdentifier>) { self.identifiers = identifiers }

    var extent: ChangeExtent { .named }
    var deletedModelIds: Set<ModelIdentifier> { [] }
    var changedLists: Set<ModelIdentifier>? { [] }

    func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier] {
        identifiers.filter(isHeld)
    }
}

extension [ModelIdentifier: CacheMiss] {
    /// The miss of the first node in `tree` that has one.
    func first(among tree: any Model) -> CacheMiss? {
        var found: CacheMiss?
        tree.forEachInOrder { model in
            if found == nil, let identifier = model.modelIdentifier { found = self[identifier] }
        }
        return found
    }
}

extension Model {
    /// Whether one of `identifiers` is in the tree.
    func holds(oneOf identifiers: Set<ModelIdentifier>) -> Bool {
        guard !identifiers.isEmpty else { return false }
        var isFound = false
        forEachInOrder { if let identifier = $0.modelIdentifier, identifiers.contains(identifier) { isFound = true } }
        return isFound
    }
}
