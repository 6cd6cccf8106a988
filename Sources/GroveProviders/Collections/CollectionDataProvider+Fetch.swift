import GroveConsistency
public import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionDataProvider {
    /// Takes the collection of `cacheKey` from another provider of the key if there is one, and from the cache
    /// otherwise.
    ///
    /// Until the collection is there, the provider keeps its present data and key, and edits change those. It also
    /// keeps them if the cache has no such collection. A provider without data takes the key at once, and gives it back
    /// on a miss. Elements that are inserted meanwhile are kept, before or after the fetched ones. Fresher data that
    /// arrive first win. Of several fetches the last one wins.
    ///
    /// If a cache of Grove does not have the collection, a provider that shows nothing waits for it. It shows the
    /// collection as soon as another provider, a sync or another process brings it. A cache that is only a
    /// ``CacheDelegate`` is asked once.
    ///
    /// If the cache has only some of the elements, the whole read is a miss by default. With `.skip` the provider shows
    /// the elements that are there, and an edit then stores the list as it is shown. Providers of one key show one
    /// list: all of them show the elements that one has loaded.
    ///
    /// - Parameters:
    ///   - missing: whether a missing element makes the read a miss or is left out. An element is missing if the cache
    ///     does not have it, or has only a part of it.
    ///   - completion: called exactly once, on the main actor: with the data that the provider shows then, with `nil`
    ///     on a miss, or with an error.
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, missing: MissingElements = .miss, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable ([T]?, (any Error)?) -> Void
    ) {
        fetch(cacheKey, missing, isLoad: false, context, completion)
    }

    /// - Parameter isLoad: whether the network is asked too, so that the cache's answer does not end the request.
    private func fetch(
        _ cacheKey: String?, _ missing: MissingElements, isLoad: Bool, _ context: (any Sendable)?,
        _ completion: @escaping @MainActor @Sendable ([T]?, (any Error)?) -> Void
    ) {
        request.number += 1
        let wish = request.number
        endInterest()
        let found = cacheKey == self.cacheKey ? store : dataModelManager.store(cacheKey, of: T.self)
        if found.isLoaded || hasNothing { show(found, context) }
        if isLoad || !found.isLoaded { updateState { $0.begin() } }
        if missing == .skip { found.loading.missing.withLock { $0 = .skip } }
        let setAt = found.turns.setAt
        found.load(for: self, missing: missing, context: context) { [weak self] models, error in
            guard let self, self.request.number == wish else {
                // The owner has asked for something else since.
                return completion(self.map(\.data) ?? models, self == nil ? error : nil)
            }
            let miss = found.loading.miss
            if found.isLoaded {
                self.show(found, context)
            } else if error == nil, self.hasNothing, self.cacheKey != nil {
                self.join(self.dataModelManager.store(nil, of: T.self))
            }
            if !found.isLoaded, isLoad || self.dataModelManager.followed != nil {
                self.request.interest = found
                if self.hasNothing {
                    found.addInterest(self, missing: miss?.identifier ?? ModelIdentifier(cacheKey ?? ""))
                    self.showLayers(context: context)
                }
            }
            let answer: ProviderState? =
                if let error {
                    .failure(error)
                } else if models != nil {
                    found.turns.confirmed == nil ? .cached : .fresh
                } else {
                    miss.map { .missing($0) }
                }
            // The network's answer ends a load; data that were set meanwhile are fresh.
            self.updateState { request in
                if !isLoad {
                    request.end(answer)
                } else if let answer, found.turns.setAt == setAt {
                    request.note(answer)
                }
            }
            completion(models, error)
        }
    }

    /// Ends the wait for a list that was neither in memory nor in the cache.
    func endInterest() {
        guard let interest = request.interest else { return }
        request.interest = nil
        interest.audience.removeInterest(self)
    }

    /// Shows the list that was asked for when neither memory nor the cache had it.
    func takeAwaited(_ found: CollectionStore<T>, _ context: (any Sendable)?, at time: Date) {
        guard request.interest === found else { return }
        request.interest = nil
        guard hasNothing else { return }
        join(found)
        note(.reset, isOwn: false, context, at: time)
        updateState { $0.noteData() }
    }

    /// Whether the provider shows nothing, and does not know whether there is anything.
    var hasNothing: Bool { !store.isLoaded && confirmedEntries.count == 0 && store.awaited.isEmpty }

    /// Shows the list that the owner asked for.
    private func show(_ found: CollectionStore<T>, _ context: (any Sendable)?) {
        guard found !== store else { return }
        let isChange = entries.count > 0 || found.rows.entries.count > 0
        join(found)
        guard isChange else { return showLayers(context: context) }
        note(.reset, isOwn: true, context, at: dataModelManager.now())
    }

    /// Fetches as the form with a completion does.
    ///
    /// - Throws: the error of the cache, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, missing: MissingElements = .miss, context: (any Sendable)? = nil
    ) async throws -> [T]? {
        try await awaitOnce { completion in
            self.fetchDataFromCache(
                withCacheKey: cacheKey, missing: missing, context: context, completion: completion)
        }
    }

    /// Shows the cached list, then the network's answer, which is also stored.
    ///
    /// The models of an answer are as old as its request. Models that were changed or deleted since, on this screen or
    /// elsewhere, stay as they are, and ``state`` is `.cached` at the end. The list itself is replaced, unless a newer
    /// answer has replaced it. Rows that were added, removed or moved since the request are added, removed or moved
    /// again; then too the state is `.cached`. If a request is sent after an edit, its answer replaces the edit, even
    /// if the server had not received the edit yet.
    ///
    /// The cache and the network are asked at once. With `maxAge`, the cache is asked first. The network is then asked
    /// only if the cache does not have the list and everything in it, confirmed within `maxAge` seconds: see
    /// ``ExpiringCacheDelegate``. An edit confirms nothing. If an element is missing, the network is asked, even if
    /// `missing` is `.skip` and the other elements are shown meanwhile. If the owner has asked for another key when the
    /// answer comes, the answer is set under its own key.
    ///
    /// If several providers load one key at once, one request is sent and all take its answer, unless the list or
    /// anything in it was changed since. The request is cancelled when all of them have cancelled. So all loads of one
    /// key must ask the server the same question.
    ///
    /// If neither the cache nor the network has the list, the provider waits for it, even after the network has failed.
    /// It shows the list as soon as another provider or writer brings it.
    ///
    /// - Parameters:
    ///   - missing: as for ``fetchDataFromCache(withCacheKey:missing:context:completion:)``.
    ///   - maxAge: the greatest age, in seconds, at which confirmed data are used without the network; `nil` to always
    ///     ask the network.
    ///   - part: the part of the list that `fetch` returns. If more pages were loaded, ``LoadedPart/firstPage`` keeps
    ///     the rows that follow.
    ///   - reload: whether to send a request in any case, as for "pull to refresh": even if the data are young, or
    ///     another request is under way.
    ///   - retry: when to ask the network again after a failure.
    ///   - fetch: asks the network.
    /// - Returns: the data at the end; if the owner has asked for another key by then, the network's answer.
    /// - Throws: the error of `fetch`, after the cache has answered: then the data are the cache's. A `CacheError` with
    ///   code `cancelled` if any caller or process wiped everything meanwhile. `CancellationError`, promptly, when the
    ///   task is cancelled.
    @discardableResult
    public func load(
        withCacheKey cacheKey: String, missing: MissingElements = .miss, maxAge: Double? = nil,
        part: LoadedPart = .wholeList, reload: Bool = false, retry: LoadRetry = .never, context: (any Sendable)? = nil,
        fetch: @escaping @Sendable () async throws -> [T]
    ) async throws -> [T] {
        let maxAge = reload ? nil : maxAge
        if let maxAge, cacheKey == self.cacheKey, dataModelManager.isFresh(store.turns.confirmed, maxAge) {
            updateState { $0.note(.fresh) }
            return data
        }
        let manager = dataModelManager
        let began = manager.lifeNow
        let cached = CacheAnswer()
        self.fetch(cacheKey, missing, isLoad: true, context) { models, _ in
            cached.arrive(isHit: models != nil, isFresh: false)
        }
        let wish = request.number
        request.loading = (wish, cacheKey)
        defer { request.endLoad(of: wish) }
        do {
            if let maxAge, manager.knowsAges {
                let isHit = await cached.answer().isHit
                try Task.checkCancellation()
                let isFresh = isHit ? await isFresh(cacheKey, maxAge) : false
                try Task.checkCancellation()
                guard manager.lifeNow == began else { throw CacheError.wiped }
                if isFresh {
                    if wish == request.number { updateState { $0.end(.fresh) } }
                    return data
                }
            }
            let key = RequestKey(type: ObjectIdentifier([T].self), name: ModelIdentifier(cacheKey))
            return try await manager.request(
                key, shown: { manager.store(cacheKey, of: T.self).shownNow }, reload: reload, retry, fetch,
                settle: { fresh, place, body in
                    manager.settle(
                        fresh, asked: place, isList: true, saving: manager.followed == nil ? .nothing : .models, context
                    ) { body($0.answer(fresh, place)) }
                },
                { answer, isFirst in
                    self.take(answer, part, cacheKey, isWanted: wish == self.request.number, isFirst: isFirst, context)
                })
        } catch {
            // If the task is cancelled, this returns at once.
            _ = await cached.answer()
            if wish == request.number, manager.lifeNow == began { updateState { $0.fail(error) } }
            throw error
        }
    }

    /// Whether the cache has the list and everything in it, confirmed within `maxAge` seconds.
    private func isFresh(_ cacheKey: String, _ maxAge: Double) async -> Bool {
        let manager = dataModelManager
        return await withCheckedContinuation { continuation in
            manager.askAge(ofList: cacheKey, as: T.self, maxAge: maxAge) { continuation.resume(returning: $0) }
        }
    }

    /// Takes an answer of the network.
    ///
    /// - Parameter isFirst: whether no other caller of the same request has taken it already.
    private func take(
        _ answer: Answer<[T]>, _ part: LoadedPart, _ cacheKey: String, isWanted: Bool, isFirst: Bool,
        _ context: (any Sendable)?
    ) -> [T] {
        guard let taken = answer.taken else { return data }
        let found = dataModelManager.store(cacheKey, of: T.self)
        let time = dataModelManager.now()
        let isHere = isWanted || cacheKey == self.cacheKey
        if isHere, found !== store { join(found) }
        if isFirst || !found.isLoaded { found.take(answer, taken, part, for: isHere ? self : nil, context, at: time) }
        guard isHere else { return taken.models.compactMap { $0.flatMap { Leaf.base($0) as? T } } }
        request.number += isWanted ? 0 : 1
        if !isFirst { showNewest(context, at: time) }
        let isWhole = found.turns.confirmed != nil && found.turns.setAt == answer.place.turn
        updateState { $0.end(isWhole ? .fresh : .cached) }
        return data
    }
}

