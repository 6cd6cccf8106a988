/// A node of an immutable tree, whose children are models too.
///
/// When any node of a tree changes, the tree is rebuilt with the node's newest version by ``map(_:)``. The order of
/// children must be the same in ``map(_:)``, ``forEach(_:)`` and the stored record.
public protocol Model: SimpleModel {
    /// A copy of this model with each direct child replaced by the result of `transform`.
    ///
    /// If `transform` returns `nil`, the child is gone: an optional child becomes `nil`, and an element of an array is
    /// dropped. If the child is required, the whole model is gone, and `map` returns `nil`. Children of children are
    /// not visited.
    func map(_ transform: (any Model) -> (any Model)?) -> Self?

    /// Calls `visit` with each direct child, in order.
    func forEach(_ visit: (any Model) -> Void)

    /// A copy of this model with the direct child at `position` replaced; positions are those of ``forEach(_:)``.
    ///
    /// The default calls ``map(_:)``. A model with many children can do better by replacing the one child in place.
    /// Then a change in one of *n* children costs a copy of the storage, and no call per child.
    ///
    /// - Returns: the copy, or `nil` if `child` does not fit that place.
    func replacingChild(at position: Int, with child: any Model) -> Self?

    /// This model, updated with the fields of `model`, another projection of the same record.
    ///
    /// The default returns `model` if it is of this type, and this model unchanged otherwise.
    func merge(_ model: any Model) -> any Model

    /// The projection that this value carries; ``SimpleModel/projectionName`` unless overridden.
    var projectionIdentifier: String { get }
}

extension Model {
    /// `model` if it is of this type, and this model unchanged otherwise.
    public func merge(_ model: any Model) -> any Model {
        model is Self ? model : self
    }

    /// The copy that `map` makes.
    public func replacingChild(at position: Int, with child: any Model) -> Self? {
        var next = 0
        return map { old in
            defer { next += 1 }
            return next == position ? child : old
        }
    }

    /// The type's projection name.
    public var projectionIdentifier: String { Self.projectionName }
}
