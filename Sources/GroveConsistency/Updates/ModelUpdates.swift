public import GroveModel

/// The models of a tree that changed, and those that were deleted.
///
/// No identifier is in both sets. After a pause, the trees before and after it are compared. A model that changed and
/// changed back is not among the changed ones. A model that was deleted and came back is not among the deleted ones.
public struct ModelUpdates: Hashable, Sendable {
    /// The models whose value changed, and every model that holds one of them, even if it moved to another place in the
    /// tree.
    public var changedModelIds: Set<ModelIdentifier>

    /// The models that were deleted, and every model that requires one of them.
    public var deletedModelIds: Set<ModelIdentifier>

    /// Makes a set of updates.
    public init(changedModelIds: Set<ModelIdentifier> = [], deletedModelIds: Set<ModelIdentifier> = []) {
        self.changedModelIds = changedModelIds
        self.deletedModelIds = deletedModelIds
    }

    /// Whether nothing changed.
    var isEmpty: Bool { changedModelIds.isEmpty && deletedModelIds.isEmpty }

    /// Adds `other`, which came later: if a model is in both, `other` wins.
    mutating func merge(_ other: ModelUpdates) {
        guard !isEmpty else { return self = other }
        changedModelIds.subtract(other.deletedModelIds)
        deletedModelIds.subtract(other.changedModelIds)
        changedModelIds.formUnion(other.changedModelIds)
        deletedModelIds.formUnion(other.deletedModelIds)
    }
}
