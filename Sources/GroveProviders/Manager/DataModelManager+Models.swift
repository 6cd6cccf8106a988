import Dispatch
import GroveConsistency
public import GroveModel

extension DataModelManager {
    /// Updates every provider that holds `model` or anything in it, and the cache.
    ///
    /// - Parameters:
    ///   - updateCache: false to keep the change in memory only.
    ///   - context: passed to the delegates of the providers that change, and to the cache.
    public func updateModel<T: SimpleModel>(_ model: T, updateCache: Bool = true, context: (any Sendable)? = nil) {
        updateModels([model], updateCache: updateCache, context: context)
    }

    /// Updates `models`, which may be of several types, in one step: each provider is told once.
    public func updateModels(
        _ models: [any SimpleModel], updateCache: Bool = true, context: (any Sendable)? = nil
    ) {
        inOrder { _ in
            consistencyManager.post(models.map { Leaf.node($0) }, context: context)
            guard updateCache else { return }
            for model in models { store(model, context) }
        }
    }

    /// Deletes `model` from every provider, from the cache, and from every model and list that holds it.
    ///
    /// A model that requires the deleted one is deleted too. To take a model out of one collection, use the
    /// collection's `remove`.
    public func deleteModel(_ model: any SimpleModel, updateCache: Bool = true, context: (any Sendable)? = nil) {
        inOrder { _ in
            if model.modelIdentifier != nil { consistencyManager.delete(Leaf.node(model), context: context) }
            guard updateCache else { return }
            let (cache, followed) = (cacheDelegate, followed)
            let identifier = model.modelIdentifier
            onCache { [manager = WeakManager(self)] in
                guard let followed else {
                    return cache.deleteModel(model, forKey: identifier?.rawValue, context: context)
                }
                followed.delete(identifier, forKey: identifier?.rawValue, asOf: nil, for: manager)
            }
        }
    }

    /// Stores `model` in the cache, in the order of calls, without telling any listener.
    public func cacheModel<T: SimpleModel>(_ model: T, forKey cacheKey: String, context: (any Sendable)? = nil) {
        inOrder { _ in store(model, forKey: cacheKey, context) }
    }

