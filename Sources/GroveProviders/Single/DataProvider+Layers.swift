import GroveConsistency
import GroveModel

extension DataProvider: LayeredScreen {
    /// `value` with the layers over it.
    func layered(_ value: T?, by layers: any ShownLayers) -> T? {
        guard !layers.isEmpty else { return value }
        guard let value else { return nil }
        return layers.shown(Leaf.node(value)).flatMap { Leaf.base($0) as? T }
    }

    func showLayers(context: (any Sendable)?) {
        guard let layers = dataModelManager.layers, !isPaused, let base = held.base else { return }
        let shown = layered(base, by: layers)
        switch (data, shown) {
        case (nil, nil): return
        case (let old?, let new?) where old.isEqual(to: new): return
        default: break
        }
        data = shown
        lastUpdated = dataModelManager.now()
        tellLayered(context)
    }

    func confirmed(_ identifier: ModelIdentifier, _ accept: (any Model) -> Bool) -> (any Model)? {
        held.base.flatMap { Leaf.node($0).find(identifier, accept) }
    }

    func forEachConfirmed(_ visit: (any Model) -> Void) {
        if let base = held.base { visit(Leaf.node(base)) }
    }
}
