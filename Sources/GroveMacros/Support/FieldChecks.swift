// The macro cannot see all of a field's type. So the compiler is asked about it, once for each field, in code at the
// field's line that is never called.
extension _CacheableSupport {
    /// A type has the coding or the equality that is asked for.
    public struct Has {}

    /// A type does not have it.
    public struct Lacks {}

    // MARK: Coding

    /// Whether the type has a coding: its own.
    public static func coding<Value: NodeCodable>(_ type: Value.Type) -> Has { Has() }

    /// Whether the type has a coding: that of `Codable`.
    @_disfavoredOverload
    public static func coding<Value: Codable>(_ type: Value.Type) -> Has { Has() }

    /// Whether the type has a coding: none.
    @_disfavoredOverload
    public static func coding<Value>(_ type: Value.Type) -> Lacks { Lacks() }

    // MARK: Equality

    /// Whether values of the type can be compared.
    public static func equality<Value: Equatable>(_ type: Value.Type) -> Has { Has() }

    /// Whether values of the type can be compared: as models.
    @_disfavoredOverload
    public static func equality<M: SimpleModel>(_ type: M.Type) -> Has { Has() }

    /// Whether values of the type can be compared: as optional models.
    @_disfavoredOverload
    public static func equality<M: SimpleModel>(_ type: M?.Type) -> Has { Has() }

    /// Whether values of the type can be compared: as arrays of models.
    @_disfavoredOverload
    public static func equality<M: SimpleModel>(_ type: [M].Type) -> Has { Has() }

    /// Whether values of the type can be compared: not so.
    @_disfavoredOverload
    public static func equality<Value>(_ type: Value.Type) -> Lacks { Lacks() }

    // MARK: What is said

    /// Accepts a field.
    public static func field(_ coding: Has, _ equality: Has) {}

    /// Refuses a field whose type has no coding.
    @available(
        *, unavailable,
        message: "its type is not @Cacheable, NodeCodable or Codable; conform it, or mark the property @CacheIgnored"
    )
    public static func field(_ coding: Lacks, _ equality: Has) {}

    /// Refuses a field whose type has no equality.
    @available(
        *, unavailable,
        message: "its type is not Equatable; conform it, mark the property @EqualityIgnored, or write == yourself"
    )
    public static func field(_ coding: Has, _ equality: Lacks) {}

    /// Refuses a field whose type has neither coding nor equality.
    @available(
        *, unavailable,
        message: """
            its type is neither @Cacheable, NodeCodable or Codable nor Equatable; conform it, or mark the property \
            @CacheIgnored and @EqualityIgnored
            """
    )
    public static func field(_ coding: Lacks, _ equality: Lacks) {}

    /// Accepts a field that equality leaves out.
    public static func field(coding: Has) {}

    /// Refuses a field that equality leaves out and whose type has no coding.
    @available(
        *, unavailable,
        message: "its type is not @Cacheable, NodeCodable or Codable; conform it, or mark the property @CacheIgnored"
    )
    public static func field(coding: Lacks) {}

    /// Accepts a property that the record leaves out.
    public static func field(equality: Has) {}

    /// Refuses a property that the record leaves out and whose type has no equality.
    @available(
        *, unavailable,
        message: "its type is not Equatable; conform it, mark the property @EqualityIgnored, or write == yourself"
    )
    public static func field(equality: Lacks) {}

    // MARK: Children

    /// The kind of a field's value: a model.
    public static func child<M: Model>(_ type: M.Type) -> _OtherChild { _OtherChild() }

    /// The kind of a field's value: one that stands for its raw value.
    public static func child<Value: RawRepresentable>(_ type: Value.Type) -> _OtherChild { _OtherChild() }

    /// The kind of a field's value: a model that stands for its raw value.
    public static func child<M: Model & RawRepresentable>(_ type: M.Type) -> _OtherChild { _OtherChild() }

    /// The kind of a field's value: one that `Codable` stores, which may be meant as a model.
    @_disfavoredOverload
    public static func child<Value: Codable>(_ type: Value.Type) -> _CodableChild<Value> { _CodableChild() }

    /// The kind of a field's value: anything else.
    @_disfavoredOverload
    public static func child<Value>(_ type: Value.Type) -> _OtherChild { _OtherChild() }
}

/// A type that is `Codable` and no model: asked for `id`, it warns if the type has one.
@dynamicMemberLookup
public struct _CodableChild<Value> {
    /// Warns of a property that makes the type look like a model.
    @available(
        *, deprecated,
        message: """
            its type has an 'id' and is no Model: a change of it elsewhere does not reach this type. Make it @Cacheable; if it \
            has no identity of its own, with 'var modelIdentifier: ModelIdentifier? { nil }'
            """
    )
    public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Void { () }

    /// Accepts a type that has no such property.
    public subscript(dynamicMember name: String) -> Void { () }
}

/// A type of which nothing needs to be said.
@dynamicMemberLookup
public struct _OtherChild {
    /// Accepts any type.
    public subscript(dynamicMember name: String) -> Void { () }
}
