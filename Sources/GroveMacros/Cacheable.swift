@_exported public import GroveCoding
@_exported public import GroveModel

#if Macros
    /// Makes a struct, a final class or an enum a model that a cache can store.
    ///
    /// The macro writes every member of ``Model``, ``CacheableModel`` and `Equatable` that the type does not declare
    /// itself: identifier, `map`, `forEach`, `merge`, `==`, and the coding of its fields. The compiler finds the
    /// children by type: a property is a child if its type conforms to `Model`, alone or in optionals, arrays, sets and
    /// dictionaries.
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
    /// If the property that identifies a model is not optional, the type is a ``KeyedModel`` too. Then a call can name
    /// a model by that property's value: `cache.model(Message.self, id: "34")`.
    ///
    /// A raw-value enum becomes a leaf, `NodeCodable`. If the macro cannot serve a type, it refuses the type with a
    /// diagnostic.
    ///
    /// Records that an earlier version of the type wrote are read without a migration. If a record does not have a
    /// field, a `var` reads as its default value, and a `let` as the default of ``CacheField(_:was:default:)``.
    /// ``CacheField(_:was:)`` gives the former names of a field. A raw-value enum with a ``CacheFallback`` reads an
    /// unknown case as the fallback. A read that would have to guess is a miss.
    ///
    /// - Parameters:
    ///   - id: the name of the property that identifies a model; the default is `id`. Without such a property, or if it
    ///     is `nil`, the model is stored inside the record of the model that holds it. A `modelIdentifier` that the
    ///     type declares itself wins.
    ///   - record: the name under which records are stored, and with which identifiers begin. The default is the type's
    ///     name with those of its enclosing types, such as `Shop.Item`. Types that share an identifier share this name.
    ///   - projection: the name of this type among the types that share its record name. The default is the type's
    ///     name, as for `record`.
    @attached(member, names: named(init), named(_GroveTypes))
    @attached(
        extension,
        conformances: Model, CacheableModel, NodeCodable, Equatable, KeyedModel, CacheFallback, _CacheableFields,
        _CacheableEnum,
        names: named(modelIdentifier), named(identifierPrefix), named(appendIdentifier), named(recordName),
        named(projectionName), named(fields),
        named(encodeFields), named(decodeFields), named(encodeValue), named(decodeValue), named(map), named(forEach),
        named(replacingChild), named(merge), named(==), named(_groveAreEqual), named(hash), named(init),
        named(cacheableField),
        named(cacheablePayload), named(_groveCases), named(_groveChecks))
    public macro Cacheable(id: String? = nil, record: String? = nil, projection: String? = nil) =
        #externalMacro(module: "GroveMacrosPlugin", type: "CacheableMacro")

    /// Names a stored property of a `@Cacheable` type in its record, and gives the names that it had before.
    ///
    /// ```swift
    /// @CacheField(was: "headline") let title: String
    /// @CacheField("n", was: "number", "count") var total = 0
    /// ```
    ///
    /// If a record does not have the field's name, the field is read under the first of the old names that the record
    /// has. Writing stores only the field's name, so a record that is written again loses the old one.
    ///
    /// - Parameters:
    ///   - name: the name in the record; by default the property's own.
    ///   - oldNames: names that records of earlier versions have, the latest first. None may be the name of another
    ///     field.
    @attached(peer)
    public macro CacheField(_ name: String? = nil, was oldNames: String...) =
        #externalMacro(module: "GroveMacrosPlugin", type: "CacheFieldMacro")

    /// Names a stored property as ``CacheField(_:was:)`` does, and gives its value for a record of an earlier version
    /// without the field.
    ///
    /// ```swift
    /// @CacheField(default: 0) let likes: Int
    /// @CacheField(was: "labels", default: [String]()) let tags: [String]
    /// ```
    ///
    /// It is for a `let`: an initialiser could not set a `let` that had a default value already. A `var` needs only its
    /// own default value.
    ///
    /// - Parameter value: a value of the property's type. Its type must be evident from the expression alone, as in
    ///   `[String]()` and `Kind.plain`.
    @attached(peer)
    public macro CacheField<Value>(_ name: String? = nil, was oldNames: String..., default value: Value) =
        #externalMacro(module: "GroveMacrosPlugin", type: "CacheFieldMacro")

    /// Leaves a stored property of a `@Cacheable` type out of its record.
    ///
    /// The property is a `var` with a default value, which it has after a read from a cache; `map` and `merge` keep its
    /// value. Equality compares it unless it is also marked ``EqualityIgnored()``.
    @attached(peer)
    public macro CacheIgnored() = #externalMacro(module: "GroveMacrosPlugin", type: "CacheIgnoredMacro")

    /// Leaves a stored property of a `@Cacheable` type out of the `==` and the `hash(into:)` that the macro writes.
    ///
    /// Two models that differ only in such properties are equal: no listener is told of the change.
    @attached(peer)
    public macro EqualityIgnored() = #externalMacro(module: "GroveMacrosPlugin", type: "EqualityIgnoredMacro")
#else
    /// Says, if `@Cacheable` is written without the trait, what to write. The compiler takes a global actor as an
    /// attribute of a type, and complains about an unavailable one by its message alone.
    @available(
        *, unavailable,
        message: """
            @Cacheable needs the trait Macros. Add traits: ["Macros"] to Grove's line in your Package.swift, \
            as in .package(path: "../grove", traits: ["Macros"])
            """
    )
    @globalActor
    public actor Cacheable {
        /// Required of a global actor.
        public static let shared = Cacheable()
    }
#endif
