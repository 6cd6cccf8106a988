package import GroveModel

/// A model without children as the engine sees it: a simple model by itself.
package struct Leaf: Model {
    package let base: any SimpleModel

    package var modelIdentifier: ModelIdentifier? { base.modelIdentifier }

    package var projectionIdentifier: String { type(of: base).projectionName }

    package func map(_ transform: (any Model) -> (any Model)?) -> Leaf? { self }

    package func forEach(_ visit: (any Model) -> Void) {}

    package func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Leaf else { return base.isEqual(to: model) }
        return base.isEqual(to: other.base)
    }

    package func merge(_ model: any Model) -> any Model {
        guard let other = model as? Leaf, type(of: other.base) == type(of: base) else { return self }
        return other
    }

    /// `model` as a node: itself if it is one.
    package static func node(_ model: any SimpleModel) -> any Model {
        (model as? any Model) ?? Leaf(base: model)
    }

    /// The model that `node` was made of.
    package static func base(_ node: any Model) -> any SimpleModel {
        (node as? Leaf)?.base ?? node
    }
}
