import GroveConsistency
import GroveModel

/// The way of edits to the cache: a cache that is followed gets each edit, any other the whole list.
extension CollectionStore {
    /// Stores an edit that is shown, behind the kept edits before it.
    ///
    /// Called within ``DataModelManager/inOrder(_:)``. While the list is being read the edit is kept: it is made once
    /// the list is there.
    ///
    /// - Parameters:
    ///   - edit: the edit.
    ///   - before: the list before the edit.
    ///   - place: the place that it is as of, if it is an answer of the network.
    ///   - models: the models to store for the elements that the edit brings, if they are not those shown.
    func save(
        _ edit: EntryEdit<T>, of before: PersistentVector<Entry<T>>, asOf place: StoredPlace? = nil,
        storing models: [any SimpleModel]? = nil, context: (any Sendable)?
    ) {
        guard let cacheKey else { return }
        if loading.isUnderWay, !isLoaded {
            // The models that it brings must not wait for the list.
            saveModels(models ?? edit.entries.map(\.model), asOf: place, context)
            return keep(edit, of: before)
        }
        guard manager.followed != nil else { return saveWhole(cacheKey, context) }
        endEditsOfBefore(beside: before)
        // Edits kept before a whole list make no difference; an answer goes under those kept since its request.
        if case .set(_, isPage: false) = edit {
            if place == nil { cached.pending.removeAll { $0.ticket == .none } }
            cached.isThere = cached.isThere || !cached.pending.contains(where: \.isKept)
        }
        sendKept(of: before, context: context)
        let ticket = send(edit.edit(storing:), edit, storing: models, asOf: place, context)
        if edit.isWhole, place == nil { cached.lastWhole = ticket }
        keep(edit, of: before, ticket, isAnswer: place != nil && edit.isWhole)
    }

    /// Lets the cache make the edits that were kept.
    ///
    /// If the cache does not have the whole list, it gets the list from before them.
    ///
    /// - Parameter before: the list that is shown.
    func sendKept(of before: PersistentVector<Entry<T>>, context: (any Sendable)?) {
        guard manager.followed != nil else { return }
        if !cached.isThere {
            cached.isThere = true
            let first = cached.pending.firstIndex { $0.isKept } ?? cached.pending.count
            if cached.committed == nil { cached.committed = before }
            var list = cached.committed ?? before
            for edit in cached.pending[..<first] { edit.edit.apply(to: &list) }
            let was = list.slice(0, list.count)
            let ticket = send(ListEdit.fill, newest: was, madeAt: cached.wipes, context)
            cached.pending.insert(PendingEdit(ticket: ticket, edit: .set(was), wipes: cached.wipes), at: first)
        }
        for index in cached.pending.indices where cached.pending[index].isKept {
            let edit = cached.pending[index].edit
            cached.pending[index].ticket = send(
                edit.edit(storing:), edit, madeAt: cached.pending[index].wipes, context)
        }
    }

    /// Stores the list that the edits made that the cache has refused; the models that they brought are saved by
    /// themselves.
    ///
    /// - Parameter place: the place at which the last of them was refused: later changes by other writers stay.
    func saveRefused(asOf place: StoredPlace?) {
        endEditsOfBefore()
        guard isLoaded, let index = cached.pending.lastIndex(where: \.wasRefused) else { return }
        manager.inOrder { _ in
            cached.isThere = true
            let list = cached.pending[index].edit.entries
            let ticket = send(
                ListEdit.restore, newest: list, asOf: place, madeAt: cached.pending[index].wipes, nil)
            cached.pending[index] = PendingEdit(ticket: ticket, edit: .set(list), wipes: cached.pending[index].wipes)
        }
    }

