@_exported public import GroveCoding
@_exported public import GroveModel

#if Macros
    /// Makes a struct, a final class or an enum a model that a cache can store.
    ///
    /// It writes whatever of ``Model``, ``CacheableModel`` and `Equatable` the type does not declare itself: identifier,
    /// `map`, `forEach`, `merge`, `==`, and the coding of its fields. Which properties are children the compiler decides
    /// by their types: whatever conforms to `Model`, alone or in optionals, arrays, sets and dictionaries.
    ///
    /// ```swift
    /// @Cacheable
    /// struct Message {
    ///     let id: String
    ///     let text: String
    ///     let sender: Person
    ///     let replies: [Message]
    /// }
    /// ```
    ///
    /// A type whose identity is a declared property that is not optional is a ``KeyedModel`` too, so that a call can name a
    /// model by it: `cache.model(Message.self, id: "34")`.
    ///
    /// A raw-value enum becomes a leaf, `NodeCodable`. What cannot be served is refused with a diagnostic.
    ///
    /// - Parameters:
    ///   - id: the name of the property that identifies a model; `id` unless told otherwise. Without such a property the
    ///     model stands in the record of whoever holds it, as it does where the property is `nil`. A `modelIdentifier`
    ///     that the type declares itself wins.
    ///   - record: the name under which records are stored, and with which identifiers begin; the type's name unless
    ///     told otherwise, behind those of the types around it, `Shop.Item`. Types that share an identifier share it.
    ///   - projection: the name of this type among those that share its record name; the same unless told otherwise.
    @attached(member, names: named(init), named(_GroveTypes))
    @attached(
        extension, conformances: Model, CacheableModel, NodeCodable, Equatable, KeyedModel, _CacheableFields,
        _CacheableEnum,
        names: named(modelIdentifier), named(identifierPrefix), named(appendIdentifier), named(recordName),
        named(projectionName), named(fields),
        named(encodeFields), named(decodeFields), named(encodeValue), named(decodeValue), named(map), named(forEach),
        named(replacingChild), named(merge), named(==), named(hash), named(init), named(cacheableField),
        named(cacheablePayload), named(_groveCases))
    public macro Cacheable(id: String? = nil, record: String? = nil, projection: String? = nil) =
        #externalMacro(module: "GroveMacrosPlugin", type: "CacheableMacro")

    /// Leaves a stored property of a `@Cacheable` type out of its record.
    ///
    /// The property is a `var` with a default value, which it has when it is read from a cache; `map` and `merge` keep
    /// it. Equality compares it unless it is also marked ``EqualityIgnored()``.
    @attached(peer)
    public macro CacheIgnored() = #externalMacro(module: "GroveMacrosPlugin", type: "CacheIgnoredMacro")

    /// Leaves a stored property of a `@Cacheable` type out of the `==` and the `hash(into:)` that the macro writes.
    ///
    /// Two models that differ in nothing else are equal: nobody is told of the change.
    @attached(peer)
    public macro EqualityIgnored() = #externalMacro(module: "GroveMacrosPlugin", type: "EqualityIgnoredMacro")
#endif