extension Answer {
    /// The models as the network brought them: those at `kept` of the ones that were not deleted since.
    func left<T>(by taken: TakenAnswer, _ kept: [Int]) -> [T] where Value == [T] {
        let left = zip(value, taken.models).compactMap { $1 == nil ? nil : $0 }
        return kept.filter(left.indices.contains).map { left[$0] }
    }
}

/// The part of a list that the network's answer has.
///
/// See ``CollectionDataProvider/load(withCacheKey:missing:maxAge:part:reload:retry:context:fetch:)``.
public enum LoadedPart: Sendable {
    /// The whole list.
    case wholeList
    /// The first rows of the list.
    ///
    /// If the answer has *n* rows, and one of the old first *n* rows is among them, the rows that followed are kept.
    /// Otherwise they are dropped, because unknown rows may lie between.
    case firstPage
}

extension CollectionStore {
    /// The rows of the list that follow `page`, its new first rows, if one of the old first rows is among those.
    private func follow(_ page: [Entry<T>]) -> [Entry<T>] {
        let there = Set(page.map(\.handle))
        let first = rows.entries.slice(0, min(rows.entries.count, page.count))
        guard let last = first.lastIndex(where: { there.contains($0.handle) }) else { return [] }
        return rows.entries.slice(last + 1, rows.entries.count).filter { !there.contains($0.handle) }
    }

