extension _CacheableSupport {
    /// Whether a property's values are equal.
    @inlinable
    public static func areEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }

    /// Whether a field's values are equal: a NaN to itself too, by its bits.
    ///
    /// Models are as their own equality says.
    @inlinable
    public static func areEqual<Value: Equatable & NodeCodable>(_ left: Value, _ right: Value) -> Bool {
        left == right || (!Value.holdsReferences && NodeEncoder.areSameButForNaN(left, right))
    }

    /// Whether a field's values are equal, for the `Codable` path.
    @inlinable
    public static func areEqual<Value: Equatable & Encodable>(_ left: Value, _ right: Value) -> Bool {
        left == right || NodeEncoder.areSameButForNaN(left, right)
    }

    /// Whether a field's values are equal, for a type that has both codings.
    @inlinable
    public static func areEqual<Value: Equatable & NodeCodable & Encodable>(_ left: Value, _ right: Value) -> Bool {
        left == right || (!Value.holdsReferences && NodeEncoder.areSameButForNaN(left, right))
    }

    /// Whether models that are not `Equatable` are equal.
    @inlinable
    @_disfavoredOverload
    public static func areEqual<M: SimpleModel>(_ left: M, _ right: M) -> Bool { left.isEqual(to: right) }

    /// Whether optional models that are not `Equatable` are equal.
    @inlinable
    @_disfavoredOverload
    public static func areEqual<M: SimpleModel>(_ left: M?, _ right: M?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isEqual(to: right)
    }

    /// Whether arrays of models that are not `Equatable` are equal.
    @inlinable
    @_disfavoredOverload
    public static func areEqual<M: SimpleModel>(_ left: [M], _ right: [M]) -> Bool {
        left.elementsEqual(right) { $0.isEqual(to: $1) }
    }

    /// Hashes a property's value.
    @inlinable
    public static func combine<Value: Hashable>(_ value: Value, into hasher: inout Hasher) { hasher.combine(value) }

    /// Leaves out a value that has no hash; the type is not Hashable, then, or hashes its other values.
    @inlinable
    @_disfavoredOverload
    public static func combine<Value>(_ value: Value, into hasher: inout Hasher) {}

    /// Stands in for a property whose type has no equality; ``field(_:_:)-(Has,Lacks)`` and its other overloads say so.
    @_disfavoredOverload
    public static func areEqual<Value>(_ left: Value, _ right: Value) -> Bool { false }
}