    /// Reads a model from the cache, with every change made since the call and with the versions that providers hold.
    ///
    /// - Parameter completion: called exactly once, on the main actor.
    public func modelFromCache<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable (T?, (any Error)?) -> Void
    ) {
        fetch(cacheKey, as: T.self, context) { [self] read in
            consistencyManager.endFetch(read.turn, model: read.value.map { Leaf.node($0) }) { [self] newest, _ in
                guard !isOver(read.place) else { return completion(nil, read.error ?? CacheError.wiped) }
                completion(newest.flatMap { Leaf.base($0) as? T }, read.error)
            }
        }
    }

    /// Stores a collection in the cache, in the order of calls, without telling any listener.
    public func cacheCollection(
        _ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)? = nil
    ) {
        inOrder { _ in
            let (cache, followed) = (cacheDelegate, followed)
            onCache { [manager = WeakManager(self)] in
                guard let followed else { return cache.setCollection(collection, forKey: cacheKey, context: context) }
                followed.edit(
                    .set(collection), forKey: cacheKey, ticket: .none, asOf: nil, fillsOnly: false, madeAt: nil
                ) {
                    _ in
                }
                manager.value?.wakeWhatLacks(collection, named: ModelIdentifier(cacheKey))
            }
        }
    }

    /// Reads a collection from the cache, as ``modelFromCache(_:context:completion:)`` reads a model.
    ///
    /// - Parameter missing: whether an element that the cache does not have makes the read a miss, as it does by
    ///   default, or is left out.
    public func collectionFromCache<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements = .miss, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable ([T]?, (any Error)?) -> Void
    ) {
        fetchCollection(cacheKey, of: T.self, missing, context) { [self] read in
            let models = (read.value?.elements ?? []).map { Leaf.node($0) }
            consistencyManager.graftFetched(read.turn, models: models) { [self] newest in
                guard !isOver(read.place) else { return completion(nil, read.error ?? CacheError.wiped) }
                completion(read.value.map { _ in newest.compactMap { $0.flatMap { Leaf.base($0) as? T } } }, read.error)
            }
            consistencyManager.joinFetched(read.turn, nil, [])
        }
    }

    /// Queues a write of `model` under its identifier, or under `cacheKey` too.
    ///
    /// Called in order.
    ///
    /// - Parameters:
    ///   - isLate: whether an older version may be shown by now, so that the cache is read then.
    ///   - shown: for an answer, whether it is shown: only then is it saved again if the cache refuses it.
    func store(
        _ model: any SimpleModel, forKey cacheKey: String? = nil, asOf place: StoredPlace? = nil, isLate: Bool = false,
        if shown: Decision? = nil, _ context: (any Sendable)?
    ) {
        guard let key = cacheKey ?? model.modelIdentifier?.rawValue else { return }
        let (cache, followed) = (cacheDelegate, followed)
        onCache { [manager = WeakManager(self)] in
            guard let followed else { return cache.setModel(model, forKey: key, context: context) }
            let resumptions = manager.value?.resumptions ?? 0
            followed.save(model, forKey: key, asOf: place) {
                guard let manager = manager.value else { return }
                let outcome = $0
                let note: @Sendable () -> Void = {
                    manager.note(saving: model, forKey: cacheKey, outcome, since: resumptions)
                }
                if case .refused = outcome, let shown { shown.ifSo(note) } else { note() }
                manager.markStale([model], after: outcome, isLate: isLate)
            }
            manager.value?.wakeWhatLacks([model], named: ModelIdentifier(key))
        }
    }

    /// Asks the cache for the model of a key; `finish` must end the read, whose turn it is given.
    func fetch<T: SimpleModel>(
        _ key: String?, as type: T.Type, maxAge: Double? = nil, _ context: (any Sendable)?,
        for subscription: SubscriptionKey? = nil, _ finish: @escaping @Sendable (FetchedRead<T>) -> Void
    ) {
        let cache = cacheDelegate
        ask(key, for: subscription, finish) { followed, key, answer in
            followed.read(key, as: type, maxAge: maxAge, completion: answer)
        } orDelegate: { answer in
            cache.modelForKey(key, context: context, completion: answer)
        } aged: { answer in
            guard let maxAge, let cache = cache as? any ExpiringCacheDelegate else { return false }
            cache.modelForKey(key, maxAge: maxAge, context: nil) { (model: T?, _) in answer(model != nil) }
            return true
        }
    }

    /// Asks the cache for the collection of a key; `finish` must end the read, whose turn it is given.
    func fetchCollection<T: SimpleModel>(
        _ key: String?, of type: T.Type, _ missing: MissingElements, _ context: (any Sendable)?,
        _ finish: @escaping @Sendable (FetchedRead<ListRead<T>>) -> Void
    ) {
        let cache = cacheDelegate
        ask(key, for: nil, finish) { followed, key, answer in
            followed.readList(key, of: type, missing: missing) { answer($0.map { AgedRead($0, isFresh: false) }) }
        } orDelegate: { answer in
            cache.collectionForKey(key, missing: missing, context: context) { (models: [T]?, error) in
                answer(models.map { ListRead(elements: $0, hidden: [], commit: nil, ticket: .none) }, error)
            }
        } aged: { _ in
            false
        }
    }

    /// Says whether the cache has the list of a key and everything in it, confirmed within `maxAge` seconds.
    func askAge<T: SimpleModel>(
        ofList key: String, as type: T.Type, maxAge: Double, _ body: @escaping @Sendable (Bool) -> Void
    ) {
        inOrder { _ in
            let (cache, followed, timeout) = (cacheDelegate as? any ExpiringCacheDelegate, followed, calls.timeout)
            onCache {
                if let followed {
                    followed.isListFresh(key, of: type, maxAge: maxAge, completion: body)
                } else if let cache {
                    let once = OnceAnswered(body)
                    once.giveUp(after: timeout) { false }
                    cache.collectionForKey(key, maxAge: maxAge, context: nil) { (models: [T]?, _) in
                        once.answer(models != nil)
                    }
                } else {
                    body(false)
                }
            }
        }
    }

    /// Asks the cache one question, in its turn; a cache that is only a delegate has a limited time.
    private func ask<Value: Sendable>(
        _ key: String?, for subscription: SubscriptionKey?, _ finish: @escaping @Sendable (FetchedRead<Value>) -> Void,
        _ read:
            @escaping @Sendable (
                any FollowedCache, String, @escaping @Sendable (Result<AgedRead<Value>, CacheError>) -> Void
            ) -> Void,
        orDelegate readDelegate: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void,
        aged readAge: @escaping @Sendable (@escaping @Sendable (Bool) -> Void) -> Bool
    ) {
        inOrder { epoch in
            let turn = consistencyManager.beginFetch(for: subscription)
            let place = Place(turn: turn, epoch: epoch, stored: followed?.place())
            let once = OnceAnswered<FetchedRead<Value>> { [self] answer in
                finish(isOver(place) ? FetchedRead(turn, place, .failure(CacheError.wiped)) : answer)
            }
            let name = ModelIdentifier(key ?? "")
            guard key != nil || followed == nil else {
                return onCache {
                    once.answer(
                        FetchedRead(turn, place, .success(AgedRead(.miss(CacheMiss(.absent, name)), isFresh: false))))
                }
            }
            if let followed, let key {
                return onCache { read(followed, key) { once.answer(FetchedRead(turn, place, $0.mapError { $0 })) } }
            }
            let timeout = calls.timeout
            onCache {
                once.giveUp(after: timeout) {
                    let error = CacheError(
                        .locked, "The cache delegate has not answered for \(timeout) s.", identifier: name)
                    return FetchedRead(turn, place, .failure(error))
                }
                readDelegate { value, error in
                    let miss = CacheRead<Value>.miss(CacheMiss(.absent, name))
                    if let error { return once.answer(FetchedRead(turn, place, .failure(error))) }
                    guard let value else {
                        return once.answer(FetchedRead(turn, place, .success(AgedRead(miss, isFresh: false))))
                    }
                    let isAsked = readAge { isFresh in
                        once.answer(FetchedRead(turn, place, .success(AgedRead(.hit(value), isFresh: isFresh))))
                    }
                    if !isAsked {
                        once.answer(FetchedRead(turn, place, .success(AgedRead(.hit(value), isFresh: false))))
                    }
                }
            }
        }
    }
}

