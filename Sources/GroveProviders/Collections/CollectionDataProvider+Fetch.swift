public import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionDataProvider {
    /// Takes the collection of `cacheKey`: from a sibling where there is one, and from the cache otherwise.
    ///
    /// Until it is there, and where the cache has none, the provider goes on with the data and the key that it has; edits
    /// go there. A provider that has no data takes the key at once, and gives it back on a miss: what is inserted
    /// meanwhile is kept, before or behind what is fetched. Fresher data that arrives first wins. Of several fetches the
    /// last counts.
    ///
    /// A cache may have forgotten some of the elements. By default the whole is a miss then; with `.skip` the provider shows
    /// the rest, and an edit stores the list as it is shown. Siblings show one list: what one of them loaded, all show.
    ///
    /// - Parameters:
    ///   - missing: what an element means that the cache does not have, or not all of.
    ///   - completion: called exactly once, on the main actor, with the data, `nil` on a miss, or an error.
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, missing: MissingElements = .miss, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable ([T]?, (any Error)?) -> Void = { _, _ in }
    ) {
        fetch(cacheKey, missing, isLoad: false, context, completion)
    }

    /// - Parameter isLoad: whether the network is asked too, so that the cache's answer is not the end.
    private func fetch(
        _ cacheKey: String?, _ missing: MissingElements, isLoad: Bool, _ context: (any Sendable)?,
        _ completion: @escaping @MainActor @Sendable ([T]?, (any Error)?) -> Void
    ) {
        wishes += 1
        let wish = wishes
        let found = cacheKey == self.cacheKey ? store : dataModelManager.store(cacheKey, of: T.self)
        if found.isLoaded || hasNothing { show(found, context) }
        if isLoad || !found.isLoaded { updateState { $0.begin() } }
        if missing == .skip { found.missing = .skip }
        found.load(for: self, missing: missing, context: context) { [weak self] models, error in
            if let self, self.wishes == wish {
                if found.isLoaded {
                    self.show(found, context)
                } else if error == nil, self.hasNothing, self.cacheKey != nil {
                    self.join(self.dataModelManager.store(nil, of: T.self))
                }
                let answer: ProviderState? =
                    if let error {
                        .failure(error)
                    } else if models != nil {
                        found.confirmed == nil ? .cached : .fresh
                    } else {
                        found.miss.map { .missing($0) }
                    }
                // The network's answer ends a load.
                self.updateState { request in
                    if !isLoad { request.end(answer) } else if let answer { request.note(answer) }
                }
            }
            completion(models, error)
        }
    }

    /// Whether the provider shows nothing, and does not know whether there is anything.
    private var hasNothing: Bool { !store.isLoaded && entries.count == 0 && store.awaited.isEmpty }

    /// Shows what the owner asked for.
    private func show(_ found: CollectionStore<T>, _ context: (any Sendable)?) {
        guard found !== store else { return }
        let isChange = entries.count > 0 || found.entries.count > 0
        join(found)
        if isChange { note(.reset, isOwn: true, context, at: dataModelManager.now()) }
    }

    /// Fetches as the form with a completion does.
    ///
    /// - Throws: what the cache reports, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, missing: MissingElements = .miss, context: (any Sendable)? = nil
    ) async throws -> [T]? {
        try await awaitOnce { completion in
            self.fetchDataFromCache(
                withCacheKey: cacheKey, missing: missing, context: context, completion: completion)
        }
    }

    /// Shows what the cache has, then what `fetch` brings from the network, which is set, stored and wins.
    ///
    /// Both are asked at once. Where the whole was set within `maxAge` seconds, or the cache has it and everything in it
    /// confirmed that lately (see ``ExpiringCacheDelegate``), the network is not asked; what another cache brought does not
    /// count. Where an element is missing the network is asked, also where `missing` says to show the rest meanwhile. An
    /// answer that comes when the owner has asked for something else is set under its own key. Of those who load one key at once
    /// the first asks the network, and all take its answer; the request is cancelled with the last of them.
    ///
    /// - Parameters:
    ///   - missing: as for ``fetchDataFromCache(withCacheKey:missing:context:completion:)``.
    ///   - maxAge: how many seconds ago the data may have been confirmed to be used as they are; `nil` to always fetch.
    ///   - retry: when the network is asked again after a failure.
    ///   - fetch: asks the network.
    /// - Returns: the data at the end; what `fetch` brought, where the owner has asked for something else by then.
    /// - Throws: what `fetch` throws, when the cache has answered: the data is what the cache had. A `CacheError` with code
    ///   `cancelled` where everything was wiped meanwhile. `CancellationError`, promptly, when the task is cancelled.
    @discardableResult
    public func load(
        withCacheKey cacheKey: String, missing: MissingElements = .miss, maxAge: Double? = nil,
        retry: LoadRetry = .never, context: (any Sendable)? = nil,
        fetch: @escaping @Sendable () async throws -> [T]
    ) async throws -> [T] {
        if let maxAge, cacheKey == self.cacheKey, dataModelManager.isFresh(store.confirmed, maxAge) {
            updateState { $0.note(.fresh) }
            return data
        }
        let epoch = dataModelManager.inOrder { $0 }
        let cached = CacheAnswer()
        self.fetch(cacheKey, missing, isLoad: true, context) { models, _ in cached.arrive(isHit: models != nil) }
        let wish = wishes
        do {
            if let maxAge, try await dataModelManager.isCollectionFresh(cacheKey, of: T.self, maxAge: maxAge) {
                let isHit = await cached.isHit()
                try Task.checkCancellation()
                guard !dataModelManager.isOver(epoch) else { throw CacheError.wiped }
                // A miss went just before, or came just after: it is fetched after all.
                if isHit || wish != wishes {
                    if wish == wishes { updateState { $0.end(.fresh) } }
                    return data
                }
            }
            let key = FlightKey(
                type: ObjectIdentifier([T].self), name: ModelIdentifier(cacheKey), epoch: epoch)
            return try await dataModelManager.request(key, retry, fetch) { fresh, isFirst in
                guard !self.dataModelManager.isOver(epoch) else { throw CacheError.wiped }
                return self.take(fresh, cacheKey, isWanted: wish == self.wishes, isFirst: isFirst, context)
            }
        } catch {
            // Promptly, when the task is cancelled.
            _ = await cached.isHit()
            if wish == wishes, !dataModelManager.isOver(epoch) { updateState { $0.fail(error) } }
            throw error
        }
    }

    /// Takes what the network brought.
    ///
    /// - Parameter isFirst: whether none of those who asked for the same has taken it already.
    private func take(
        _ fresh: [T], _ cacheKey: String, isWanted: Bool, isFirst: Bool, _ context: (any Sendable)?
    ) -> [T] {
        guard isWanted || cacheKey == self.cacheKey else {
            if isFirst {
                Self.setData(fresh, cacheKey: cacheKey, dataModelManager: dataModelManager, context: context)
            }
            return fresh
        }
        // Another took it; where no provider holds the list any more, it is gone from memory.
        if isFirst || !dataModelManager.store(cacheKey, of: T.self).isLoaded {
            setData(fresh, cacheKey: cacheKey, context: context)
        } else {
            wishes += 1
            show(dataModelManager.store(cacheKey, of: T.self), context)
            if snapshot != nil { showNewest(context, at: dataModelManager.now()) }
            updateState { $0.end(.fresh) }
        }
        return data
    }
}
