public import GroveModel

/// Which models of a tree changed and which were deleted.
public struct ModelUpdates: Hashable, Sendable {
    /// The models whose value changed, among them every model that holds a changed one.
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

    /// Adds `other`, which came later.
    public mutating func merge(_ other: ModelUpdates) {
        if isEmpty {
            self = other
        } else {
            changedModelIds.formUnion(other.changedModelIds)
            deletedModelIds.formUnion(other.deletedModelIds)
        }
    }
}
