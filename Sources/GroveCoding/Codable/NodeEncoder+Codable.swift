public import GroveModel

extension NodeEncoder {
    /// Writes `value` as field `index` of the type's table, the way in which the `Codable` path writes it.
    @_disfavoredOverload
    public mutating func encode<Value: Encodable>(_ value: Value, at index: Int) throws(CacheError) {
        writeKey(at: index)
        try CodableValue.encode(value, to: &self)
    }

    /// Writes `value`, which no table names.
    @inlinable
    public mutating func encode<Value: NodeCodable>(_ value: Value) throws(CacheError) {
        try value.encodeValue(to: &self)
    }

    /// Writes `value`, which no table names, the way in which the `Codable` path writes it.
    @_disfavoredOverload
    public mutating func encode<Value: Encodable>(_ value: Value) throws(CacheError) {
        try CodableValue.encode(value, to: &self)
    }

    /// Writes a reference to the payload of the case `caseName`, and its record elsewhere; or writes nothing and returns
    /// false where it is not identified.
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
