/// A field whose type has no coding; no value of it is ever made.
public struct _UncodableField<Value> {
    private init() {}
}

// Chosen where nothing else fits, so that the error says what to do.
extension NodeEncoder {
    /// Refuses a field whose type has no coding.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a field of a @Cacheable type is @Cacheable, NodeCodable or Codable; or mark it @CacheIgnored"
    )
    public mutating func encode<Value>(_ value: Value, at index: Int) throws(CacheError) {}

    /// Refuses a payload whose type has no coding.
    @_disfavoredOverload
    @available(*, unavailable, message: "a payload of a @Cacheable enum is @Cacheable, NodeCodable or Codable")
    public mutating func encode<Value>(_ value: Value) throws(CacheError) {}
}

extension NodeDecoder {
    /// Refuses a field whose type has no coding.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a field of a @Cacheable type is @Cacheable, NodeCodable or Codable; or mark it @CacheIgnored"
    )
    public mutating func scan<Value>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> _UncodableField<Value> {
        throw .otherShape
    }

    /// Refuses a field with a default value whose type has no coding.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "a field of a @Cacheable type is @Cacheable, NodeCodable or Codable; or mark it @CacheIgnored"
    )
    public mutating func scanIfPresent<Value>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> _UncodableField<Value>? {
        throw .otherShape
    }

    /// Stands in for the value of a field whose type has no coding.
    @_disfavoredOverload
    public func finish<Value>(_ field: _UncodableField<Value>) throws(NodeReadFailure) -> Value { throw .otherShape }

    /// Stands in for the value of a field with a default value whose type has no coding.
    @_disfavoredOverload
    public func finishIfPresent<Value>(
        _ field: _UncodableField<Value>?
    ) throws(NodeReadFailure) -> Value? {
        throw .otherShape
    }
}
