import GroveConsistency
import GroveModel

/// How edits reach the cache: one that follows gets each as that edit, another the whole list.
extension CollectionStore {
    /// Stores an edit that is shown, or the whole list.
    ///
    /// Called within ``DataModelManager/inOrder(_:)``.
    ///
    /// Of the whole list, other than one that was set, the cache stores at most the models that it does not have: what is shown may be older
    /// than what others have stored. What an edit brings is stored by itself then.
    ///
    /// - Parameters:
    ///   - edit: the edit; `nil` for the whole list.
    ///   - before: the list before the edit.
    ///   - place: the place that it is as of, if it is an answer of the network.
    ///   - models: what is stored of the elements that the edit brings, if that is not what is shown.
    ///   - wasRefused: whether the cache refused the whole list before; what edits had brought is saved again by itself.
    func save(
        _ edit: EntryEdit<T>? = nil, of before: PersistentVector<Entry<T>>? = nil, asOf place: StoredPlace? = nil,
        storing models: [any SimpleModel]? = nil, wasRefused: Bool = false, context: (any Sendable)?
    ) {
        guard let cacheKey else { return }
        guard let followed = manager.followed else { return saveWhole(cacheKey, context) }
        var edit = edit
        var isWhole = false
        if case .set? = edit { isWhole = true }
        if !isWhole, !isInCache || hasUnsaved {
            saveModels(models ?? edit?.entries.map(\.model) ?? [], asOf: place, context)
            edit = nil
        }
        let isRestored = edit == nil
        (hasUnsaved, isInCache) = (false, true)
        let ticket = manager.takeTicket()
        let made = edit ?? .set(entries.slice(0, entries.count))
        expect(made, ticket, of: before ?? entries)
        let name = ModelIdentifier(cacheKey)
        let newest = edit == nil ? newestElements() : nil
        manager.onCache { [manager = WeakManager(manager), weak self] in
            let shown: [any SimpleModel] = made.entries.map { $0.model }
            let stored = newest?.take() ?? models ?? shown
            let resumptions = manager.value?.resumptions ?? 0
            let edit = isRestored ? .restore(stored, fills: !wasRefused) : made.edit(storing: stored)
            followed.edit(edit, forKey: cacheKey, ticket: ticket, asOf: place) { outcome in
                guard let manager = manager.value else { return }
                manager.markStale(stored, after: outcome)
                // The cache has no such list: it gets all of it, and what others changed since stays.
                if case .refused(let error, let place) = outcome, error.code == .outOfRange {
                    return manager.consistencyManager.afterDelivery {
                        manager.inOrder { _ in self?.saveModels(stored, asOf: place, isLate: true, context) }
                        self?.saveWhole(asOf: place, wasRefused: false)
                    }
                }
                // The models of an answer are saved by themselves before; those of an edit are from now on.
                if case .refused = outcome, place == nil, !isRestored {
                    for model in stored {
                        manager.note(saving: model, outcome, since: resumptions)
                    }
                }
                if case .refused(let error, _) = outcome {
                    manager.consistencyManager.afterDelivery {
                        guard let self else { return }
                        guard error.code == .cancelled else { return self.settleRefused(through: ticket) }
                        // It was made before everything was emptied: it is no edit of what came since.
                        self.endEdits(through: ticket)
                        manager.markStale(CollectionOfOne(.list(name)))
                    }
                }
                manager.note(.list(name), outcome, since: resumptions)
            }
            manager.value?.wakeWhatLacks(stored, named: name)
        }
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

    /// Notes an edit that is shown, and that the cache will be told to make.
    ///
    /// - Parameter ticket: its number; 0 if it stays in memory.
    func expect(_ edit: EntryEdit<T>, _ ticket: UInt64, of before: PersistentVector<Entry<T>>) {
        guard manager.followed != nil, cacheKey != nil else { return }
        if committed == nil { committed = before }
        pending.append(PendingEdit(ticket: ticket, edit: edit))
    }

    /// Lets go of the edits up to that of a number, which the cache has made, and of those in memory only that came before it: the whole
    /// list that was stored after those has them.
    @discardableResult
    func endEdits(through ticket: UInt64) -> [PendingEdit<T>] {
        guard let last = pending.lastIndex(where: { $0.ticket > 0 && $0.ticket <= ticket }) else { return [] }
        defer { pending.removeFirst(last + 1) }
        return Array(pending[...last])
    }

    /// Makes the edits up to that of a number, which the cache has refused, one whole list in memory: it is stored when the cache takes calls
    /// again, and until then there may be many of them.
    private func settleRefused(through ticket: UInt64) {
        guard let last = pending.lastIndex(where: { $0.ticket > 0 && $0.ticket <= ticket }), var list = committed else {
            return
        }
        for edit in pending[...last] { edit.edit.apply(to: &list) }
        let whole = PendingEdit(ticket: 0, edit: EntryEdit.set(list.slice(0, list.count)))
        pending.replaceSubrange(...last, with: CollectionOfOne(whole))
    }

    /// Stores the whole list in a cache that is only a delegate.
    private func saveWhole(_ cacheKey: String, _ context: (any Sendable)?) {
        let (cache, newest) = (manager.cache, newestElements())
        hasUnsaved = false
        manager.onCache { cache.setCollection(newest.take(), forKey: cacheKey, context: context) }
    }

    /// The elements, each in the version that is the newest at this place in the order of calls.
    private func newestElements() -> Handover<[any SimpleModel]> {
        let newest = Handover<[any SimpleModel]>()
        let entries = entries
        manager.consistencyManager.newestElements(
            key, of: { entries.slice(0, entries.count).map { ($0.handle, $0.model) } }, then: newest.put)
        return newest
    }

    /// Notes an edit for answers of the network that were asked for before it, as long as a request is open.
    func note(_ edit: EntryEdit<T>, at turn: Turn) {
        guard let oldest = manager.openFlights.values.map(\.place.turn).min() else { return recent = [] }
        recent.removeAll { $0.turn <= oldest }
        recent.append((turn, edit))
    }

    /// `answer` with the edits that were made since `turn`.
    func applyingEdits(since turn: Turn, to answer: [Entry<T>]) -> [Entry<T>] {
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
        return list.slice(0, list.count)
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
