public import GroveModel

/// Which models of a tree changed and which were deleted.
///
/// No identifier is in both sets. After a pause, the trees before and after it are compared: what changed back did not
/// change, and what came back was not deleted.
public struct ModelUpdates: Hashable, Sendable {
    /// The models whose value changed, among them every model that holds a changed one, also where they went to another
    /// place in the tree.
    public var changedModelIds: Set<ModelIdentifier>

    /// The models that were deleted, among them those that could not be without a deleted one.
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

    /// Adds `other`, which came later: of a model in both, its word counts.
    public mutating func merge(_ other: ModelUpdates) {
        guard !isEmpty else { return self = other }
        changedModelIds.subtract(other.deletedModelIds)
        deletedModelIds.subtract(other.changedModelIds)
        changedModelIds.formUnion(other.changedModelIds)
        deletedModelIds.formUnion(other.deletedModelIds)
    }
}
