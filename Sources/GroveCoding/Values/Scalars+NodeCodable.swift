public import GroveModel

extension Bool: NodeCodable {
    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Bool {
        try decoder.readBool()
    }
}

extension String: NodeCodable {
    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> String {
        try decoder.readString()
    }
}

extension Double: NodeCodable {
    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Double {
        try decoder.readDouble()
    }
}

extension Float: NodeCodable {
    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Float {
        try decoder.readFloat()
    }
}

extension Int: NodeCodable {}
extension Int8: NodeCodable {}
extension Int16: NodeCodable {}
extension Int32: NodeCodable {}
extension Int64: NodeCodable {}
extension UInt: NodeCodable {}
extension UInt8: NodeCodable {}
extension UInt16: NodeCodable {}
extension UInt32: NodeCodable {}
extension UInt64: NodeCodable {}

extension NodeCodable where Self: FixedWidthInteger {
    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    @inlinable
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        if let value = Int64(exactly: self) {
            encoder.write(value)
        } else if let value = UInt64(exactly: self) {
            encoder.write(value)
        } else {
            throw CacheError(.unencodable, "The integer needs more than 64 bits; store it as text.")
        }
    }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    @inlinable
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        try decoder.readInteger(Self.self)
    }
}

extension ModelIdentifier: NodeCodable {
    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(rawValue) }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> ModelIdentifier {
        ModelIdentifier(try decoder.readString())
    }
}

extension NodeCodable where Self: RawRepresentable, RawValue: NodeCodable {
    /// See ``NodeCodable/holdsReferences``.
    @_documentation(visibility: internal)
    public static var holdsReferences: Bool { RawValue.holdsReferences }

    /// See ``NodeCodable/writesNull``.
    @_documentation(visibility: internal)
    public static var writesNull: Bool { RawValue.writesNull }

    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        try rawValue.encodeValue(to: &encoder)
    }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        guard let value = Self(rawValue: try RawValue.decodeValue(from: &decoder)) else { throw .otherShape }
        return value
    }
}