    /// Passes an edit to the cache, and takes its outcome.
    ///
    /// - Parameters:
    ///   - make: makes the edit from the models to store.
    ///   - edit: the edit as it is shown; `nil` if the cache can always make it.
    ///   - models: the models to store, if they are not those shown.
    ///   - newest: elements of which the newest versions are stored; `nil` for those of `edit`.
    ///   - former: the number of wipes when the edit was made, if it is sent late. Its models are stored by themselves,
    ///     and may be older than those of other writers.
    /// - Returns: the edit's number.
    private func send(
        _ make: @escaping @Sendable ([any SimpleModel]) -> ListEdit, _ edit: EntryEdit<T>? = nil,
        storing models: [any SimpleModel]? = nil, newest list: [Entry<T>]? = nil, asOf place: StoredPlace? = nil,
        madeAt former: WipeCount? = nil, _ context: (any Sendable)?
    ) -> EditTicket {
        guard let followed = manager.followed, let cacheKey else { return .none }
        let ticket = manager.calls.takeTicket()
        let name = ModelIdentifier(cacheKey)
        let newest = list.map { newestElements($0) }
        let savesModels = newest == nil && former == nil
        let wipes = former ?? manager.wipesNow
        manager.onCache { [manager = WeakManager(manager), weak self] in
            let stored: [any SimpleModel] = newest?.take() ?? models ?? edit?.entries.map(\.model) ?? []
            let resumptions = manager.value?.resumptions ?? 0
            // The models of an answer are saved by themselves before: a list that is refused must not take them along.
            let fillsOnly = !savesModels || place != nil
            followed.edit(
                make(stored), forKey: cacheKey, ticket: ticket, asOf: place, fillsOnly: fillsOnly, madeAt: former
            ) {
                outcome in
                guard let manager = manager.value else { return }
                manager.markStale(stored, after: outcome)
                // Another list was set since, or a model was deleted: the cache's list is shown.
                if case .stored(isWhole: false, _) = outcome { manager.markStale(CollectionOfOne(.list(name))) }
                // The cache has no such list, or has lost the part that the edit is about.
                if case .refused(let error, let place) = outcome, error.code == .outOfRange {
                    return manager.consistencyManager.afterDelivery {
                        guard let self else { return }
                        guard manager.wipesNow == wipes else { return self.dropEdits(through: ticket) }
                        manager.inOrder { _ in
                            if savesModels { self.saveModels(stored, asOf: place, isLate: true, context) }
                            self.sendAgain(from: ticket, edit, madeAt: wipes, context)
                        }
                    }
                }
                // The models of an edit are saved by themselves from now on.
                if case .refused = outcome, place == nil, savesModels {
                    for model in stored {
                        manager.note(saving: model, outcome, since: resumptions)
                    }
                }
                if case .refused(let error, _) = outcome {
                    manager.consistencyManager.afterDelivery {
                        guard let self else { return }
                        guard error.code == .cancelled else { return self.cached.settleRefused(through: ticket) }
                        self.dropEdits(through: ticket)
                    }
                }
                manager.note(.list(name), outcome, since: resumptions)
            }
            manager.value?.wakeWhatLacks(stored, named: name)
        }
        return ticket
    }

    /// Sends the edits from `ticket` on again, which the cache could not make, behind the list from before them.
    ///
    /// - Parameter edit: the first of them, which a read of the list may have dropped before this call.
    private func sendAgain(
        from ticket: EditTicket, _ edit: EntryEdit<T>?, madeAt former: WipeCount, _ context: (any Sendable)?
    ) {
        endEditsOfBefore()
        if let edit, former == cached.wipes, ticket > cached.lastWhole,
            !cached.pending.contains(where: { $0.ticket == ticket })
        {
            keep(edit, of: rows.entries, ticket)
        }
        guard let first = cached.pending.firstIndex(where: { $0.ticket == ticket }) else { return }
        // Edits before a whole list make no difference, unless that is an answer.
        if cached.pending[first...].contains(where: { $0.edit.isWhole && !$0.isAnswer }) { return }
        let edits = cached.pending[first...]
        cached.pending[first...] = (edits.filter(\.isAnswer) + edits.filter { !$0.isAnswer })[...]
        for index in first..<cached.pending.count where !cached.pending[index].isAnswer {
            cached.pending[index].ticket = .none
            // The cache may still make one of them, before it is sent again.
            if case .insert(let entries, let place, _) = cached.pending[index].edit,
                entries.allSatisfy({ $0.model.modelIdentifier != nil })
            {
                cached.pending[index].edit = .insert(entries, place, isUpsert: true)
            }
        }
        (cached.isThere, cached.commit) = (false, nil)
        sendKept(of: rows.entries, context: context)
    }

    /// Stores models of an edit by themselves; for a model without an identifier, the nearest identified ones below it.
    ///
    /// - Parameter isLate: whether that was tried before, so that they may be shown no more.
    func saveModels(
        _ models: [any SimpleModel], asOf place: StoredPlace?, isLate: Bool = false, _ context: (any Sendable)?
    ) {
        guard manager.followed != nil else { return }
        for model in models.identified { manager.store(model, asOf: place, isLate: isLate, context) }
    }

