import GroveConsistency
import GroveModel

/// The pending changes over the rows of the cache.
extension WindowDataProvider: LayeredScreen {
    /// The rows with the pending changes over them; `nil` if there are none.
    ///
    /// - Parameter changed: rows that are new, or of another version: the layers may stand on them.
    func layeredRows(_ changed: [WindowRow<Element>]) -> [WindowRow<Element>]? {
        let layers = dataModelManager.layers.flatMap { $0.isEmpty ? nil : $0 }
        // Of a list that was not read yet nothing is shown, not even drafts.
        guard let cacheKey, let layers, !progress.isOpening || !cached.rows.isEmpty else {
            // A row may still show a layer that is gone.
            for row in shown.pending != nil ? cached.rows : changed { row.show(row.confirmed) }
            shown.pending = nil
            return nil
        }
        shown.pending = shown.pending ?? [:]
        for row in changed { layers.learn(Leaf.node(row.confirmed), of: row.confirmed.modelIdentifier) }
        let places =
            layers.list(cacheKey, cached.names, cached.ends) ?? cached.rows.indices.map { .confirmed($0) }
        var pending: [ModelIdentifier: WindowRow<Element>] = [:]
        defer { shown.pending = pending }
        return places.compactMap { place in
            switch place {
            case .confirmed(let index):
                let row = cached.rows[index]
                guard let model = shown(Leaf.node(row.confirmed), by: layers) else { return nil }
                row.show(model)
                return row
            case .pending(let node, let former):
                guard let model = shown(node, by: layers), let name = model.modelIdentifier else { return nil }
                let row = former.flatMap { shown.pending?.removeValue(forKey: $0) } ?? shown.row(for: model, name)
                row.show(model)
                pending[name] = row
                return row
            }
        }
    }

    private func shown(_ node: any Model, by layers: any ShownLayers) -> Element? {
        layers.shown(node).flatMap { Leaf.base($0) as? Element }
    }

    func showLayers(context: (any Sendable)?) {
        if shown.pending != nil || dataModelManager.layers?.isEmpty == false { showRows([], isMoved: false) }
    }

    func confirmed(_ identifier: ModelIdentifier, _ accept: (any Model) -> Bool) -> (any Model)? {
        for row in cached.rows { if let found = Leaf.node(row.confirmed).find(identifier, accept) { return found } }
        return nil
    }

    func forEachConfirmed(_ visit: (any Model) -> Void) {
        for row in cached.rows { visit(Leaf.node(row.confirmed)) }
    }
}
