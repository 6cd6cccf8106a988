import GroveConsistency
import GroveModel

extension CollectionDataProvider: LayeredScreen {
    /// Puts the layers over the newest list, unless the provider is paused or was not told of everything yet.
    ///
    /// - Parameter isNews: whether the list may have changed, so that the layers must learn of its new versions.
    func layer(by layers: any ShownLayers, isNews: Bool) {
        guard following.snapshot == nil else { return }
        guard !layers.isEmpty else { return layered.entries = nil }
        let confirmed = store.rows.entries.slice(0, store.rows.entries.count)
        if isNews { learn(confirmed, layers) }
        // What is pending in a list that is missing shows in a provider that waits for it and shows nothing else.
        let list = hasNothing ? request.interest ?? store : store
        layered.entries = LayeredList.entries(of: confirmed, in: list, by: layers).map { PersistentVector($0) }
    }

    /// Tells the layers which elements are new or have new versions.
    private func learn(_ confirmed: [Entry<T>], _ layers: any ShownLayers) {
        let known = Dictionary(
            layered.lastConfirmed.slice(0, layered.lastConfirmed.count).map { ($0.handle, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for entry in confirmed {
            if let old = known[entry.handle], old.revision == entry.revision, old.model.isEqual(to: entry.model) {
                continue
            }
            let node = Leaf.node(entry.model)
            layers.learn(node, of: node.modelIdentifier)
        }
        layered.lastConfirmed = store.rows.entries
    }

    func showLayers(context: (any Sendable)?) {
        guard let layers = dataModelManager.layers, following.snapshot == nil else { return }
        let wasLayered = layered.entries != nil
        if !wasLayered { layered.lastShown = store.rows.entries }
        layer(by: layers, isNews: false)
        guard wasLayered || layered.entries != nil else { return }
        defer { layered.lastShown = entries }
        guard let change = LayeredList.change(from: layered.lastShown, to: entries) else { return }
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
