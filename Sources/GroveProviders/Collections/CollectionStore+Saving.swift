import GroveConsistency
import GroveModel

/// How edits reach the cache: one that follows gets each as that edit, another the whole list.
extension CollectionStore {
    /// Stores an edit that is shown, behind those before it that were kept.
    ///
    /// Called within ``DataModelManager/inOrder(_:)``. While the list is being read the edit is kept: it is made once that is there.
    ///
    /// - Parameters:
    ///   - edit: the edit.
    ///   - before: the list before the edit.
    ///   - place: the place that it is as of, if it is an answer of the network.
    ///   - models: what is stored of the elements that the edit brings, if that is not what is shown.
    func save(
        _ edit: EntryEdit<T>, of before: PersistentVector<Entry<T>>, asOf place: StoredPlace? = nil,
        storing models: [any SimpleModel]? = nil, context: (any Sendable)?
    ) {
        guard let cacheKey else { return }
        if isLoading, !isLoaded {
            // Nor may what it brings wait for that.
            saveModels(models ?? edit.entries.map(\.model), asOf: place, context)
            return keep(edit, of: before)
        }
        guard manager.followed != nil else { return saveWhole(cacheKey, context) }
        endEditsOfBefore(beside: before)
        // What was kept before a whole list makes no difference; an answer is put under what was kept since its request.
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
    /// If it does not have the list, or not all of it, it gets what that was before them.
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

    /// Stores the list as the edits left it that the cache has refused; what they had brought is saved again by itself.
    ///
    /// - Parameter place: as of when the last of them was refused: what others have changed since stays.
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

    /// Passes an edit to the cache, and follows what becomes of it.
    ///
    /// - Parameters:
    ///   - make: makes the edit of the models that it brings.
    ///   - edit: the edit as it is shown; `nil` if the cache can always make it.
    ///   - models: what is stored of them, if that is not what is shown.
    ///   - newest: elements of which the newest versions are stored; `nil` for those of `edit`.
    ///   - former: how often the cache had been emptied when the edit was made, if that was before: its models are stored by themselves, and
    ///     may be older than what others have stored.
    /// - Returns: its number.
    private func send(
        _ make: @escaping @Sendable ([any SimpleModel]) -> ListEdit, _ edit: EntryEdit<T>? = nil,
        storing models: [any SimpleModel]? = nil, newest list: [Entry<T>]? = nil, asOf place: StoredPlace? = nil,
        madeAt former: WipeCount? = nil, _ context: (any Sendable)?
    ) -> EditTicket {
        guard let followed = manager.followed, let cacheKey else { return .none }
        let ticket = manager.takeTicket()
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
                // Another list was set since, or a model was deleted: what the cache has is shown.
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
                // Those of an edit are saved by themselves from now on.
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

    /// Makes the edits from that of a number on again, which the cache could not make, behind what the list was before them.
    ///
    /// - Parameter edit: the first of them: a read of the list may have let go of it before this is told.
    private func sendAgain(
        from ticket: EditTicket, _ edit: EntryEdit<T>?, madeAt former: WipeCount, _ context: (any Sendable)?
    ) {
        endEditsOfBefore()
        if let edit, former == wipes, ticket > lastWhole, !pending.contains(where: { $0.ticket == ticket }) {
            keep(edit, of: entries, ticket)
        }
        guard let first = pending.firstIndex(where: { $0.ticket == ticket }) else { return }
        // What is before a whole list makes no difference, unless that is an answer.
        if pending[first...].contains(where: { $0.edit.isWhole && !$0.isAnswer }) { return }
        let edits = pending[first...]
        pending[first...] = (edits.filter(\.isAnswer) + edits.filter { !$0.isAnswer })[...]
        for index in first..<pending.count where !pending[index].isAnswer {
            pending[index].ticket = .none
            // One of them may be made after all, before it is made again.
            if case .insert(let entries, let place, _) = pending[index].edit,
                entries.allSatisfy({ $0.model.modelIdentifier != nil })
            {
                pending[index].edit = .insert(entries, place, isUpsert: true)
            }
        }
        (isInCache, commit) = (false, nil)
        sendKept(of: entries, context: context)
    }

    /// Stores models of an edit by themselves; of one without an identifier the nearest ones below it that have one.
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

    /// Notes an edit that is shown, and that the cache was not told to have made.
    ///
    /// - Parameter ticket: its number; 0 if it stays in memory until the next one that is stored.
    func keep(
        _ edit: EntryEdit<T>, of before: PersistentVector<Entry<T>>, _ ticket: EditTicket = .none,
        isAnswer: Bool = false
    ) {
        guard manager.followed != nil || isLoading, cacheKey != nil else { return }
        endEditsOfBefore(beside: before)
        if committed == nil { committed = before }
        pending.append(PendingEdit(ticket: ticket, edit: edit, wipes: manager.wipesNow, isAnswer: isAnswer))
    }

    /// Lets go of the edits up to that of a number, which the cache has made.
    @discardableResult
    func endEdits(through ticket: EditTicket) -> [PendingEdit<T>] {
        func isMade(_ edit: PendingEdit<T>) -> Bool { edit.ticket != .none && edit.ticket <= ticket }
        // What is before a whole list makes no difference.
        let whole = pending.lastIndex { $0.edit.isWhole && isMade($0) } ?? -1
        defer { pending = pending.enumerated().filter { $0 > whole && !isMade($1) }.map(\.element) }
        return pending.enumerated().filter { $0 <= whole || isMade($1) }.map(\.element)
    }

    /// Lets go of what was edited before everything was emptied, and of what that was an edit of, though it is shown yet.
    ///
    /// What was edited before another process emptied it is of after that, in a list of no other rows.
    ///
    /// - Parameter rows: what was shown before the edit that calls this; `nil` if none does.
    func endEditsOfBefore(beside rows: PersistentVector<Entry<T>>? = nil) {
        let (now, others) = (manager.wipesNow, manager.wipesByOthers)
        pending.removeAll { $0.wipes != now }
        guard wipes != now || wipesByOthers != others else { return }
        (wipes, wipesByOthers, showsRowsOfBefore) = (now, others, (rows ?? entries).count > 0)
        (committed, hidden, commit) = (PersistentVector(), [], nil)
    }

    /// Lets go of the edits up to that of a number, which came too late.
    private func dropEdits(through ticket: EditTicket) {
        endEdits(through: ticket)
        endEditsOfBefore()
        if let cacheKey { manager.markStale(CollectionOfOne(.list(ModelIdentifier(cacheKey)))) }
    }

    /// Makes the edits up to that of a number, which the cache has refused, one whole list in memory: it is stored when the cache takes calls
    /// again, and until then there may be many of them.
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
        let (cache, newest) = (manager.cache, newestElements(entries.slice(0, entries.count)))
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
        guard let oldest = manager.openRequests.values.map(\.place.turn).min() else { return recent = [] }
        recent.removeAll { $0.turn <= oldest }
        recent.append((turn, edit))
    }

    /// `answer` with the edits that were made since `turn`, and whether they make other rows of it.
    func applyingEdits(since turn: Turn, to answer: [Entry<T>]) -> (list: [Entry<T>], isEdited: Bool) {
        var list = PersistentVector(answer)
        for (made, edit) in recent where made > turn {
            guard case .insert(let entries, let place, _) = edit else {
                // What left the list, and is back with the answer, is another element of the same identifier.
                edit.named(in: list).apply(to: &list)
                continue
            }
            let there = Set(list.slice(0, list.count).compactMap(\.model.modelIdentifier))
            // What was deleted since stays away.
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

    /// Gives an element of the list as the cache has it the model that is shown.
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
