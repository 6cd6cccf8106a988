import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionStore {
    /// The reader that brings this list up to date: see ``DataModelManager/markStale(_:)``.
    func reader(of name: ModelIdentifier) -> ListReader {
        let (consistency, stale, key, type) = (manager.consistencyManager, manager.stale, key, T.self)
        let missing = loading.missing
        return ListReader(name: name, subscription: key) {
            [weak self] view, reading, known, ahead, began, life, isWiped, _ in
            if case .news(let news) = reading {
                var brought: [ModelIdentifier: any SimpleModel] = [:]
                var isLacking = false
                for identifier in Set(news.filter { $0.ticket == .none }.flatMap { $0.splices.flatMap(\.elements) }) {
                    switch view?.model(identifier, as: type) {
                    case .hit(let model): brought[identifier] = model
                    case .miss(let miss) where miss.reason == .deleted:
                        // The model may be written again; then the list has it again.
                        _ = stale.withLock { $0.wait(.list(name), for: miss.identifier) }
                    case .miss, nil: isLacking = true
                    }
                }
                let models = brought.values.map { Leaf.node($0) }
                let fresh = Set(brought.keys).subtracting(known).subtracting(ahead)
                consistency.graftFetched(began, models: models, over: fresh) {
                    [isLacking] newest in
                    guard let self else {
                        consistency.joinFetched(began, nil, [])
                        return
                    }
                    guard life == self.manager.lifeNow else {
                        return self.readAgain(began, through: news.map(\.ticket).max() ?? .none)
                    }
                    let newest = newest.compactMap { $0.flatMap { Leaf.base($0) as? T } }
                    self.take(
                        news, newest.reduce(into: [:]) { $0[$1.modelIdentifier ?? ""] = $1 }, isLacking: isLacking,
                        asOf: began, over: fresh)
                }
                return
            }
            let skips = missing.withLock { $0 } == .skip
            var read = view?.list(name, of: type, missing: .miss)
            var miss = read?.miss
            if skips, let found = miss, found.identifier != name, found.reason != .deleted {
                read = view?.list(name, of: type, missing: .skip)
            }
            if miss?.reason == .deleted { miss = nil }
            // The waits are noted before anything else is read, so that nothing comes in between.
            for missing in [miss?.identifier].compactMap(\.self) + (read?.value?.hidden.compactMap(\.awaits) ?? []) {
                _ = stale.withLock { $0.wait(.list(name), for: missing) }
            }
            let models = (read?.value?.elements ?? []).map { Leaf.node($0) }
            let fresh = Set(models.compactMap(\.modelIdentifier))
                .subtracting(known).subtracting(ahead)
            consistency.graftFetched(began, models: models, over: fresh) { [read, miss] newest in
                guard let self else {
                    consistency.joinFetched(began, nil, [])
                    return
                }
                guard life == self.manager.lifeNow else {
                    return self.readAgain(began, through: read?.value?.ticket ?? .none)
                }
                let list = read?.value.map { FetchedList($0, newest.map { $0.flatMap { Leaf.base($0) as? T } }) }
                self.show(list, miss, asOf: began, over: fresh, isWiped: isWiped)
            }
        }
    }

    /// Shows a list that was read as of `began`, under the edits that the cache had not made by then.
    ///
    /// - Parameters:
    ///   - list: `nil` if there is none, or not all of it.
    ///   - miss: the record that the cache does not have.
    ///   - fresh: the elements that were read, and not held before.
    ///   - isWiped: whether the cache was emptied, so that a list that it does not have is gone.
    private func show(
        _ list: FetchedList<T>?, _ miss: CacheMiss?, asOf began: Turn, over fresh: Set<ModelIdentifier>, isWiped: Bool
    ) {
        let consistency = manager.consistencyManager
        let name = ModelIdentifier(cacheKey ?? "")
        func end() { consistency.joinFetched(began, nil, []) }
        endEditsOfBefore()
        // A load that is under way may have read the cache earlier.
        guard !loading.isUnderWay || isWiped && cached.pending.isEmpty else {
            loading.isStale = true
            return end()
        }
        audience.interested.removeAll { $0.viewer == nil }
        let isShown = isLoaded || rows.entries.count > 0
        guard isShown || loading.isUnderWay || !audience.interested.isEmpty, !consistency.isCancelled(since: began)
        else { return end() }
        // An edit since may be newer than the read: the list is read again behind it.
        guard turns.editedAt <= began else {
            end()
            // The list is without the commits that were not told because of this read: later ones alone do not help.
            cached.commit = nil
            return manager.markStale([.list(name)])
        }
        guard let list else {
            // The pending edits are stored by now, or will be.
            guard cached.pending.isEmpty else {
                guard cached.showsRowsOfBefore else { return end() }
                return show(ListBase(entries: PersistentVector(), hidden: []), asOf: began, over: fresh)
            }
            end()
            if isWiped || cached.showsRowsOfBefore, isShown || loading.isUnderWay {
                clearForWipe(at: manager.now())
            } else if let miss, isLoaded {
                tellLacking(miss)
                cached.isThere = miss.identifier != name
            } else {
                cached.isThere = false
            }
            if !cached.isThere { cached.commit = nil }
            return
        }
        let isNew = !isLoaded
        isLoaded = true
        cached.isThere = true
        cached.commit = list.commit
        awaitHidden(list.hidden.compactMap(\.identifier), besides: list.hiddenInCache)
        let acknowledged = cached.endEdits(through: list.ticket)
        let read = successors(for: list.models, beside: acknowledged, except: cached.handlesOfPending)
        cached.gone.subtract(read.map(\.handle))
        show(ListBase(entries: PersistentVector(read), hidden: list.hidden), asOf: began, over: fresh, isNew: isNew)
    }

    /// Shows `list`, which was read whole, under the edits that are pending, and tells the owners.
    private func show(
        _ list: ListBase<T>, asOf began: Turn, over fresh: Set<ModelIdentifier>, isNew: Bool = false
    ) {
        let shown = shownBeforeEdit
        cached.showsRowsOfBefore = false
        let information = show(list, asOf: began, over: fresh, reading: nil) ?? []
        if !information.isEmpty { turns.changedAt = max(turns.changedAt, began) }
        tellWhole()
        // A provider that is told may edit, so that comes last.
        guard !information.isEmpty || isNew else { return }
        tell(.changes(information), by: [], context: nil, at: manager.now(), before: shown)
    }

    /// Lets the list be read again once one of `names` is written: elements of the cache's list that are deleted here.
    ///
    /// - Parameter others: the names of which it is known already when they are shown again.
    private func awaitHidden(_ names: [ModelIdentifier], besides others: [ModelIdentifier]) {
        guard names.count > others.count, let cacheKey else { return }
        manager.stale.withLock { stale in
            for name in Set(names).subtracting(others) { _ = stale.wait(.list(ModelIdentifier(cacheKey)), for: name) }
        }
    }

    /// Takes the changes that commits made to the list, in order.
    ///
    /// - Parameters:
    ///   - models: the elements that came, as far as they were not deleted since.
    ///   - isLacking: whether the cache does not have one of them, or not all of it.
    ///   - fresh: the elements that are held in no newer version.
    private func take(
        _ news: [ListNews], _ models: [ModelIdentifier: T], isLacking: Bool, asOf began: Turn,
        over fresh: Set<ModelIdentifier>
    ) {
        let consistency = manager.consistencyManager
        guard !loading.isUnderWay, isLoaded, !consistency.isCancelled(since: began) else {
            loading.isStale = loading.isUnderWay
            consistency.joinFetched(began, nil, [])
            if !loading.isUnderWay, !audience.interested.isEmpty, let cacheKey {
                manager.markStale([.list(ModelIdentifier(cacheKey))])
            }
            return
        }
        let before = ListBase(entries: cached.committed ?? rows.entries, hidden: cached.hidden)
        let former = cached.pending
        var list = before
        var splices: [EntrySplice<T>] = []
        var isReset = false
        var isAffected = false
        var isKnown = !isLacking
        for item in news {
            let own = cached.pending.first { item.ticket != .none && $0.ticket == item.ticket }
            // If no commit is known, a whole list that is no pending edit may be of before a wipe.
            if cached.commit.map({ $0 < item.commit }) ?? (item.isWhole && own != nil) {
                isAffected = isAffected || own == nil || own?.edit.splices(in: list) != item.splices
                isReset = isReset || item.isWhole
                isKnown = apply(item, own, models, to: &list) { splices.append($0.trimmed) } && isKnown
                // More of the same commit may follow.
                if item.isWhole { cached.commit = item.commit.previous }
            } else if cached.commit == nil {
                isKnown = false
            } else {
                // The list that was read has it already, or it changed nothing: as an edit it is shown no more.
                isAffected = isAffected || own != nil
            }
            cached.endEdits(through: item.ticket)
        }
        // Only a read knows whether a list that was set since has the elements that are deleted here.
        guard isKnown, !isReset || list.hidden.isEmpty else { return readWhole(began, former) }
        cached.isThere = true
        guard isAffected else {
            consistency.joinFetched(began, nil, [])
            cached.take(list)
            return
        }
        let shown = shownBeforeEdit
        let changes = isReset ? nil : differences(of: before.entries, former, splices, list.entries)
        let information =
            changes.map { show(list, $0, asOf: began, over: fresh, reading: models) }
            ?? show(list, asOf: began, over: fresh, reading: models)
        guard let information else { return readWhole(began, former) }
        guard !information.isEmpty else { return }
        turns.changedAt = max(turns.changedAt, began)
        tell(.changes(information), by: [], context: nil, at: manager.now(), before: shown)
    }

    /// Lets the whole list be read again, because the news of it as of `began` are not enough to show it.
    ///
    /// - Parameter former: the edits that were pending before that. The read says which of them it has. If it fails,
    ///   the list that the cache gets with the next edit must have them.
    private func readWhole(_ began: Turn, _ former: [PendingEdit<T>]) {
        (cached.commit, cached.pending) = (nil, former)
        manager.consistencyManager.joinFetched(began, nil, [])
        if let cacheKey { manager.markStale([.list(ModelIdentifier(cacheKey))]) }
    }

    /// Reads the list again, as it was read before everything was emptied: if that were shown, an edit would store it
    /// again.
    ///
    /// - Parameter ticket: the last edit that the read has.
    private func readAgain(_ began: Turn, through ticket: EditTicket) {
        cached.endEdits(through: ticket)
        readWhole(began, cached.pending)
    }

    /// Applies the changes of one commit to `list`.
    ///
    /// - Returns: whether the result is known to be the cache's list.
    private func apply(
        _ item: ListNews, _ own: PendingEdit<T>?, _ models: [ModelIdentifier: T], to list: inout ListBase<T>,
        _ note: (EntrySplice<T>) -> Void
    ) -> Bool {
        // An element that moves, or that this manager inserted, keeps its entry, once.
        var pool: [ModelIdentifier: [Entry<T>]] = [:]
        var pooled: Set<Int> = []
        func add(_ entries: [Entry<T>]) {
            for entry in entries.reversed() where pooled.insert(entry.handle).inserted {
                if let identifier = entry.model.modelIdentifier { pool[identifier, default: []].append(entry) }
            }
        }
        let put = own.map { $0.edit.entries.map { rows.newest($0) } } ?? []
        add(put)
        if item.isWhole {
            // The elements of later edits are not in that list; it may have another writer's with the same identifiers.
            let coming = cached.handlesOfPending
            add(rows.entries.slice(0, rows.entries.count).filter { !coming.contains($0.handle) })
            list = ListBase(entries: PersistentVector(), hidden: [])
        }
        var isKnown = true
        for splice in item.splices {
            let splice = item.isWhole ? ListSplice(0..<0, splice.elements) : splice
            let staying = own.map { list.staying($0.edit, outside: splice.range) } ?? []
            let change = list.apply(splice) { identifier in
                while let entry = pool[identifier]?.popLast() {
                    pooled.remove(entry.handle)
                    if staying.contains(entry.handle) { continue }
                    guard own != nil, cached.gone.contains(entry.handle) else { return entry }
                    // An element that was deleted here meanwhile may be there again: only a read knows.
                    isKnown = false
                    return nil
                }
                // The models of other writers' edits were read, unless they were deleted; those of own edits should be
                // in the pool.
                if item.ticket != .none { isKnown = false }
                return models[identifier].map { entry($0) }
            }
            guard let change else { return false }
            add(change.removed)
            note(change)
        }
        return isKnown
    }
}
