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
    /// Of several fetches the last one wins, whichever is answered first.
    ///
    /// The model comes with all changes since the call to it and to anything in it. If `cacheKey` is the identifier of
    /// the present data, the cache is not asked. If another provider of the manager shows the model as its own, or in a
    /// list with a key, the data are there before this call returns. The completion is called when the cache has
    /// answered.
    ///
    /// If a cache of Grove does not have the model, a provider without data waits for it. It shows the model as soon as
    /// another screen, a sync or another process brings it. A cache that is only a ``CacheDelegate`` is asked once.
    ///
    /// - Parameter completion: called exactly once, on the main actor: with the data that the provider shows then, with
    ///   `nil` on a miss, or with an error.
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable (T?, (any Error)?) -> Void
    ) {
        fetch(cacheKey, isLoad: false, maxAge: nil, context) { completion($0.data, $0.error) }
    }

    /// The result of a fetch.
    private struct Fetched: Sendable {
        var data: T?
        var error: (any Error)?
        var isFresh = false
    }

    /// - Parameter isLoad: whether the network is asked too, so that the cache's answer does not end the request.
    private func fetch(
        _ cacheKey: String?, isLoad: Bool, maxAge: Double?, _ context: (any Sendable)?,
        _ completion: @escaping @MainActor @Sendable (Fetched) -> Void
    ) {
        wish.next(isLoading: isLoad)
        let identifier = cacheKey.map { ModelIdentifier($0) }
        endInterest(but: identifier)
        let isThere = identifier != nil && data?.modelIdentifier == identifier
        let isShown = isThere && !held.isBorrowed
        if isShown {
            dataModelManager.consistencyManager.supersedeFetches(of: key)
            updateState { isLoad ? $0.begin() : $0.end() }
            if maxAge == nil { return completion(Fetched(data: data)) }
        }
        let borrowed =
            isShown
            ? nil : isThere ? confirmedData : identifier.flatMap { dataModelManager.screens.shownModel($0, as: T.self) }
        if let identifier, let borrowed, !isThere { borrow(borrowed, identifier, context: context) }
        if isLoad { wish.isLoading = true }
        updateState { $0.begin() }
        let (generation, key, manager, wish) = (generation, key, dataModelManager, wish.number)
        manager.fetch(cacheKey, as: T.self, maxAge: maxAge, context, for: isShown ? nil : key) { [weak self] read in
            manager.consistencyManager.endFetch(
                read.turn, model: isShown ? nil : read.value.map { Leaf.node($0) }, subscription: isShown ? nil : key,
                generation: generation
            ) { newest, isAccepted in
                let value = newest.flatMap { Leaf.base($0) as? T }
                guard !manager.isOver(read.place) else {
                    let error = read.error ?? CacheError.wiped
                    self?.end(wish, isWanted: isAccepted && self?.generation == generation, isLoad, error, context)
                    return completion(Fetched(error: error))
                }
                guard let self else { return completion(Fetched(data: value, error: read.error)) }
                if isShown { return completion(Fetched(data: self.data, isFresh: read.isFresh)) }
                let isWanted = isAccepted && self.generation == generation
                if isWanted, let value {
                    // Newer data are there than those that were missed in a pause.
                    self.pause.missed = nil
                    self.held.forgetOrigin()
                    // A borrowed model is shown already.
                    if borrowed == nil || self.confirmedData?.isEqual(to: value) != true {
                        self.accept(value, at: manager.now())
                        self.broadcast.send(DataChange(data: self.data, origin: .own, context: context))
                    }
                } else if isWanted {
                    self.giveBack(context: context)
                }
                let isHeld = self.data.map { $0.modelIdentifier == identifier } ?? false
                if self.wish.number == wish { self.note(read, isWanted, isHeld || (isWanted && value != nil), isLoad) }
                if isWanted, self.wish.number == wish, value == nil, isLoad || manager.followed != nil, let identifier {
                    self.wait(for: identifier, missing: read.miss?.identifier ?? identifier)
                }
                let isOther = isWanted && !isHeld
                completion(
                    Fetched(
                        data: isOther ? value : self.data, error: isOther ? read.error : nil, isFresh: read.isFresh))
            }
        }
    }

    /// Ends a request because everything was wiped since.
    private func end(
        _ wish: Int, isWanted: Bool, _ isLoad: Bool, _ error: any Error, _ context: (any Sendable)?
    ) {
        if isWanted { giveBack(context: context) }
        guard self.wish.number == wish else { return }
        updateState { request in
            if isWanted { request.note(.failed(error)) }
            if !isLoad { request.end() }
        }
    }

    /// Shows the cache's answer to the last request in the state.
    private func note(_ read: FetchedRead<T>, _ isWanted: Bool, _ isThere: Bool, _ isLoad: Bool) {
        let outcome = read.error.map { .failed($0) } ?? read.miss.map { .missing($0) } ?? ProviderState.idle
        // Data that others deleted meanwhile are missing for that reason; data that the owner set meanwhile stay fresh.
        let answer: ProviderState? = isThere ? (isWanted ? .cached : nil) : isWanted ? outcome : nil
        updateState { request in
            if let answer { request.note(answer) } else if isThere { request.noteData() }
            if !isLoad { request.end() }
        }
    }

    /// Fetches the model from the cache; if there are no data, also listens to `identifier`, even if no such model
    /// exists yet.
    ///
    /// Present data stay until the cache has answered with the model. If the cache does not have it, the provider keeps
    /// its data and goes on listening to them.
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, listenToModelIdentifier identifier: ModelIdentifier,
        context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable (T?, (any Error)?) -> Void
    ) {
        if data == nil { modelIdentifier = identifier }
        fetchDataFromCache(withCacheKey: cacheKey, context: context, completion: completion)
    }

    /// Fetches the model from the cache as the form with a completion does.
    ///
    /// - Throws: the error of the cache, or `CancellationError`, promptly, when the task is cancelled. The cache's
    ///   answer is used even then.
    @discardableResult
    public func fetchDataFromCache(withCacheKey cacheKey: String?, context: (any Sendable)? = nil) async throws -> T? {
        try await awaitOnce { completion in
            self.fetchDataFromCache(withCacheKey: cacheKey, context: context, completion: completion)
        }
    }

    /// Fetches the model from the cache, and listens to `identifier`, as the form with a completion does.
    ///
    /// - Throws: as ``fetchDataFromCache(withCacheKey:context:)``.
    @discardableResult
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, listenToModelIdentifier identifier: ModelIdentifier,
        context: (any Sendable)? = nil
    ) async throws -> T? {
        if data == nil { modelIdentifier = identifier }
        return try await fetchDataFromCache(withCacheKey: cacheKey, context: context)
    }

    /// Shows the cached model, then the network's answer, which is also stored under the key.
    ///
    /// The answer is as old as its request. Models that were changed or deleted since, on this screen or elsewhere,
    /// stay as they are, here and in a cache of Grove; then ``state`` is `.cached` at the end. If a request is sent
    /// after an edit, its answer replaces the edit, even if the server had not received the edit yet.
    ///
    /// The cache and the network are asked at once. With `maxAge`, the cache is asked first. The network is then asked
    /// only if the cache does not have everything, confirmed within `maxAge` seconds: see ``ExpiringCacheDelegate``. An
    /// edit confirms nothing. If the owner has asked for another model when the answer comes, the answer updates the
    /// cache and all holders of its models. It does not replace the provider's data.
    ///
    /// If several providers load one key at once, one request is sent and all take its answer, unless the data shown
    /// under the key were changed since. The request is cancelled when all of them have cancelled. So all loads of one
    /// key must ask the server the same question.
    ///
    /// If neither the cache nor the network has the model, the provider waits for it, even after the network has
    /// failed. It shows the model as soon as another provider or writer brings it.
    ///
    /// - Parameters:
    ///   - reload: whether to send a request in any case, as for "pull to refresh": even if the data are young, or
    ///     another request is under way.
    ///   - retry: when to ask the network again after a failure.
    ///   - maxAge: the greatest age, in seconds, at which confirmed data are used without the network; `nil` to always
    ///     ask the network.
    ///   - ifNil: the meaning of an answer of `nil`.
    ///   - fetch: asks the network.
    /// - Returns: the data at the end.
    /// - Throws: the error of `fetch`, after the cache has answered: then the data are the cache's. A `CacheError` with
    ///   code `cancelled` if any caller or process wiped everything meanwhile. `CancellationError`, promptly, when the
    ///   task is cancelled.
    @discardableResult
    public func load(
        withCacheKey cacheKey: String?, maxAge: Double? = nil, reload: Bool = false, retry: LoadRetry = .never,
        ifNil: NilAnswer = .changesNothing, context: (any Sendable)? = nil,
        fetch: @escaping @Sendable () async throws -> T?
    ) async throws -> T? {
        let maxAge = reload ? nil : maxAge
        if let maxAge, isFresh(cacheKey, maxAge) {
            updateState { $0.note(.fresh) }
            return data
        }
        let manager = dataModelManager
        let began = manager.lifeNow
        let cached = CacheAnswer()
        self.fetch(cacheKey, isLoad: true, maxAge: maxAge, context) { fetched in
            cached.arrive(isHit: fetched.data != nil, isFresh: fetched.isFresh)
        }
        let wish = wish.number
        defer { if self.wish.number == wish { self.wish.isLoading = false } }
        do {
            if maxAge != nil, manager.knowsAges {
                let answer = await cached.answer()
                try Task.checkCancellation()
                guard manager.lifeNow == began else { throw CacheError.wiped }
                if answer.isFresh {
                    if wish == self.wish.number { updateState { $0.end(.fresh) } }
                    return data
                }
            }
            let key = cacheKey.map { RequestKey(type: ObjectIdentifier(T.self), name: ModelIdentifier($0)) }
            let isThere = try await manager.request(
                key, shown: { self.shown(cacheKey) }, reload: reload, retry, fetch,
                settle: { value, place, body in
                    guard let value else { return body(.success(Answer(value: nil, place: place, taken: nil))) }
                    let save = cacheKey.map { DataModelManager.AnswerSave.model(key: $0) } ?? .models
                    manager.settle([value], asked: place, saving: save, context) { body($0.answer(value, place)) }
                },
                { answer, isFirst in
                    self.take(answer, cacheKey, isWanted: wish == self.wish.number, isFirst: isFirst, ifNil, context)
                })
            if !isThere {
                _ = await cached.answer()
                guard manager.lifeNow == began else { throw CacheError.wiped }
                try Task.checkCancellation()
            }
        } catch {
            // If the task is cancelled, this returns at once.
            _ = await cached.answer()
            if wish == self.wish.number { updateState { $0.fail(error) } }
            throw error
        }
        if wish == self.wish.number { updateState { $0.end() } }
        return data
    }

    /// The data that are shown under `cacheKey`.
    private func shown(_ cacheKey: String?) -> ShownNow {
        guard let cacheKey else { return ShownNow() }
        if let data, data.modelIdentifier == ModelIdentifier(cacheKey) || held.confirmed?.cacheKey == cacheKey {
            return ShownNow(models: [data])
        }
        let other = dataModelManager.screens.shownModel(ModelIdentifier(cacheKey), as: T.self)
        return ShownNow(models: [other].compactMap(\.self))
    }

    /// Takes an answer of the network; returns whether it has a model.
    private func take(
        _ answer: Answer<T?>, _ cacheKey: String?, isWanted: Bool, isFirst: Bool, _ ifNil: NilAnswer,
        _ context: (any Sendable)?
    ) -> Bool {
        guard let taken = answer.taken else {
            if ifNil == .deletes, isFirst { delete(cacheKey, asked: answer.place, context) }
            return false
        }
        let identifier = answer.value?.modelIdentifier
        guard isWanted else {
            if !taken.lost.isEmpty, identifier != nil, data?.modelIdentifier == identifier {
                updateState { $0.note(.cached) }
            }
            return true
        }
        if let value = taken.models.first.flatMap({ $0 }).flatMap({ Leaf.base($0) as? T }) {
            take(value, taken, askedAt: answer.askedAt, cacheKey: cacheKey, context: context)
            updateState { $0.end(taken.lost.isEmpty ? .fresh : .cached) }
        } else if data == nil || data?.modelIdentifier == identifier, let identifier {
            // It was deleted since it was asked for.
            updateState { $0.end(.missing(CacheMiss(.deleted, identifier))) }
        }
        return true
    }

    /// Deletes a model that the network does not have, unless it was changed since the request.
    private func delete(_ cacheKey: String?, asked place: Place, _ context: (any Sendable)?) {
        guard let name = cacheKey.map({ ModelIdentifier($0) }) else { return }
        let isShown = data?.modelIdentifier == name || held.confirmed?.cacheKey == cacheKey
        let identifier = isShown ? data?.modelIdentifier ?? name : name
        dataModelManager.delete(identifier, forKey: name.rawValue, as: T.self, asked: place, context)
    }

    private func isFresh(_ cacheKey: String?, _ maxAge: Double) -> Bool {
        guard let data, let confirmed = held.confirmed, dataModelManager.isFresh(confirmed.time, maxAge) else {
            return false
        }
        return confirmed.cacheKey == cacheKey || cacheKey.map { ModelIdentifier($0) } == data.modelIdentifier
    }
}

/// The meaning of `nil` as the network's answer to a load of one model.
public enum NilAnswer: Sendable {
    /// The answer says nothing: the cached model is shown.
    case changesNothing
    /// The server no longer has the model (a 404): it is deleted, unless it was changed since the request was sent.
    case deletes
}

extension DataModelManager.Settlement {
    /// The result for the callers of a request; `nil` if the request is to be sent again.
    func answer<Value: Sendable>(_ value: Value, _ place: Place) -> Result<Answer<Value>, CacheError>? {
        switch self {
        case .taken(let taken): .success(Answer(value: value, place: place, taken: taken))
        case .again: nil
        case .cancelled: .failure(.wiped)
        }
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