    /// The elements that are shown, with the turn of the last change.
    var shownNow: ShownNow {
        ShownNow(
            models: rows.entries.slice(0, rows.entries.count).map(\.model),
            editedAt: max(turns.editedAt, turns.changedAt))
    }

    /// Makes an answer of the network the list, unless a newer answer, or whole list, is there.
    ///
    /// - Parameter viewer: the provider that asked; it is told of the list as of a change of its own.
    func take(
        _ answer: Answer<[T]>, _ taken: TakenAnswer, _ part: LoadedPart, for viewer: CollectionDataProvider<T>?,
        _ context: (any Sendable)?, at time: Date
    ) {
        guard turns.setAt <= answer.place.turn else { return }
        let all = taken.models.compactMap { $0.flatMap { Leaf.base($0) as? T } }
        let kept = kept(of: all)
        let models = kept.map { all[$0] }
        let before = shownBeforeEdit
        let (former, old) = (rows.entries, rows.entries.slice(0, rows.entries.count))
        // Edits since the request are applied to the list again; the models were compared already.
        let first = successors(for: models)
        let answered = part == .firstPage ? first + follow(first) : first
        let (new, isEdited) = applyingEdits(since: answer.place.turn, to: answered)
        let isChange = !isLoaded || !CollectionElements(entries: rows.entries).isEqual(to: new.map(\.model))
        awaited = AwaitedElements()
        if isChange { reset(new) } else { rows.replace(0..<rows.entries.count, with: new[...]) }
        turns.setAt = answer.place.turn
        turns.confirmed = taken.lost.isEmpty && !isEdited ? answer.askedAt : nil
        rows.markEdited(at: taken.turn)
        // A kept edit is dropped if the list no longer has one of its elements.
        cached.pending.removeAll { $0.isKept && $0.edit.entries.contains { rows.position(of: $0.handle) == nil } }
        manager.inOrder { _ in
            // A read of the list that began before this does not have the list that is saved now.
            turns.editedAt = manager.consistencyManager.join(
                taken.turn, key, elements: new.map { ($0.handle, Leaf.node($0.model)) }, leavesOthers: true)
            save(
                .set(new, isPage: part == .firstPage), of: former, asOf: answer.place.stored,
                storing: manager.followed == nil ? nil : answer.left(by: taken, kept), context: context)
        }
        viewer?.showTaken(isChange, old, new, context, at: time)
        if isChange { tell(.reset, by: [viewer].compactMap(\.self), context: context, at: time, before: before) }
    }
}
