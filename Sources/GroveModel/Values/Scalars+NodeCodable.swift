extension Bool: NodeCodable {
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Bool {
        try decoder.readBool()
    }
}

extension String: NodeCodable {
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> String {
        try decoder.readString()
    }
}

extension Double: NodeCodable {
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Double {
        try decoder.readDouble()
    }
}

extension Float: NodeCodable {
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(self) }

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
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        if let value = Int64(exactly: self) {
            encoder.write(value)
        } else if let value = UInt64(exactly: self) {
            encoder.write(value)
        } else {
            throw CacheError(.unencodable, "An integer is wider than 64 bits.")
        }
    }

    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        try decoder.readInteger(Self.self)
    }
}

extension ModelIdentifier: NodeCodable {
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { encoder.write(rawValue) }

    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> ModelIdentifier {
        ModelIdentifier(try decoder.readString())
    }
}

extension NodeCodable where Self: RawRepresentable, RawValue: NodeCodable {
    public static var holdsReferences: Bool { RawValue.holdsReferences }

    public static var writesNull: Bool { RawValue.writesNull }

    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        try rawValue.encodeValue(to: &encoder)
    }

    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        guard let value = Self(rawValue: try RawValue.decodeValue(from: &decoder)) else { throw .otherShape }
        return value
    }
}
