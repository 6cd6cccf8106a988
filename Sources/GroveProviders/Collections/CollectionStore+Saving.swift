import GroveConsistency
import GroveModel

/// The way of edits to the cache: a cache that is followed gets each edit, any other the whole list.
extension CollectionStore {
    /// Stores an edit that is shown, behind the kept edits before it.
    ///
    /// Called within ``DataModelManager/inOrder(_:)``. While the list is being read the edit is kept: it is made once the list is there.
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
        if isLoading, !isLoaded {
            // The models that it brings must not wait for the list.
            saveModels(models ?? edit.entries.map(\.model), asOf: place, context)
            return keep(edit, of: before)
        }
        guard manager.followed != nil else { return saveWhole(cacheKey, context) }
        endEditsOfBefore(beside: before)
        // Edits kept before a whole list make no difference; an answer goes under those kept since its request.
        if case .set(_, isPage: false) = edit {
            if place == nil { pending.removeAll { $0.ticket == .none } }
            isInCache = isInCache || !pending.contains(where: \.isKept)
        }
        sendKept(of: before, context: context)
        let ticket = send(edit.edit(storing:), edit, storing: models, asOf: place, context)
        if edit.isWhole, place == nil { lastWhole = ticket }
        keep(edit, of: before, ticket, isAnswer: place != nil && edit.isWhole)
    }

    /// Lets the cache make the edits that were kept.
    ///
    /// If the cache does not have the whole list, it gets the list from before them.
    ///
    /// - Parameter before: the list that is shown.
    func sendKept(of before: PersistentVector<Entry<T>>, context: (any Sendable)?) {
        guard manager.followed != nil else { return }
        if !isInCache {
            isInCache = true
            let first = pending.firstIndex { $0.isKept } ?? pending.count
            if committed == nil { committed = before }
            var list = committed ?? before
            for edit in pending[..<first] { edit.edit.apply(to: &list) }
            let was = list.slice(0, list.count)
            let ticket = send(ListEdit.fill, newest: was, madeAt: wipes, context)
            pending.insert(PendingEdit(ticket: ticket, edit: .set(was), wipes: wipes), at: first)
        }
        for index in pending.indices where pending[index].isKept {
            let edit = pending[index].edit
            pending[index].ticket = send(
                edit.edit(storing:), edit, madeAt: pending[index].wipes, context)
        }
    }

    /// Stores the list that the edits made that the cache has refused; the models that they brought are saved by themselves.
    ///
    /// - Parameter place: the place at which the last of them was refused: later changes by other writers stay.
    func saveRefused(asOf place: StoredPlace?) {
        endEditsOfBefore()
        guard isLoaded, let index = pending.lastIndex(where: \.wasRefused) else { return }
        manager.inOrder { _ in
            isInCache = true
            let list = pending[index].edit.entries
            let ticket = send(
                ListEdit.restore, newest: list, asOf: place, madeAt: pending[index].wipes, nil)
            pending[index] = PendingEdit(ticket: ticket, edit: .set(list), wipes: pending[index].wipes)
        }
    }

    /// Passes an edit to the cache, and takes its outcome.
    ///
    /// - Parameters:
    ///   - make: makes the edit from the models to store.
    ///   - edit: the edit as it is shown; `nil` if the cache can always make it.
    ///   - models: the models to store, if they are not those shown.
    ///   - newest: elements of which the newest versions are stored; `nil` for those of `edit`.
    ///   - former: the number of wipes when the edit was made, if it is sent late. Its models are stored by themselves, and may be
    ///     older than those of other writers.
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
                        guard error.code == .cancelled else { return self.settleRefused(through: ticket) }
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
        if let edit, former == wipes, ticket > lastWhole, !pending.contains(where: { $0.ticket == ticket }) {
            keep(edit, of: entries, ticket)
        }
        guard let first = pending.firstIndex(where: { $0.ticket == ticket }) else { return }
        // Edits before a whole list make no difference, unless that is an answer.
        if pending[first...].contains(where: { $0.edit.isWhole && !$0.isAnswer }) { return }
        let edits = pending[first...]
        pending[first...] = (edits.filter(\.isAnswer) + edits.filter { !$0.isAnswer })[...]
        for index in first..<pending.count where !pending[index].isAnswer {
            pending[index].ticket = .none
            // The cache may still make one of them, before it is sent again.
            if case .insert(let entries, let place, _) = pending[index].edit,
                entries.allSatisfy({ $0.model.modelIdentifier != nil })
            {
                pending[index].edit = .insert(entries, place, isUpsert: true)
            }
        }
        (isInCache, commit) = (false, nil)
        sendKept(of: entries, context: context)
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
        SeenEntry(index: index, list: entries, position: ListBase(entries: entries, hidden: hidden).position(of: index))
    }

    /// Notes an edit that is shown and that the cache has not reported as made.
    ///
    /// - Parameter ticket: its number; none if it stays in memory until the next edit that is stored.
    func keep(
        _ edit: EntryEdit<T>, of before: PersistentVector<Entry<T>>, _ ticket: EditTicket = .none,
        isAnswer: Bool = false
    ) {
        guard manager.followed != nil || isLoading, cacheKey != nil else { return }
        endEditsOfBefore(beside: before)
        if committed == nil { committed = before }
        pending.append(PendingEdit(ticket: ticket, edit: edit, wipes: manager.wipesNow, isAnswer: isAnswer))
    }

    /// Drops and returns the edits up to `ticket`, which the cache has made.
    @discardableResult
    func endEdits(through ticket: EditTicket) -> [PendingEdit<T>] {
        func isMade(_ edit: PendingEdit<T>) -> Bool { edit.ticket != .none && edit.ticket <= ticket }
        // Edits before a whole list make no difference.
        let whole = pending.lastIndex { $0.edit.isWhole && isMade($0) } ?? -1
        defer { pending = pending.enumerated().filter { $0 > whole && !isMade($1) }.map(\.element) }
        return pending.enumerated().filter { $0 <= whole || isMade($1) }.map(\.element)
    }

    /// Drops the edits from before everything was emptied, and the list that they were edits of, though it is still shown.
    ///
    /// Edits from before another process emptied it stay, as edits of an empty list.
    ///
    /// - Parameter rows: the rows shown before the edit that calls this; `nil` if no edit does.
    func endEditsOfBefore(beside rows: PersistentVector<Entry<T>>? = nil) {
        let (now, others) = (manager.wipesNow, manager.wipesByOthers)
        pending.removeAll { $0.wipes != now }
        guard wipes != now || wipesByOthers != others else { return }
        (wipes, wipesByOthers, showsRowsOfBefore) = (now, others, (rows ?? entries).count > 0)
        (committed, hidden, commit) = (PersistentVector(), [], nil)
    }

    /// Drops the edits up to `ticket`, which came too late.
    private func dropEdits(through ticket: EditTicket) {
        endEdits(through: ticket)
        endEditsOfBefore()
        if let cacheKey { manager.markStale(CollectionOfOne(.list(ModelIdentifier(cacheKey)))) }
    }

    /// Merges the edits up to `ticket`, which the cache has refused, into one whole list in memory.
    ///
    /// It is stored when the cache takes calls again; until then there may be many of them.
    private func settleRefused(through ticket: EditTicket) {
        guard let last = pending.lastIndex(where: { $0.ticket != .none && $0.ticket <= ticket }), var list = committed
        else {
            return
        }
        for edit in pending[...last] { edit.edit.apply(to: &list) }
        let whole = PendingEdit(
            ticket: .none, edit: EntryEdit.set(list.slice(0, list.count)), wipes: pending[last].wipes, wasRefused: true)
        pending.replaceSubrange(...last, with: CollectionOfOne(whole))
    }

    /// Stores the whole list in a cache that is only a delegate.
    func saveWhole(_ cacheKey: String, _ context: (any Sendable)?) {
        let (cache, newest) = (manager.cacheDelegate, newestElements(entries.slice(0, entries.count)))
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
        guard let oldest = manager.requests.open.values.map(\.place.turn).min() else { return recent = [] }
        recent.removeAll { $0.turn <= oldest }
        recent.append((turn, edit))
    }

    /// `answer` with the edits that were made since `turn`, and whether they change its rows.
    func applyingEdits(since turn: Turn, to answer: [Entry<T>]) -> (list: [Entry<T>], isEdited: Bool) {
        var list = PersistentVector(answer)
        for (made, edit) in recent where made > turn {
            guard case .insert(let entries, let place, _) = edit else {
                // An element that left the list and is back with the answer is another one with the same identifier.
                edit.named(in: list).apply(to: &list)
                continue
            }
            let there = Set(list.slice(0, list.count).compactMap(\.model.modelIdentifier))
            // An element that was deleted since stays away.
            let new = entries.filter { entry in
                guard position(of: entry.handle) != nil else { return false }
                guard let identifier = entry.model.modelIdentifier else { return true }
                return !there.contains(identifier)
            }
            EntryEdit.insert(new.map { newest($0) }, place, isUpsert: false).apply(to: &list)
        }
        let edited = list.slice(0, list.count)
        return (edited, edited.map(\.handle) != answer.map(\.handle))
    }

    /// The entry as it is shown, if that is the same model.
    func newest(_ entry: Entry<T>) -> Entry<T> {
        guard let index = position(of: entry.handle),
            entries[index].model.modelIdentifier == entry.model.modelIdentifier
        else { return entry }
        return entries[index]
    }

    /// Gives an element of the cache's list the model that is shown.
    func update(_ handle: Int, near index: Int, to entry: Entry<T>) {
        guard let place = committed?.index(of: handle, near: index),
            committed?[place].model.modelIdentifier == entry.model.modelIdentifier
        else { return }
        committed?[place] = entry
    }

    /// Removes the element at `index`, whose model was deleted; the cache's list has it still.
    func hide(_ handle: Int, at index: Int) {
        if let committed {
            gone.insert(handle)
            if let place = committed.index(of: handle, near: index) {
                hidden = ListBase(entries: committed, hidden: hidden).hiding(place)
                self.committed?.replace(place, place + 1, with: [])
            }
        } else if manager.followed != nil {
            hidden = ListBase(entries: entries, hidden: hidden).hiding(index)
        }
        remove(at: index)
    }
}
