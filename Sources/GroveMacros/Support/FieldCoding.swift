/// A field whose type has no coding; no value of it is ever made.
public struct _UncodableField<Value> {
    private init() {}
}

// The functions that generated code calls to write and read its fields. They are `encode`, `scan` and `scanIfPresent`,
// and also compile for a type without a coding. The overloads of ``_CacheableSupport/field(_:_:)-(Has,Has)`` report
// such a type once, at the property.
extension NodeEncoder {
    /// Writes a field.
    @inlinable
    public mutating func _encode<Value: NodeCodable>(_ value: Value, at index: Int) throws(CacheError) {
        try encode(value, at: index)
    }

    /// Writes a field, the way in which the `Codable` path writes it.
    @inlinable
    @_disfavoredOverload
    public mutating func _encode<Value: Encodable>(_ value: Value, at index: Int) throws(CacheError) {
        try encode(value, at: index)
    }

    /// Stands in for a field whose type has no coding.
    @_disfavoredOverload
    public mutating func _encode<Value>(_ value: Value, at index: Int) throws(CacheError) {}

    /// Writes a value of a payload.
    @inlinable
    public mutating func _encode<Value: NodeCodable>(_ value: Value) throws(CacheError) { try encode(value) }

    /// Writes a value of a payload, the way in which the `Codable` path writes it.
    @inlinable
    @_disfavoredOverload
    public mutating func _encode<Value: Encodable>(_ value: Value) throws(CacheError) { try encode(value) }

    /// Stands in for a value of a payload whose type has no coding.
    @_disfavoredOverload
    public mutating func _encode<Value>(_ value: Value) throws(CacheError) {}
}

extension NodeDecoder {
    /// Scans a field.
    @inlinable
    public mutating func _scan<Value: NodeCodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> Scanned<Value> {
        try scan(type, at: index)
    }

    /// Scans a field, for the `Codable` path.
    @inlinable
    @_disfavoredOverload
    public mutating func _scan<Value: Decodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> ScannedCodable<Value> {
        try scan(type, at: index)
    }

    /// Stands in for a field whose type has no coding.
    @_disfavoredOverload
    public mutating func _scan<Value>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> _UncodableField<Value> {
        throw .otherShape
    }

    /// Scans a field with a default value.
    @inlinable
    public mutating func _scanIfPresent<Value: NodeCodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> Scanned<Value>? {
        try scanIfPresent(type, at: index)
    }

    /// Scans a field with a default value, for the `Codable` path.
    @inlinable
    @_disfavoredOverload
    public mutating func _scanIfPresent<Value: Decodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> ScannedCodable<Value>? {
        try scanIfPresent(type, at: index)
    }

    /// Stands in for a field with a default value whose type has no coding.
    @_disfavoredOverload
    public mutating func _scanIfPresent<Value>(
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
