public import GroveModel

/// Which models of a tree changed and which were deleted.
///
/// No identifier is in both sets. After a pause, the trees before and after it are compared. A model that changed back
/// is not among the changed ones, and a model that came back is not among the deleted ones.
public struct ModelUpdates: Hashable, Sendable {
    /// The models whose value changed, including every model that holds a changed one, even if it moved to another
    /// place in the tree.
    public var changedModelIds: Set<ModelIdentifier>

    /// The models that were deleted, including those that cannot be without a deleted one.
    public var deletedModelIds: Set<ModelIdentifier>

    /// Makes a set of updates.
    public init(changedModelIds: Set<ModelIdentifier>, deletedModelIds: Set<ModelIdentifier>) {
        self.changedModelIds = changedModelIds
        self.deletedModelIds = deletedModelIds
    }

    /// No updates.
    public init() { self.init(changedModelIds: [], deletedModelIds: []) }

    /// Whether nothing changed.
    public var isEmpty: Bool { changedModelIds.isEmpty && deletedModelIds.isEmpty }

    /// Adds `other`, which came later: for a model in both, `other` counts.
    public mutating func merge(_ other: ModelUpdates) {
        guard !isEmpty else { return self = other }
        changedModelIds.subtract(other.deletedModelIds)
        deletedModelIds.subtract(other.changedModelIds)
        changedModelIds.formUnion(other.changedModelIds)
        deletedModelIds.formUnion(other.deletedModelIds)
    }
}
