import GroveConsistency
public import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionDataProvider {
    /// Replaces the whole collection, for all providers of `cacheKey`.
    ///
    /// Equal content is stored, but is not a change: no delegate, stream or observer is told. This is an edit, so the
    /// age of the data stays. Elements are matched by identifier: an element with the same identifier keeps its row,
    /// even if it moves.
    ///
    /// - Parameters:
    ///   - cacheKey: the key from now on. Pass the provider's own key to keep it, or `nil` for a collection that is
    ///     neither cached nor shared.
    ///   - shouldCache: false to keep the change in memory only.
    ///   - context: passed to the delegates of other providers, and to the cache.
    public func setData(
        _ data: [T], cacheKey: String?, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) {
        let isSameList = cacheKey == self.cacheKey
        // An edit of the list that is being loaded does not end the load.
        let isLoading = isSameList && request.isLoading(cacheKey)
        if !isLoading { request.number += 1 }
        endInterest()
        let shown = CollectionElements(entries: entries)
        if cacheKey != self.cacheKey { join(dataModelManager.store(cacheKey, of: T.self)) }
        let data = store.kept(of: data).map { data[$0] }
        let before = store.shownBeforeEdit
        let isChange = !store.isLoaded || !CollectionElements(entries: store.rows.entries).isEqual(to: data)
        let time = dataModelManager.now()
        let old = entries.slice(0, entries.count)
        let isAnyKept = store.rows.entries.count > 0
        let new = isChange ? store.successors(for: data) : store.rows.entries(with: data)
        store.awaited = AwaitedElements()
        let former = store.rows.entries
        if isChange { store.reset(new) } else { store.rows.entries = PersistentVector(new) }
        store.turns.confirmed = nil
        followStore()
        let sequence = commit(
            .set(new), of: former, leaving: nil, joining: new, isSaved: shouldCache, context: context,
            at: time)
        store.turns.setAt = sequence
        if isAnyKept { store.rows.markEdited(at: sequence) }
        updateState { isLoading ? $0.note(.fresh) : $0.end(.fresh) }
        if isChange || !isSameList || !shown.isEqual(to: data) {
            note(.reset, isOwn: true, context, at: time, updated: isSameList ? Self.updated(from: old, to: new) : nil)
        } else {
            lastUpdated = time
        }
        if isChange { store.tell(.reset, by: [self], context: context, at: time, before: before) }
    }

    /// Shows the answer that this provider asked the network for: `new` in the place of `old`.
    func showTaken(
        _ isChange: Bool, _ old: some Collection<Entry<T>>, _ new: [Entry<T>], _ context: (any Sendable)?, at time: Date
    ) {
        followStore()
        if isChange {
            note(.reset, isOwn: true, context, at: time, updated: Self.updated(from: Array(old), to: new))
        } else {
            lastUpdated = time
            showLayers(context: context)
        }
    }

    /// The handles of the elements that changed; `nil` if any came, went or moved.
    private static func updated(from old: [Entry<T>], to new: [Entry<T>]) -> [Int]? {
        guard old.count == new.count else { return nil }
        var updated: [Int] = []
        for (old, new) in zip(old, new) {
            guard old.handle == new.handle else { return nil }
            if old.revision != new.revision || !old.model.isEqual(to: new.model) { updated.append(new.handle) }
        }
        return updated
    }

    /// Inserts `newData` before the element at `index`, or at the end if `index` is ``count``.
    public func insert(_ newData: [T], at index: Int, shouldCache: Bool = true, context: (any Sendable)? = nil) {
        guard index >= 0, index <= entries.count else {
            return dataModelManager.misuse("An index is outside of the collection.")
        }
        put(newData, shouldCache, context) { (index, place(of: index)) }
    }

    /// Adds `newData` at the end.
    public func append(_ newData: [T], shouldCache: Bool = true, context: (any Sendable)? = nil) {
        put(newData, shouldCache, context) { (entries.count, .last) }
    }

    /// Inserts elements; if the list holds each identifier once, elements that it has are updated.
    func put(
        _ elements: [T], _ shouldCache: Bool, _ context: (any Sendable)?, at place: () -> (Int, EntryPlace<T>)
    ) {
        let isUpsert = store.audience.holdsEachOnce
        let new = isUpsert ? updating(elements, shouldCache, context) : elements
        let (index, anchor) = place()
        insert(new, at: index, anchor, shouldCache, context, isUpsert: isUpsert)
    }

    /// Updates those of `elements` whose identifiers the list has, in place.
    ///
    /// - Returns: the others, the last version of each.
    func updating(_ elements: [T], _ shouldCache: Bool, _ context: (any Sendable)?) -> [T] {
        var new: [T] = []
        var places: [ModelIdentifier: Int] = [:]
        for element in elements {
            guard let identifier = element.modelIdentifier else {
                new.append(element)
                continue
            }
            // An element that a sibling removed stays removed, even if this provider still shows it.
            let shown = confirmedEntries
            let found =
                store.rows.index(of: identifier).map { store.rows.entries[$0] }
                ?? (following.snapshot == nil
                    ? nil : shown.slice(0, shown.count).first { $0.model.modelIdentifier == identifier })
            if let found {
                replace(found.handle, with: element, shouldCache, context)
            } else if let place = places[identifier] {
                new[place] = element
            } else {
                places[identifier] = new.count
                new.append(element)
            }
        }
        return new
    }

    /// Reserves places for the models of `identifiers` before the element at `index`, or at the end.
    ///
    /// Each model appears in its place, as a change by others, as soon as a provider holds or posts it. This call does
    /// not read the cache; if the cache may have the models, fetch them too. Replacing the whole collection ends the
    /// wait.
    ///
    /// - Parameter shouldCache: whether to store the collection when a model has arrived.
    public func insert(awaiting identifiers: [ModelIdentifier], at index: Int, shouldCache: Bool = true) {
        guard index >= 0, index <= entries.count else {
            return dataModelManager.misuse("An index is outside of the collection.")
        }
        store.await(identifiers, at: place(of: index).gap(in: store.rows.entries), isSaved: shouldCache)
    }

    /// - Parameters:
    ///   - index: their index in the list that this provider shows.
    ///   - anchor: their place in the newest list.
    ///   - isUpsert: whether the cache leaves out elements whose identifiers its list has.
    func insert(
        _ newData: [T], at index: Int, _ anchor: EntryPlace<T>, _ shouldCache: Bool, _ context: (any Sendable)?,
        isUpsert: Bool, page: AppliedPage? = nil
    ) {
        guard !newData.isEmpty else { return }
        // Without an identifier an element is new.
        let isUpsert = isUpsert && (page != nil || newData.allSatisfy { $0.modelIdentifier != nil })
        endInterest()
        let former = store.rows.entries
        let place = anchor.gap(in: former)
        let (before, time) = (store.shownBeforeEdit, dataModelManager.now())
        let new = newData.map { store.entry($0) }
        store.rows.insert(new, at: place)
        editShown { $0.replace(index, index, with: new) }
        store.isLoaded = store.isLoaded || !store.loading.isUnderWay
        commit(
            .insert(new, anchor, isUpsert: isUpsert), of: former, leaving: [], joining: new, isSaved: shouldCache,
            context: context, at: time, page: page)
        tell(place, index, newData.count, CollectionChangeInformation.insert, context, time, before)
    }

    /// Replaces the element at `index` by another version of it.
    ///
    /// If the element there has another identifier, `index` is out of date. Then the element with the identifier of
    /// `element` is replaced, wherever it is. An element without an identifier is replaced by any other.
    ///
    /// - Returns: true if the element was replaced; false if the list does not have it, and nothing happened. To put
    ///   another model in the place of one, remove the old one and insert the new one.
    @discardableResult
    public func update(_ element: T, at index: Int, shouldCache: Bool = true, context: (any Sendable)? = nil) -> Bool {
        guard index >= 0, index < entries.count else {
            dataModelManager.misuse("An index is outside of the collection.")
            return false
        }
        var index = index
        let there = entries[index].model.modelIdentifier
        if there != element.modelIdentifier {
            if let found = element.modelIdentifier.flatMap({ self.index(of: $0) }) {
                index = found
            } else if there != nil {
                return false
            }
        }
        replace(entries[index].handle, with: element, near: index, shouldCache, context)
        return true
    }

    /// Puts `element` in the place of the element of `handle`, which this provider need not show.
    ///
    /// - Parameter index: the index at which that is shown, if it is known.
    func replace(
        _ handle: Int, with element: T, near index: Int = 0, _ shouldCache: Bool, _ context: (any Sendable)?
    ) {
        let index = entries.index(of: handle, near: index)
        if let index { editShown { $0[index].model = element } }
        guard let place = store.rows.position(of: handle) else {
            // A sibling removed it from the list: only the model's new version is left to post.
            return dataModelManager.updateModel(element, updateCache: shouldCache, context: context)
        }
        let (before, time, former) = (store.shownBeforeEdit, dataModelManager.now(), store.rows.entries)
        let seen = store.seen(place)
        store.rows.edit(element, at: place)
        if let index { editShown { $0[index].revision = store.rows.entries[place].revision } }
        store.rows.entries[place].editedAt = commit(
            .replace(seen, with: store.rows.entries[place]), of: former,
            leaving: [handle], joining: [store.rows.entries[place]], isSaved: shouldCache, context: context, at: time)
        tell(place, index, 1, CollectionChangeInformation.update, context, time, before)
    }

    /// Removes the element at `index` from the collection; the model itself stays.
    public func remove(at index: Int, shouldCache: Bool = true, context: (any Sendable)? = nil) {
        guard index >= 0, index < entries.count else {
            return dataModelManager.misuse("An index is outside of the collection.")
        }
        let handle = entries[index].handle
        editShown { $0.replace(index, index + 1, with: []) }
        guard let place = store.rows.position(of: handle) else { return }
        let (before, time, former) = (store.shownBeforeEdit, dataModelManager.now(), store.rows.entries)
        let seen = store.seen(place)
        store.rows.remove(at: place)
        commit(
            .replace(seen, with: nil), of: former, leaving: [handle], joining: [],
            isSaved: shouldCache, context: context, at: time)
        tell(place, index, 1, CollectionChangeInformation.delete, context, time, before)
    }

    /// Moves the element at `index` to before the one at `target`, both of the list that this provider shows.
    ///
    /// - Parameter anchor: its place in the newest list.
    func move(
        _ index: Int, before target: Int, _ anchor: EntryPlace<T>, _ shouldCache: Bool, _ context: (any Sendable)?
    ) {
        let handle = entries[index].handle
        editShown { shown in
            let entry = shown[index]
            shown.replace(index, index + 1, with: [])
            let to = target > index ? target - 1 : target
            shown.replace(to, to, with: [entry])
        }
        guard let from = store.rows.position(of: handle) else { return }
        let (before, time, former) = (store.shownBeforeEdit, dataModelManager.now(), store.rows.entries)
        let gap = anchor.gap(in: former)
        let to = gap > from ? gap - 1 : gap
        guard from != to else { return }
        let (seen, entry) = (store.seen(from), former[from])
        store.rows.remove(at: from)
        store.rows.insert([entry], at: to)
        commit(
            .move(seen, anchor), of: former, leaving: [], joining: [], isSaved: shouldCache, context: context, at: time)
        let change = CollectionChange.changes([.delete(index: from), .insert(index: to)])
        note(change, isOwn: true, context, at: time)
        store.tell(change, by: [self], context: context, at: time, before: before)
    }

    /// Removes the element at `index`; the older name of ``remove(at:shouldCache:context:)``.
    public func removeAtIndex(_ index: Int, shouldCache: Bool = true, context: (any Sendable)? = nil) {
        remove(at: index, shouldCache: shouldCache, context: context)
    }

    /// The place before `index` of the list that this provider shows.
    func place(of index: Int) -> EntryPlace<T> {
        if index == 0 { return .first }
        let shown = SeenEntry(index: index - 1, list: entries, position: index - 1)
        // The anchor is an element of the newest list, so that of several with one identifier the right one is meant.
        let gap = EntryPlace.after(shown).gap(in: store.rows.entries)
        return gap == 0 ? .first : .after(store.seen(gap - 1))
    }

    /// Posts an edit to the engine and the cache.
    ///
    /// - Parameter former: the list before the edit.
    @discardableResult
    private func commit(
        _ edit: EntryEdit<T>, of former: PersistentVector<Entry<T>>, leaving: [Int]?, joining: [Entry<T>],
        isSaved: Bool, context: (any Sendable)?, at time: Date, page: AppliedPage? = nil
    ) -> Turn {
        let store = store
        let joined = joining.map { (handle: $0.handle, model: Leaf.node($0.model)) }
        let manager = dataModelManager
        return manager.inOrder { _ in
            let sequence: Turn
            if let page {
                sequence = manager.consistencyManager.join(
                    page.turn, store.key, elements: joined, leavesOthers: false)
            } else {
                sequence = manager.consistencyManager.edit(
                    store.key, leaving: leaving, joining: joined, posting: joined.map(\.model), context: context,
                    at: time)
            }
            store.note(edit, at: sequence)
            if isSaved {
                store.save(edit, of: former, asOf: page?.place.stored, storing: page?.stored, context: context)
            } else {
                store.keep(edit, of: former)
            }
            return sequence
        }
    }

    /// Tells of an edit at `place` of the newest list, and at `shown` of the list that this provider shows, if that has
    /// the element.
    private func tell(
        _ place: Int, _ shown: Int?, _ count: Int, _ change: (Int) -> CollectionChangeInformation,
        _ context: (any Sendable)?, _ time: Date, _ before: ListState<T>?
    ) {
        if let shown {
            note(.changes((shown..<shown + count).map(change)), isOwn: true, context, at: time)
        } else if following.snapshot == nil {
            // A layer hides it.
            note(.changes([]), isOwn: true, context, at: time)
        } else {
            following.isDiverged = true
        }
        store.tell(
            .changes((place..<place + count).map(change)), by: [self], context: context, at: time, before: before)
    }
}

/// A page that the network brought and that was applied: its models are not posted once more.
struct AppliedPage {
    let turn: Turn
    let place: Place
    /// The models to store, as the network brought them.
    let stored: [any SimpleModel]
}
