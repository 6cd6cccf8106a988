import GroveConsistency
import GroveModel

/// The fetch of a list from the cache: one for all callers that ask meanwhile.
extension CollectionStore {
    /// Calls `completion` with the content, which is fetched from the cache if it is not known.
    ///
    /// - Parameters:
    ///   - viewer: the provider that asks; it is not told of the result as of a change by others.
    ///   - missing: the meaning of an element that the cache does not have.
    func load(
        for viewer: CollectionDataProvider<T>, missing: MissingElements, context: (any Sendable)?,
        _ completion: @escaping @MainActor ([T]?, (any Error)?) -> Void
    ) {
        guard !isLoaded || loading.isUnderWay else {
            return completion(Array(CollectionElements(entries: rows.entries)), nil)
        }
        guard !loading.isUnderWay else {
            loading.waiters.append(
                ListLoad.Waiter(viewer: viewer) { [weak viewer] models, error in
                    // The load under way may have been one that does not skip missing elements.
                    guard let viewer, models == nil, error == nil, missing == .skip else {
                        return completion(models, error)
                    }
                    self.load(for: viewer, missing: .skip, context: context, completion)
                })
            return
        }
        loading.waiters.append(ListLoad.Waiter(viewer: viewer, completion: completion))
        loading.isUnderWay = true
        loading.count += 1
        let (resets, load) = (rows.resets, loading.count)
        let consistency = manager.consistencyManager
        manager.fetchCollection(cacheKey, of: T.self, missing, context) { [manager, key] read in
            let (fetch, models) = (read.turn, read.value?.elements)
            consistency.graftFetched(fetch, models: (models ?? []).map { Leaf.node($0) }) { newest in
                guard self.loading.count == load, !manager.isOver(read.place) else {
                    consistency.joinFetched(fetch, nil, [])
                    guard self.loading.count == load else { return }
                    self.endEditsOfBefore()
                    if self.rows.resets == resets, !self.cached.pending.isEmpty {
                        // The edits that were made since everything was emptied are stored.
                        _ = self.accept(nil)
                        self.loading.isUnderWay = false
                        manager.inOrder { _ in self.saveKept(context) }
                    }
                    return self.endLoad(nil, read.error ?? CacheError.wiped)
                }
                let list = read.value.map { FetchedList($0, newest.map { $0.flatMap { Leaf.base($0) as? T } }) }
                let found = list?.models
                let isFresh = self.rows.resets == resets
                // A provider that is told may edit, wipe or load again, so that comes last.
                let joined = isFresh ? self.accept(list) : []
                consistency.joinFetched(fetch, key, joined)
                self.loading.isUnderWay = false
                if isFresh, !self.cached.pending.isEmpty { manager.inOrder { _ in self.saveKept(context) } }
                self.loading.miss = read.miss
                let waiting = self.loading.waiters.compactMap(\.viewer)
                let answer = self.isLoaded ? Array(CollectionElements(entries: self.rows.entries)) : found
                if isFresh, let cacheKey = self.cacheKey, missing == .skip, read.value?.hidden.isEmpty == false {
                    // The loop that follows the cache waits for the skipped elements; one may have come since this
                    // read.
                    manager.markStale([.list(ModelIdentifier(cacheKey))])
                }
                if isFresh, found != nil { self.tellFetched(waiting, context) }
                self.endLoad(answer, self.isLoaded ? nil : read.error)
            }
        }
    }

    func afterLoad(_ body: @escaping @MainActor () -> Void) {
        guard loading.isUnderWay, !cached.pending.isEmpty else { return body() }
        loading.waiters.append(ListLoad.Waiter(viewer: nil) { _, _ in body() })
    }

    /// Answers every caller that waits for a load.
    func endLoad(_ models: [T]?, _ error: (any Error)?) {
        loading.isUnderWay = false
        let waiters = loading.waiters
        self.loading.waiters = []
        for waiter in waiters { waiter.completion(models, error) }
        guard loading.isStale, let cacheKey else { return }
        loading.isStale = false
        manager.markStale([.list(ModelIdentifier(cacheKey))])
    }

    /// Takes the fetched list as the cache's list, under the edits that were made meanwhile.
    private func accept(_ list: FetchedList<T>?) -> [(handle: Int, model: any Model)] {
        cached.isThere = list != nil && manager.followed != nil
        // The fetched list may include calls that were queued: once they are made, the list is read again.
        (cached.commit, cached.hidden) = (list?.commit, list?.hidden ?? [])
        guard let list else {
            isLoaded = isLoaded || rows.entries.count > 0
            if !isLoaded { (cached.pending, cached.committed) = ([], nil) }
            return []
        }
        // An inserted element that the list has already goes on in the place of that one.
        var there: [ModelIdentifier: Entry<T>] = [:]
        let names = Set(list.models.compactMap(\.modelIdentifier))
        for index in cached.pending.indices {
            guard case .insert(let entries, let place, isUpsert: true) = cached.pending[index].edit else { continue }
            var new: [Entry<T>] = []
            for entry in entries {
                guard let identifier = entry.model.modelIdentifier, names.contains(identifier) else {
                    new.append(entry)
                    continue
                }
                there[identifier] = rows.newest(entry)
            }
            cached.pending[index].edit = .insert(new, place, isUpsert: true)
        }
        let base = list.models.map { model in
            model.modelIdentifier.flatMap { there.removeValue(forKey: $0) } ?? entry(model)
        }
        let known = Set(rows.entries.slice(0, rows.entries.count).map(\.handle))
        var shown = PersistentVector(base)
        cached.committed = cached.pending.isEmpty ? nil : shown
        for edit in cached.pending { edit.edit.apply(to: &shown) }
        reset(shown.slice(0, shown.count))
        return rows.entries.slice(0, rows.entries.count).filter { !known.contains($0.handle) }.map {
            ($0.handle, Leaf.node($0.model))
        }
    }

    /// Stores the edits that were made while the list was being read.
    private func saveKept(_ context: (any Sendable)?) {
        guard let cacheKey else { return }
        endEditsOfBefore()
        guard manager.followed == nil else { return sendKept(of: rows.entries, context: context) }
        (cached.pending, cached.committed) = ([], nil)
        saveWhole(cacheKey, context)
    }
}