    /// The element at `index`, as an edit names it.
    func seen(_ index: Int) -> SeenEntry<T> {
        SeenEntry(
            index: index, list: rows.entries,
            position: ListBase(entries: rows.entries, hidden: cached.hidden).position(of: index))
    }

    /// Notes an edit that is shown and that the cache has not reported as made.
    ///
    /// - Parameter ticket: its number; none if it stays in memory until the next edit that is stored.
    func keep(
        _ edit: EntryEdit<T>, of before: PersistentVector<Entry<T>>, _ ticket: EditTicket = .none,
        isAnswer: Bool = false
    ) {
        guard manager.followed != nil || loading.isUnderWay, cacheKey != nil else { return }
        endEditsOfBefore(beside: before)
        cached.add(
            PendingEdit(ticket: ticket, edit: edit, wipes: manager.wipesNow, isAnswer: isAnswer), to: before)
    }

    /// Drops the edits from before everything was emptied, and the list that they were edits of, though it is still
    /// shown.
    ///
    /// Edits from before another process emptied it stay, as edits of an empty list.
    ///
    /// - Parameter shown: the rows shown before the edit that calls this; `nil` if no edit does.
    func endEditsOfBefore(beside shown: PersistentVector<Entry<T>>? = nil) {
        cached.endEdits(before: manager.wipesNow, manager.wipesByOthers, rows: (shown ?? rows.entries).count)
    }

    /// Drops the edits up to `ticket`, which came too late.
    private func dropEdits(through ticket: EditTicket) {
        cached.endEdits(through: ticket)
        endEditsOfBefore()
        if let cacheKey { manager.markStale(CollectionOfOne(.list(ModelIdentifier(cacheKey)))) }
    }

    /// Stores the whole list in a cache that is only a delegate.
    func saveWhole(_ cacheKey: String, _ context: (any Sendable)?) {
        let (cache, newest) = (manager.cacheDelegate, newestElements(rows.entries.slice(0, rows.entries.count)))
        manager.onCache { cache.setCollection(newest.take(), forKey: cacheKey, context: context) }
    }

    /// The models of `list`, each in the version that is the newest at this place in the order of calls.
    private func newestElements(_ list: [Entry<T>]) -> Future<[any SimpleModel]> {
        let newest = Future<[any SimpleModel]>()
        manager.consistencyManager.newestElements(
            key, of: { list.map { ($0.handle, $0.model) } }, then: newest.put)
        return newest
    }

    /// Notes an edit for answers of the network that were asked for before it, as long as a request is open.
    func note(_ edit: EntryEdit<T>, at turn: Turn) {
        turns.note(edit, at: turn, since: manager.requests.open.values.map(\.place.turn).min())
    }

    /// `answer` with the edits that were made since `turn`, and whether they change its rows.
    func applyingEdits(since turn: Turn, to answer: [Entry<T>]) -> (list: [Entry<T>], isEdited: Bool) {
        var list = PersistentVector(answer)
        for (made, edit) in turns.recent where made > turn {
            guard case .insert(let entries, let place, _) = edit else {
                // An element that left the list and is back with the answer is another one with the same identifier.
                edit.named(in: list).apply(to: &list)
                continue
            }
            let there = Set(list.slice(0, list.count).compactMap(\.model.modelIdentifier))
            // An element that was deleted since stays away.
            let new = entries.filter { entry in
                guard rows.position(of: entry.handle) != nil else { return false }
                guard let identifier = entry.model.modelIdentifier else { return true }
                return !there.contains(identifier)
            }
            EntryEdit.insert(new.map { rows.newest($0) }, place, isUpsert: false).apply(to: &list)
        }
        let edited = list.slice(0, list.count)
        return (edited, edited.map(\.handle) != answer.map(\.handle))
    }

    /// Removes the element at `index`, whose model was deleted; the cache's list has it still.
    func hide(_ handle: Int, at index: Int) {
        if !cached.hide(handle, near: index), manager.followed != nil {
            cached.hidden = ListBase(entries: rows.entries, hidden: cached.hidden).hiding(index)
        }
        rows.remove(at: index)
    }
}
