public import GroveModel

/// One change of one model, in a stream of them.
public struct ModelEvent<M: SimpleModel>: Sendable {
    /// The newest version; `nil` where it was deleted.
    public let model: M?
    /// Which models of its tree changed.
    public let updates: ModelUpdates
    /// What the poster of the change passed along.
    public let context: (any Sendable)?
}

/// What became of a model that a condition is about.
public enum PredicateChange<M: SimpleModel>: Sendable {
    /// A model was posted that satisfies the condition and, as last posted, did not.
    case began(M)
    /// A model that satisfies the condition was posted in another version that does too.
    case changed(M)
    /// A model that satisfied the condition was deleted or posted in a version that does not.
    case ended(ModelIdentifier)

    init?(_ event: PredicateEvent) {
        switch event {
        case .began(let model):
            guard let model = Leaf.base(model) as? M else { return nil }
            self = .began(model)
        case .changed(let model):
            guard let model = Leaf.base(model) as? M else { return nil }
            self = .changed(model)
        case .ended(let identifier): self = .ended(identifier)
        }
    }
}
