import GroveConsistency
public import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DataProvider {
    /// Fetches the model from the cache, and sets it unless fresher data arrived first.
    ///
    /// Of several fetches the last counts, whichever is answered first.
    ///
    /// The model is delivered with everything in it that changed since the call. Where `cacheKey` is the identifier of
    /// the data that is there, the cache is not asked. Where another provider of the manager shows it as its own model, or
    /// in a list with a key, it is there before the call returns; the completion comes when the cache has answered.
    ///
    /// - Parameter completion: called exactly once, on the main actor, with the provider's data when a fresher one won,
    ///   and otherwise with what the cache said: a model, `nil` on a miss, or an error.
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable (T?, (any Error)?) -> Void = { _, _ in }
    ) {
        fetch(cacheKey, isLoad: false, context, completion)
    }

    /// - Parameter isLoad: whether the network is asked too, so that the cache's answer is not the end.
    private func fetch(
        _ cacheKey: String?, isLoad: Bool, _ context: (any Sendable)?,
        _ completion: @escaping @MainActor @Sendable (T?, (any Error)?) -> Void
    ) {
        wishes += 1
        let identifier = cacheKey.map { ModelIdentifier($0) }
        if let identifier, let data, data.modelIdentifier == identifier {
            dataModelManager.consistencyManager.supersedeFetches(of: key)
            updateState { isLoad ? $0.begin() : $0.end() }
            completion(data, nil)
            return
        }
        let borrowed = identifier.flatMap { dataModelManager.shownModel($0, as: T.self) }
        if let identifier, let borrowed { borrow(borrowed, identifier, context: context) }
        updateState { $0.begin() }
        let (generation, key, manager, wish) = (generation, key, dataModelManager, wishes)
        manager.fetch(cacheKey, context, for: key) { [weak self] (fetch, epoch, model: T?, error) in
            let miss = model == nil && error == nil ? manager.whyMissing(cacheKey, model: T.self) : nil
            manager.consistencyManager.endFetch(
                fetch, model: model.map { Leaf.node($0) }, subscription: key, generation: generation
            ) { newest, isAccepted in
                let value = newest.flatMap { Leaf.base($0) as? T }
                guard !manager.isOver(epoch) else { return completion(nil, error ?? CacheError.wiped) }
                guard let self else { return completion(value, error) }
                let isWanted = isAccepted && self.generation == generation
                if isWanted, let value {
                    self.forgetMissed()
                    self.confirmed = nil
                    self.isBorrowed = false
                    // What was borrowed is shown already.
                    if borrowed == nil || self.data?.isEqual(to: value) != true {
                        self.accept(value, at: manager.now())
                        self.broadcast.send(DataChange(data: value, origin: .own, context: context))
                    }
                } else if isWanted {
                    self.giveBack(context: context)
                }
                let isHeld = self.data.map { $0.modelIdentifier == identifier } ?? false
                if self.wishes == wish {
                    let outcome = error.map { .failed($0) } ?? miss.map { .missing($0) } ?? ProviderState.idle
                    // Data that others deleted meanwhile are missing for that reason.
                    let answer = isHeld || (isWanted && value != nil) ? .cached : isWanted ? outcome : nil
                    self.updateState { request in
                        if let answer { request.note(answer) }
                        if !isLoad { request.end() }
                    }
                }
                completion(isWanted && !isHeld ? value : self.data ?? value, isWanted && !isHeld ? error : nil)
            }
        }
    }

    /// Fetches the model from the cache, and listens to `identifier` where there is no data, whether or not the model
    /// exists yet.
    ///
    /// Data that are there stay until the cache has the model; where it does not, the provider keeps them and goes on
    /// listening to them.
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, listenToModelIdentifier identifier: ModelIdentifier,
        context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable (T?, (any Error)?) -> Void = { _, _ in }
    ) {
        if data == nil { modelIdentifier = identifier }
        fetchDataFromCache(withCacheKey: cacheKey, context: context, completion: completion)
    }

    /// Fetches the model from the cache as the form with a completion does.
    ///
    /// - Throws: what the cache reports, or `CancellationError`, promptly, when the task is cancelled; what the cache
    ///   brings then is used all the same.
    @discardableResult
    public func fetchDataFromCache(withCacheKey cacheKey: String?, context: (any Sendable)? = nil) async throws -> T? {
        try await awaitOnce { completion in
            self.fetchDataFromCache(withCacheKey: cacheKey, context: context, completion: completion)
        }
    }

    /// Shows what the cache has, then what `fetch` brings from the network, which is set, stored and wins.
    ///
    /// Both are asked at once. With `maxAge`, the network is not asked where the provider holds what was set that lately, by
    /// a load of this key or for this identifier, or where the cache has it all, confirmed that lately: see
    /// ``ExpiringCacheDelegate``. Of a cache that knows no ages, what it brought does not count as confirmed.
    /// An answer that comes when the owner has asked for something else updates whoever holds it, and the cache, but
    /// does not replace the provider's data. Of those who load one key at once the first asks the network, and all take
    /// its answer; the request is cancelled with the last of them.
    ///
    /// - Parameters:
    ///   - retry: when the network is asked again after a failure.
    ///   - maxAge: how many seconds ago the data may have been confirmed to be used as they are; `nil` to always fetch.
    ///   - fetch: asks the network.
    /// - Returns: the data at the end.
    /// - Throws: what `fetch` throws, when the cache has answered: the data is what the cache had. A `CacheError` with code
    ///   `cancelled` where everything was wiped meanwhile. `CancellationError`, promptly, when the task is cancelled.
    @discardableResult
    public func load(
        withCacheKey cacheKey: String?, maxAge: Double? = nil, retry: LoadRetry = .never,
        context: (any Sendable)? = nil, fetch: @escaping @Sendable () async throws -> T?
    ) async throws -> T? {
        if let maxAge, isFresh(cacheKey, maxAge) {
            updateState { $0.note(.fresh) }
            return data
        }
        let epoch = dataModelManager.inOrder { $0 }
        let cached = CacheAnswer()
        self.fetch(cacheKey, isLoad: true, context) { model, _ in cached.arrive(isHit: model != nil) }
        let wish = wishes
        do {
            if let maxAge, try await dataModelManager.isModelFresh(cacheKey, as: T.self, maxAge: maxAge) {
                let isHit = await cached.isHit()
                try Task.checkCancellation()
                guard !dataModelManager.isOver(epoch) else { throw CacheError.wiped }
                // A miss went just before, or came just after: it is fetched after all.
                if isHit || wish != wishes {
                    if wish == wishes { updateState { $0.end(.fresh) } }
                    return data
                }
            }
            let key = cacheKey.map {
                FlightKey(type: ObjectIdentifier(T.self), name: ModelIdentifier($0), epoch: epoch)
            }
            let isThere = try await dataModelManager.request(key, retry, fetch) { fresh, isFirst in
                guard !self.dataModelManager.isOver(epoch) else { throw CacheError.wiped }
                guard let fresh else { return false }
                self.take(fresh, cacheKey, isWanted: wish == self.wishes, isStored: isFirst, context)
                return true
            }
            if !isThere {
                _ = await cached.isHit()
                guard !dataModelManager.isOver(epoch) else { throw CacheError.wiped }
                try Task.checkCancellation()
            }
        } catch {
            // Promptly, when the task is cancelled.
            _ = await cached.isHit()
            if wish == wishes { updateState { $0.fail(error) } }
            throw error
        }
        if wish == wishes { updateState { $0.end() } }
        return data
    }

    /// Takes what the network brought.
    private func take(
        _ fresh: T, _ cacheKey: String?, isWanted: Bool, isStored: Bool, _ context: (any Sendable)?
    ) {
        if isWanted || (fresh.modelIdentifier != nil && fresh.modelIdentifier == modelIdentifier) {
            setData(fresh, updateCache: isStored, context: context)
            confirmed?.cacheKey = cacheKey
        } else if isStored {
            dataModelManager.updateModel(fresh, context: context)
        }
    }

    private func isFresh(_ cacheKey: String?, _ maxAge: Double) -> Bool {
        guard let data, let confirmed, dataModelManager.isFresh(confirmed.time, maxAge) else { return false }
        return confirmed.cacheKey == cacheKey || cacheKey.map { ModelIdentifier($0) } == data.modelIdentifier
    }
}

/// Turns a completion that is called once into a result that is delivered once, cancellation included.
@MainActor
func awaitOnce<Value: Sendable>(
    _ body: @MainActor (@escaping @MainActor @Sendable (Value?, (any Error)?) -> Void) -> Void
) async throws -> Value? {
    let answer = OneAnswer<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            answer.continuation = continuation
            if Task.isCancelled { answer.finish(.failure(CancellationError())) }
            body { value, error in
                answer.finish(error.map { .failure($0) } ?? .success(value))
            }
        }
    } onCancel: {
        Task { @MainActor in answer.finish(.failure(CancellationError())) }
    }
}

@MainActor
private final class OneAnswer<Value: Sendable> {
    var continuation: CheckedContinuation<Value?, any Error>?

    init() {}

    func finish(_ result: Result<Value?, any Error>) {
        let continuation = continuation
        self.continuation = nil
        continuation?.resume(with: result)
    }
}
