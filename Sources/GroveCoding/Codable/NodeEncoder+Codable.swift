public import GroveModel

extension NodeEncoder {
    /// Writes `value` as field `index` of the type's table, by its `Codable` conformance.
    @_disfavoredOverload
    public mutating func encode<Value: Encodable>(_ value: Value, at index: Int) throws(CacheError) {
        writeKey(at: index)
        try CodableValue.encode(value, to: &self)
    }

    /// Writes `value` without the name of a field.
    @inlinable
    public mutating func encode<Value: NodeCodable>(_ value: Value) throws(CacheError) {
        try value.encodeValue(to: &self)
    }

    /// Writes `value` without the name of a field, by its `Codable` conformance.
    @_disfavoredOverload
    public mutating func encode<Value: Encodable>(_ value: Value) throws(CacheError) {
        try CodableValue.encode(value, to: &self)
    }

    /// Writes a reference to the payload of the case `caseName`, and the payload's own record.
    ///
    /// - Returns: false, with nothing written, if the payload has no identifier.
    @inlinable
    public mutating func encodeNodeCase<M: CacheableModel>(
        _ payload: M, _ caseName: String
    ) throws(CacheError) -> Bool {
        beginIdentifier()
        guard payload.appendIdentifier(to: &identifier) else { return false }
        try encodeModel(payload, caseName: caseName)
        return true
    }

    /// Writes a reference to the payload of the case `caseName`, as the form for a ``CacheableModel`` does.
    @_disfavoredOverload
    public mutating func encodeNodeCase<M: SimpleModel & Codable>(
        _ payload: M, _ caseName: String
    ) throws(CacheError) -> Bool {
        guard payload.modelIdentifier != nil else { return false }
        try CodableValue.encodeNode(payload, caseName: caseName, to: &self)
        return true
    }
}
