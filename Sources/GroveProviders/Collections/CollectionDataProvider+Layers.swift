import GroveConsistency
import GroveModel

extension CollectionDataProvider: LayeredScreen {
    /// Puts the layers over the newest list, unless the provider is paused or was not told of everything yet.
    ///
    /// - Parameter isNews: whether the list may have changed, so that the layers must learn of its new versions.
    func layer(by layers: any ShownLayers, isNews: Bool) {
        guard snapshot == nil else { return }
        guard !layers.isEmpty else { return layered = nil }
        let confirmed = store.rows.entries.slice(0, store.rows.entries.count)
        if isNews { learn(confirmed, layers) }
        // What is pending in a list that is missing shows in a provider that waits for it and shows nothing else.
        let list = hasNothing ? interest ?? store : store
        layered = LayeredList.entries(of: confirmed, in: list, by: layers).map { PersistentVector($0) }
    }

    /// Tells the layers which elements are new or have new versions.
    private func learn(_ confirmed: [Entry<T>], _ layers: any ShownLayers) {
        let known = Dictionary(
            lastConfirmed.slice(0, lastConfirmed.count).map { ($0.handle, $0) }, uniquingKeysWith: { first, _ in first }
        )
        for entry in confirmed {
            if let old = known[entry.handle], old.revision == entry.revision, old.model.isEqual(to: entry.model) {
                continue
            }
            let node = Leaf.node(entry.model)
            layers.learn(node, of: node.modelIdentifier)
        }
        lastConfirmed = store.rows.entries
    }

    func showLayers(context: (any Sendable)?) {
        guard let layers = dataModelManager.layers, snapshot == nil else { return }
        let wasLayered = layered != nil
        if !wasLayered { lastShown = store.rows.entries }
        layer(by: layers, isNews: false)
        guard wasLayered || layered != nil else { return }
        defer { lastShown = entries }
        guard let change = LayeredList.change(from: lastShown, to: entries) else { return }
        let time = dataModelManager.now()
        tellViews(change, updated: nil)
        lastUpdated = time
        batchListener?.note(self, context)
        delegate?.collectionDataProviderHasUpdatedData(self, collectionChanges: change, context: context)
        broadcast.send(CollectionDataChange(changes: change, origin: .other, context: context))
        batchListener?.finishUpdate(context: context)
    }

    func confirmed(_ identifier: ModelIdentifier, _ accept: (any Model) -> Bool) -> (any Model)? {
        if let element = store.rows.element(identifier) {
            let node = Leaf.node(element)
            if accept(node) { return node }
        }
        for entry in store.rows.entries.slice(0, store.rows.entries.count) {
            if let found = Leaf.node(entry.model).find(identifier, accept) { return found }
        }
        return nil
    }

    func forEachConfirmed(_ visit: (any Model) -> Void) {
        for entry in store.rows.entries.slice(0, store.rows.entries.count) { visit(Leaf.node(entry.model)) }
    }
}

/// A list with layers over it.
@MainActor
enum LayeredList {
    /// The elements that are shown; `nil` if they are those of `confirmed`.
    static func entries<T: SimpleModel>(
        of confirmed: [Entry<T>], in store: CollectionStore<T>, by layers: any ShownLayers
    ) -> [Entry<T>]? {
        let places = store.cacheKey.flatMap { layers.list($0, confirmed.map(\.model.modelIdentifier), .both) }
        var isChanged = places != nil
        var shown: [Entry<T>] = []
        var drafts: [Int: Entry<T>] = [:]
        shown.reserveCapacity(confirmed.count)
        for place in places ?? confirmed.indices.map({ .confirmed($0) }) {
            switch place {
            case .confirmed(let index):
                var entry = confirmed[index]
                guard let model = layers.shown(Leaf.node(entry.model)).flatMap({ Leaf.base($0) as? T }) else {
                    isChanged = true
                    continue
                }
                if !model.isEqual(to: entry.model) {
                    isChanged = true
                    entry = store.drafts.entry(entry.handle, model, notedIn: &drafts)
                }
                shown.append(entry)
            case .pending(let node, let former):
                guard let model = layers.shown(node).flatMap({ Leaf.base($0) as? T }),
                    let identifier = model.modelIdentifier
                else { continue }
                let handle =
                    store.drafts.handles[identifier] ?? former.flatMap { store.drafts.handles[$0] }
                    ?? store.rows.takeHandle()
                store.drafts.handles[identifier] = handle
                shown.append(store.drafts.entry(handle, model, notedIn: &drafts))
            }
        }
        store.drafts.shown = drafts
        return isChanged ? shown : nil
    }

    /// The changes from one list to another: deletions from the end, then insertions, then updates; `nil` if there are none.
    ///
    /// O(*n*). An element that moved is deleted and inserted.
    static func change<T: SimpleModel>(
        from old: PersistentVector<Entry<T>>, to new: PersistentVector<Entry<T>>
    ) -> CollectionChange? {
        let (before, after) = (old.slice(0, old.count), new.slice(0, new.count))
        var places: [Int: Int] = [:]
        for (index, entry) in after.enumerated() { places[entry.handle] = index }
        // The elements that stay: those whose places rise, chosen greedily.
        var kept: [Int: T] = [:]
        var last = -1
        var changes: [CollectionChangeInformation] = []
        var deleted: [Int] = []
        for (index, entry) in before.enumerated() {
            if let place = places[entry.handle], place > last {
                last = place
                kept[entry.handle] = entry.model
            } else {
                deleted.append(index)
            }
        }
        changes += deleted.reversed().map { .delete(index: $0) }
        for (index, entry) in after.enumerated() where kept[entry.handle] == nil {
            changes.append(.insert(index: index))
        }
        for (index, entry) in after.enumerated() {
            if let model = kept[entry.handle], !model.isEqual(to: entry.model) { changes.append(.update(index: index)) }
        }
        return changes.isEmpty ? nil : .changes(changes)
    }
}