extension FollowedCache {
    /// Deletes a model; `manager` notes the outcome, and reads again the data that wait for the model.
    func delete(
        _ identifier: ModelIdentifier?, forKey key: String?, asOf place: StoredPlace?, for manager: WeakManager
    ) {
        let resumptions = manager.value?.resumptions ?? 0
        delete(identifier, forKey: key, asOf: place) { outcome in
            guard let identifier, let manager = manager.value else { return }
            manager.note(deletionOf: identifier, outcome, since: resumptions)
            // It may have been read since, and be shown again.
            if place != nil, case .stored = outcome { manager.markStale(CollectionOfOne(.model(identifier))) }
        }
        if let identifier { manager.value?.wakeWhatLacks([], named: identifier) }
    }
}

/// A cache's answer to a fetch.
struct FetchedRead<Value: Sendable>: Sendable {
    /// The turn of the fetch.
    let turn: Turn
    let place: Place
    let outcome: Result<AgedRead<Value>, any Error>

    init(_ turn: Turn, _ place: Place, _ outcome: Result<AgedRead<Value>, any Error>) {
        (self.turn, self.place, self.outcome) = (turn, place, outcome)
    }

    var value: Value? { (try? outcome.get())?.outcome.value }
    var miss: CacheMiss? { (try? outcome.get())?.outcome.miss }
    var isFresh: Bool { (try? outcome.get())?.isFresh ?? false }
    var error: (any Error)? {
        guard case .failure(let error) = outcome else { return nil }
        return error
    }
}

/// Takes the first of several answers.
private final class OnceAnswered<Value: Sendable>: Sendable {
    private let take: Lock<(@Sendable (Value) -> Void)?>

    init(_ take: @escaping @Sendable (Value) -> Void) { self.take = Lock(take) }

    /// Answers with `value` if no other answer came first, even if the function that was asked has released this
    /// object.
    func giveUp(after seconds: Double, _ value: @escaping @Sendable () -> Value) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { self.answer(value()) }
    }

    func answer(_ value: Value) {
        let take = take.withLock { take in
            defer { take = nil }
            return take
        }
        take?(value)
    }
}

extension CacheError {
    static var wiped: CacheError { CacheError(.cancelled, "Everything was wiped before the answer came.") }
}
