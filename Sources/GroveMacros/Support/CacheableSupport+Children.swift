// Overloads that find out, from a property's type, what shape its models lie in. The macro spells out the containers
// that it sees; those behind a type alias are found by the overloads for common ones.
extension _CacheableSupport {
    /// The shape of a model.
    @inlinable
    public static func shape<M: Model>(of type: M.Type) -> _ModelShape<M>.Type { _ModelShape<M>.self }

    /// The shape of an optional model.
    @inlinable
    public static func shape<M: Model>(of type: M?.Type) -> _OptionalShape<_ModelShape<M>>.Type {
        _OptionalShape<_ModelShape<M>>.self
    }

    /// The shape of an array of models.
    @inlinable
    public static func shape<M: Model>(of type: [M].Type) -> _ArrayShape<_ModelShape<M>>.Type {
        _ArrayShape<_ModelShape<M>>.self
    }

    /// The shape of an optional array of models.
    @inlinable
    public static func shape<M: Model>(of type: [M]?.Type) -> _OptionalShape<_ArrayShape<_ModelShape<M>>>.Type {
        _OptionalShape<_ArrayShape<_ModelShape<M>>>.self
    }

    /// The shape of a set of models.
    @inlinable
    public static func shape<M: Model & Hashable>(of type: Set<M>.Type) -> _SetShape<_ModelShape<M>>.Type {
        _SetShape<_ModelShape<M>>.self
    }

    /// The shape of a dictionary of models.
    @inlinable
    public static func shape<Key, M: Model>(
        of type: [Key: M].Type
    ) -> _DictionaryShape<_LeafShape<Key>, _ModelShape<M>>.Type {
        _DictionaryShape<_LeafShape<Key>, _ModelShape<M>>.self
    }

    /// The shape of anything else.
    @inlinable
    @_disfavoredOverload
    public static func shape<Value>(of type: Value.Type) -> _LeafShape<Value>.Type { _LeafShape<Value>.self }

    /// The shape of an optional of a shape.
    @inlinable
    public static func optional<Wrapped: _ChildShape>(_ shape: Wrapped.Type) -> _OptionalShape<Wrapped>.Type {
        _OptionalShape<Wrapped>.self
    }

    /// The shape of an array of a shape.
    @inlinable
    public static func array<Element: _ChildShape>(_ shape: Element.Type) -> _ArrayShape<Element>.Type {
        _ArrayShape<Element>.self
    }

    /// The shape of a set of a shape.
    @inlinable
    public static func set<Element: _ChildShape>(_ shape: Element.Type) -> _SetShape<Element>.Type
    where Element.Value: Hashable {
        _SetShape<Element>.self
    }

    /// The shape of a dictionary of shapes.
    @inlinable
    public static func dictionary<Key: _ChildShape, Element: _ChildShape>(
        _ key: Key.Type, _ element: Element.Type
    ) -> _DictionaryShape<Key, Element>.Type where Key.Value: Hashable {
        _DictionaryShape<Key, Element>.self
    }

    // MARK: Visiting

    /// Calls `visit` with each model in `value`.
    @inlinable
    public static func forEach<Shape: _ChildShape>(
        _ shape: Shape.Type, _ value: Shape.Value, _ visit: (any Model) -> Void
    ) {
        Shape.forEach(value, visit)
    }

    /// `value` with each of its models replaced, or `nil` if one that it needs is gone.
    @inlinable
    public static func map<Shape: _ChildShape>(
        _ shape: Shape.Type, _ value: Shape.Value, _ transform: (any Model) -> (any Model)?
    ) -> Shape.Value? {
        Shape.map(value, transform)
    }

    /// Replaces, in place, the model at `position` if that is in `value`.
    ///
    /// - Parameter position: less the models in `value` afterwards, if it lies behind them.
    /// - Returns: `nil` if it lies behind `value`; else whether `child` can take the place.
    @inlinable
    public static func replace<Shape: _ChildShape>(
        _ shape: Shape.Type, _ value: inout Shape.Value, at position: inout Int, with child: any Model
    ) -> Bool? {
        let count = Shape.count(value)
        guard position < count else {
            position -= count
            return nil
        }
        return Shape.replace(&value, at: position, with: child)
    }

    /// Values without an order of their own, in the order in which a record holds them.
    public static func inRecordOrder<Value>(_ values: some Collection<Value>) -> [Value] { RecordOrder.sorted(values) }

    /// `new`, which is of another type, as a newer `old`: an enum stands for its payload, another projection is merged.
    public static func fit<M: Model>(_ new: any Model, _ old: M) -> M? {
        let new = unwrapped(new)
        return new as? M ?? old.merge(new) as? M
    }

    /// The model whose record `model` is: an enum's payload, or the model itself.
    public static func unwrapped(_ model: any Model) -> any Model {
        (model as? any _CacheableEnum)?.cacheablePayload ?? model
    }
}
