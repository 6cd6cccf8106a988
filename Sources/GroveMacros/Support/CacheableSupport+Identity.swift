extension CacheableSupport {
    /// The identifier that begins with `prefix` and ends with `id`.
    @inlinable
    public static func identifier<ID>(_ prefix: String, _ id: ID) -> ModelIdentifier? {
        ModelIdentifier("\(prefix)\(id)")
    }

    /// The identifier that begins with `prefix` and ends with `id`.
    @inlinable
    public static func identifier<ID: FixedWidthInteger>(_ prefix: String, _ id: ID) -> ModelIdentifier? {
        ModelIdentifier(prefix + String(id))
    }

    /// The identifier that begins with `prefix` and ends with `id`, or `nil` where there is none.
    @inlinable
    public static func identifier<ID>(_ prefix: String, _ id: ID?) -> ModelIdentifier? {
        id.flatMap { identifier(prefix, $0) }
    }

    /// The identifier that begins with `prefix` and ends with `id`, or `nil` where there is none.
    @inlinable
    public static func identifier<ID: FixedWidthInteger>(_ prefix: String, _ id: ID?) -> ModelIdentifier? {
        id.flatMap { identifier(prefix, $0) }
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,ID)``.
    @inlinable
    public static func append(_ prefix: String, _ id: String, to buffer: inout IdentifierBuffer) -> Bool {
        buffer.append(prefix)
        buffer.append(id)
        return true
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,ID)``.
    @inlinable
    public static func append<ID: FixedWidthInteger>(
        _ prefix: String, _ id: ID, to buffer: inout IdentifierBuffer
    ) -> Bool {
        buffer.append(prefix)
        buffer.append(id)
        return true
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,ID)``.
    @inlinable
    public static func append<ID>(_ prefix: String, _ id: ID, to buffer: inout IdentifierBuffer) -> Bool {
        buffer.append(prefix)
        buffer.append("\(id)")
        return true
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,ID)``, or returns false where there is none.
    @inlinable
    public static func append(_ prefix: String, _ id: String?, to buffer: inout IdentifierBuffer) -> Bool {
        guard let id else { return false }
        return append(prefix, id, to: &buffer)
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,ID)``, or returns false where there is none.
    @inlinable
    public static func append<ID: FixedWidthInteger>(
        _ prefix: String, _ id: ID?, to buffer: inout IdentifierBuffer
    ) -> Bool {
        guard let id else { return false }
        return append(prefix, id, to: &buffer)
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,ID)``, or returns false where there is none.
    @inlinable
    public static func append<ID>(_ prefix: String, _ id: ID?, to buffer: inout IdentifierBuffer) -> Bool {
        guard let id else { return false }
        return append(prefix, id, to: &buffer)
    }

    // MARK: Equality

    /// Whether a property's values are equal.
    @inlinable
    public static func areEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }

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

    /// Refuses a property whose type has no equality.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a stored property of a @Cacheable type is Equatable; mark it @EqualityIgnored, or write == yourself"
    )
    public static func areEqual<Value>(_ left: Value, _ right: Value) -> Bool { false }
}
