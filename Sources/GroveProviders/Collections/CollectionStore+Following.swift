import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionStore {
    /// How this list is brought up to date: see ``DataModelManager/markStale(_:)``.
    func reader(of name: ModelIdentifier) -> ListReader {
        let (consistency, stale, key, type) = (manager.consistencyManager, manager.stale, key, T.self)
        let missing = missing
        return ListReader(name: name, subscription: key) { [weak self] view, reading, known, ahead, began, isWiped in
            if case .news(let news) = reading {
                var brought: [ModelIdentifier: any SimpleModel] = [:]
                var isLacking = false
                for identifier in Set(news.filter { $0.ticket == 0 }.flatMap { $0.splices.flatMap(\.elements) }) {
                    switch view?.model(identifier, as: type) {
                    case .hit(let model): brought[identifier] = model
                    case .miss(let miss) where miss.reason == .deleted: break
                    case .miss, nil: isLacking = true
                    }
                }
                let models = brought.values.map { Leaf.node($0) }
                let fresh = Set(brought.keys).subtracting(ahead)
                consistency.graftFetched(began, models: models, over: fresh) {
                    [isLacking] newest in
                    guard let self else {
                        consistency.joinFetched(began, nil, [])
                        return
                    }
                    let newest = newest.compactMap { $0.flatMap { Leaf.base($0) as? T } }
                    self.take(
                        news, newest.reduce(into: [:]) { $0[$1.modelIdentifier ?? ""] = $1 }, isLacking: isLacking,
                        asOf: began, over: fresh)
                }
                return
            }
            view?.know(known)
            let skips = missing.withLock { $0 } == .skip
            var read = view?.list(name, of: type, missing: .miss)
            var miss = read?.miss
            if skips, let found = miss, found.identifier != name, found.reason != .deleted {
                read = view?.list(name, of: type, missing: .skip)
            }
            if miss?.reason == .deleted { miss = nil }
            // Before anything else is read, so that nothing comes in between.
            for missing in [miss?.identifier].compactMap(\.self) + (read?.value?.hidden.compactMap(\.awaits) ?? []) {
                _ = stale.withLock { $0.wait(.list(name), for: missing) }
            }
            let models = (read?.value?.elements ?? []).map { Leaf.node($0) }
            let fresh = Set(models.compactMap(\.modelIdentifier))
                .subtracting(known.compactMap(\.modelIdentifier)).subtracting(ahead)
            consistency.graftFetched(began, models: models, over: fresh) { [read, miss] newest in
                guard let self else {
                    consistency.joinFetched(began, nil, [])
                    return
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
    ///   - miss: what the cache does not have.
    ///   - fresh: the elements that were read, and not held before.
    ///   - isWiped: whether the cache was emptied, so that a list that it does not have is gone.
    private func show(
        _ list: FetchedList<T>?, _ miss: CacheMiss?, asOf began: Turn, over fresh: Set<ModelIdentifier>, isWiped: Bool
    ) {
        let consistency = manager.consistencyManager
        let name = ModelIdentifier(cacheKey ?? "")
        func end() { consistency.joinFetched(began, nil, []) }
        endEditsOfBefore()
        // A load that is under way may have looked before.
        guard !isLoading || isWiped && pending.isEmpty else {
            isStale = true
            return end()
        }
        interested.removeAll { $0.viewer == nil }
        let isShown = isLoaded || entries.count > 0
        guard isShown || isLoading || !interested.isEmpty, !consistency.isCancelled(since: began) else { return end() }
        // What was edited since may be newer than what was read: it is read again behind that.
        guard editedAt <= began else {
            end()
            // The commits that were not told because of this read are not in what is known: later ones do not help alone.
            commit = nil
            return manager.markStale([.list(name)])
        }
        guard let list else {
            // What was edited since is stored by now, or will be.
            guard pending.isEmpty else {
                guard showsRowsOfBefore else { return end() }
                return show(ListBase(entries: PersistentVector(), hidden: []), asOf: began, over: fresh)
            }
            end()
            if isWiped || showsRowsOfBefore, isShown || isLoading {
                clearForWipe(at: manager.now())
            } else if let miss, isLoaded {
                tellLacking(miss)
                isInCache = miss.identifier != name
            } else {
                isInCache = false
            }
            if !isInCache { commit = nil }
            return
        }
        let isNew = !isLoaded
        isLoaded = true
        isInCache = true
        commit = list.commit
        awaitHidden(list.hidden.compactMap(\.identifier), besides: list.hiddenInCache)
        let acknowledged = endEdits(through: list.ticket)
        let read = successors(for: list.models, beside: acknowledged, except: handlesOfPending)
        gone.subtract(read.map(\.handle))
        show(ListBase(entries: PersistentVector(read), hidden: list.hidden), asOf: began, over: fresh, isNew: isNew)
    }

    /// Shows `list`, which was read whole, under the edits that are pending, and tells the owners.
    private func show(
        _ list: ListBase<T>, asOf began: Turn, over fresh: Set<ModelIdentifier>, isNew: Bool = false
    ) {
        let shown = shownBeforeEdit
        showsRowsOfBefore = false
        let information = show(list, asOf: began, over: fresh, reading: nil) ?? []
        if !information.isEmpty { changedAt = max(changedAt, began) }
        tellWhole()
        // Who is told may edit; so that comes last.
        guard !information.isEmpty || isNew else { return }
        tell(.changes(information), by: [], context: nil, at: manager.now(), before: shown)
    }

    /// Lets the list be read again once one of `names` is written, which it has, and which is deleted here.
    ///
    /// - Parameter others: those of them of which it is known when they are shown again.
    private func awaitHidden(_ names: [ModelIdentifier], besides others: [ModelIdentifier]) {
        guard names.count > others.count, let cacheKey else { return }
        manager.stale.withLock { stale in
            for name in Set(names).subtracting(others) { _ = stale.wait(.list(ModelIdentifier(cacheKey)), for: name) }
        }
    }

    /// The handles of what the pending edits bring, and the cache's list does not have yet.
    private var handlesOfPending: Set<Int> {
        guard let committed, !pending.isEmpty else { return [] }
        let there = Set(committed.slice(0, committed.count).map(\.handle))
        return Set(pending.flatMap(\.edit.entries).map(\.handle)).subtracting(there)
    }

    /// Takes what commits did to the list, in order.
    ///
    /// - Parameters:
    ///   - models: the elements that came, as far as they were not deleted since.
    ///   - isLacking: whether the cache does not have one of them, or not all of it.
    ///   - fresh: those that are held in no newer version.
    private func take(
        _ news: [ListNews], _ models: [ModelIdentifier: T], isLacking: Bool, asOf began: Turn,
        over fresh: Set<ModelIdentifier>
    ) {
        let consistency = manager.consistencyManager
        guard !isLoading, isLoaded, !consistency.isCancelled(since: began) else {
            isStale = isLoading
            consistency.joinFetched(began, nil, [])
            if !isLoading, !interested.isEmpty, let cacheKey { manager.markStale([.list(ModelIdentifier(cacheKey))]) }
            return
        }
        let before = ListBase(entries: committed ?? entries, hidden: hidden)
        let former = pending
        var list = before
        var splices: [EntrySplice<T>] = []
        var isReset = false
        var isAffected = false
        var isKnown = !isLacking
        for item in news {
            let own = pending.first { item.ticket > 0 && $0.ticket == item.ticket }
            if commit.map({ $0 < item.commit }) ?? item.isWhole {
                isAffected = isAffected || own == nil || own?.edit.splices(in: list) != item.splices
                isReset = isReset || item.isWhole
                isKnown = apply(item, own, models, to: &list) { splices.append($0.trimmed) } && isKnown
                // More of the same commit may follow.
                if item.isWhole { commit = item.commit.previous }
            } else if commit == nil {
                isKnown = false
            } else {
                // It is in what was read before, or made nothing of that: it is shown no more.
                isAffected = isAffected || own != nil
            }
            endEdits(through: item.ticket)
        }
        // Whether what is deleted here is there for a list that was set since, only a read knows.
        guard isKnown, !isReset || list.hidden.isEmpty else { return readWhole(began, former) }
        isInCache = true
        guard isAffected else {
            consistency.joinFetched(began, nil, [])
            hidden = list.hidden
            committed = pending.isEmpty ? nil : list.entries
            if pending.isEmpty { gone = [] }
            return
        }
        let shown = shownBeforeEdit
        let read = Set(models.keys)
        let changes = isReset ? nil : differences(of: before.entries, former, splices, list.entries)
        let information =
            changes.map { show(list, $0, asOf: began, over: fresh, reading: read) }
            ?? show(list, asOf: began, over: fresh, reading: read)
        guard let information else { return readWhole(began, former) }
        guard !information.isEmpty else { return }
        changedAt = max(changedAt, began)
        tell(.changes(information), by: [], context: nil, at: manager.now(), before: shown)
    }

    /// Lets the whole list be read again, as what was told of it as of `began` is not enough to show it.
    ///
    /// - Parameter former: the edits that were pending before that. The read says which of them it has; it may fail, and then the list that the
    ///   cache gets with the next edit must have them.
    private func readWhole(_ began: Turn, _ former: [PendingEdit<T>]) {
        (commit, pending) = (nil, former)
        manager.consistencyManager.joinFetched(began, nil, [])
        if let cacheKey { manager.markStale([.list(ModelIdentifier(cacheKey))]) }
    }

    /// Applies what one commit did to `list`.
    ///
    /// - Returns: whether that was the list.
    private func apply(
        _ item: ListNews, _ own: PendingEdit<T>?, _ models: [ModelIdentifier: T], to list: inout ListBase<T>,
        _ note: (EntrySplice<T>) -> Void
    ) -> Bool {
        // What moves, and what this manager has put in, goes on as what it is, once.
        var pool: [ModelIdentifier: [Entry<T>]] = [:]
        var pooled: Set<Int> = []
        func add(_ entries: [Entry<T>]) {
            for entry in entries.reversed() where pooled.insert(entry.handle).inserted {
                if let identifier = entry.model.modelIdentifier { pool[identifier, default: []].append(entry) }
            }
        }
        let put = own.map { $0.edit.entries.map(newest) } ?? []
        add(put)
        if item.isWhole {
            // What a later edit brings is not in that list; it may have what another writer brings of the same identifier.
            let coming = handlesOfPending
            add(entries.slice(0, entries.count).filter { !coming.contains($0.handle) })
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
                    // What was deleted since is not shown.
                    return own != nil && gone.contains(entry.handle) ? nil : entry
                }
                // Of others' edits the models were read, but for those that were deleted; of this manager's own they are known.
                if item.ticket > 0 { isKnown = false }
                return models[identifier].map { entry($0) }
            }
            guard let change else { return false }
            add(change.removed)
            note(change)
        }
        return isKnown
    }

    /// What of the shown list differs once the cache's list is `list`, under the edits that are pending.
    ///
    /// - Parameters:
    ///   - before: the cache's list before.
    ///   - former: the edits that were pending then.
    ///   - splices: what became of the cache's list.
    /// - Complexity: O(*m*) for *m* elements that come, go or are pending, unless what a pending edit was made beside is gone.
    /// - Returns: `nil` if all rows must be compared.
    private func differences(
        of before: PersistentVector<Entry<T>>, _ former: [PendingEdit<T>], _ splices: [EntrySplice<T>],
        _ list: PersistentVector<Entry<T>>
    ) -> [EntrySplice<T>]? {
        guard gone.isEmpty else { return nil }
        if former.isEmpty { return committed == nil ? splices.filter { !$0.isEmpty } : nil }
        if former.contains(where: \.edit.isWhole) { return nil }
        var (shown, new) = (before, list)
        let made = former.flatMap { $0.edit.apply(to: &shown) }
        let again = pending.flatMap { $0.edit.apply(to: &new) }
        guard shown.count == entries.count else { return nil }
        var ranges = ChangedRanges()
        for splice in made.reversed() {
            ranges.note(splice.start, removed: splice.inserted.count, inserted: splice.removed.count)
        }
        for splice in splices + again {
            ranges.note(splice.start, removed: splice.removed.count, inserted: splice.inserted.count)
        }
        var found: [EntrySplice<T>] = []
        for change in ranges.changes {
            let (old, known) = (change.old.lowerBound, change.old.upperBound)
            let removed = entries.slice(old, known)
            // What is shown is not what these edits make of the list.
            guard removed.map(\.handle) == shown.slice(old, known).map(\.handle) else { return nil }
            var revisions: [Int: Int] = [:]
            for entry in removed { revisions[entry.handle] = entry.revision }
            let inserted = new.slice(change.new.lowerBound, change.new.upperBound).map { entry in
                let shown = newest(entry)
                return shown.revision >= entry.revision ? shown : entry
            }
            // Another version of an element that stays is told as that.
            guard inserted.allSatisfy({ revisions[$0.handle] ?? $0.revision == $0.revision }) else { return nil }
            let splice = EntrySplice(start: change.new.lowerBound, removed: removed, inserted: inserted).trimmed
            if !splice.isEmpty { found.append(splice) }
        }
        return found
    }

    /// Shows `list`, which is what the cache has, under the edits that are pending; that differs from what is shown by `splices`.
    ///
    /// - Complexity: O(*m*) for *m* elements that come or go, whatever there is beside them.
    /// - Parameter read: the models that were read.
    /// - Returns: what changed; `nil`, and then nothing does, as for ``show(_:asOf:over:reading:)``.
    private func show(
        _ list: ListBase<T>, _ splices: [EntrySplice<T>], asOf began: Turn, over fresh: Set<ModelIdentifier>,
        reading read: Set<ModelIdentifier>
    ) -> [CollectionChangeInformation]? {
        // What was there before, and what came: what moves is not new.
        let known = Set(splices.flatMap { $0.removed.map(\.handle) }.filter { position(of: $0) != nil })
        let inserted = splices.flatMap(\.inserted).filter { !known.contains($0.handle) }
        guard read.isSuperset(of: inserted.compactMap(\.model.modelIdentifier)) else { return nil }
        let came = Set(inserted.map(\.handle))
        hidden = list.hidden
        committed = pending.isEmpty ? nil : list.entries
        take(splices)
        var information: [CollectionChangeInformation] = []
        for splice in splices {
            information += splice.removed.indices.reversed().map { .delete(index: splice.start + $0) }
            information += splice.inserted.indices.map { .insert(index: splice.start + $0) }
        }
        listen(
            to: came.compactMap { position(of: $0) }, asOf: began, over: fresh,
            leaving: known.filter { position(of: $0) == nil })
        return information
    }

    /// Makes `list` what the cache has, and shows it under the edits that are pending.
    ///
    /// - Parameter read: the models that were read; `nil` for all.
    /// - Returns: what changed; `nil`, and then nothing does, if an element comes back that an edit had hidden, and that was not read:
    ///   what became of it meanwhile is not known.
    private func show(
        _ list: ListBase<T>, asOf began: Turn, over fresh: Set<ModelIdentifier>, reading read: Set<ModelIdentifier>?
    ) -> [CollectionChangeInformation]? {
        let isWhole = read == nil
        var new = list.entries
        // What is before a whole list makes no difference.
        let first = pending.lastIndex(where: \.edit.isWhole) ?? 0
        for edit in pending.dropFirst(first) { edit.edit.apply(to: &new) }
        for index in (0..<new.count).reversed() where !pending.isEmpty && gone.contains(new[index].handle) {
            new.replace(index, index + 1, with: [])
        }
        // What is shown of an element may be newer than what was kept of it.
        for index in 0..<new.count {
            let entry = newest(new[index])
            if entry.revision > new[index].revision { new[index] = entry }
        }
        let (before, after) = (entries.slice(0, entries.count), new.slice(0, new.count))
        let shared = min(before.count, after.count)
        let start = (0..<shared).first { before[$0].handle != after[$0].handle } ?? shared
        let kept =
            (0..<shared - start).first { before[before.count - 1 - $0].handle != after[after.count - 1 - $0].handle }
            ?? shared - start
        let (left, came) = (start..<before.count - kept, start..<after.count - kept)
        let known = Set(before[left].map(\.handle))
        if let read {
            let back = after[came].filter { !known.contains($0.handle) }.compactMap(\.model.modelIdentifier)
            guard read.isSuperset(of: back) else { return nil }
        }
        hidden = list.hidden
        committed = pending.isEmpty ? nil : list.entries
        if pending.isEmpty { gone = [] }
        var information = left.reversed().map { CollectionChangeInformation.delete(index: $0) }
        information += came.map { .insert(index: $0) }
        for index in after.indices where !came.contains(index) {
            let old = before[index < start ? index : index + before.count - after.count]
            if old.revision != after[index].revision { information.append(.update(index: index)) }
        }
        let there = Set(after[came].map(\.handle))
        let leaving = isWhole ? before.map(\.handle) : before[left].map(\.handle).filter { !there.contains($0) }
        replace(left, with: after[came])
        for index in after.indices where !came.contains(index) {
            if entries[index].revision != after[index].revision { entries[index] = after[index] }
        }
        listen(
            to: isWhole ? Array(0..<entries.count) : came.filter { !known.contains(entries[$0].handle) }, asOf: began,
            over: fresh, leaving: leaving)
        return information
    }

    /// Listens to what was read as of `began` and is shown at `indices`.
    ///
    /// News from before are not for it: what became of it since it was read is told once it is listened to.
    private func listen(
        to indices: [Int], asOf began: Turn, over fresh: Set<ModelIdentifier>, leaving: some Sequence<Int>
    ) {
        let joined = indices.map { (handle: entries[$0].handle, model: Leaf.node(entries[$0].model)) }
        let joinedAt = manager.consistencyManager.joinFetched(
            began, key, joined, leaving: Array(leaving), over: fresh)
        for index in indices { entries[index].editedAt = max(entries[index].editedAt, joinedAt.previous) }
    }
}
