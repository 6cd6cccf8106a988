public import GroveModel

/// One change of one model, as an element of a stream.
public struct ModelEvent<M: SimpleModel>: Sendable {
    /// The newest version; `nil` if the model was deleted.
    public let model: M?
    /// The models of its tree that changed, and those that were deleted.
    public let updates: ModelUpdates
    /// The context of the call that posted the change.
    public let context: (any Sendable)?
}

/// A change in the set of models that satisfy a condition.
public enum PredicateChange<M: SimpleModel>: Sendable {
    /// A model was posted that satisfies the condition; its last posted version, if there was one, did not.
    case began(M)
    /// A model that satisfied the condition was posted in another version, which satisfies it too.
    case changed(M)
    /// A model that satisfied the condition was deleted, or posted in a version that does not satisfy it.
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
