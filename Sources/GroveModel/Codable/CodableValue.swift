/// How a value of a `Codable` type stands in a record.
///
/// The type decides, never the value: what is ``NodeCodable`` writes itself, containers of the standard library write
/// what they would if their elements were, a model is a node or stands in place, and anything else is what its own
/// `encode(to:)` makes of it.
enum CodableValue {
    /// Writes `value`.
    static func encode<Value: Encodable>(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        if let type = Value.self as? any NodeCodable.Type { return try encode(value, as: type, to: &encoder) }
        if let type = Value.self as? any EncodableContainer.Type { return try encode(value, as: type, to: &encoder) }
        if let type = Value.self as? any (SimpleModel & Codable).Type {
            return try encode(value, as: type, to: &encoder)
        }
        try encoder.nested { (encoder) throws(CacheError) in try CollectedValue(value).write(to: &encoder) }
    }

    private static func encode<Known: NodeCodable>(
        _ value: some Encodable, as type: Known.Type, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        try known(value, type).encodeValue(to: &encoder)
    }

    private static func encode<Known: EncodableContainer>(
        _ value: some Encodable, as type: Known.Type, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        try known(value, type).encodeElements(to: &encoder)
    }

    private static func encode<Known: SimpleModel & Codable>(
        _ value: some Encodable, as type: Known.Type, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        try CodableNode(known(value, type)).encodeValue(to: &encoder)
    }

    /// `value` as the very type that it has, now known to conform to more.
    private static func known<Known>(_ value: some Encodable, _ type: Known.Type) throws(CacheError) -> Known {
        guard let value = value as? Known else {
            throw CacheError(.unencodable, "\(Swift.type(of: value)) is not the type that it was declared as.")
        }
        return value
    }

    /// Writes `value` as an optional that is not `nil`, so that it cannot be taken for one that is.
    static func encodePresent<Value: Encodable>(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        switch nullity(of: Value.self) {
        case .never: try encode(value, to: &encoder)
        case .always:
            encoder.writeArrayHead(count: 1)
            try encode(value, to: &encoder)
        case .unknown:
            let start = encoder.out.count
            try encode(value, to: &encoder)
            guard unsafe isWrappedNull(encoder.out.bytes(in: start..<encoder.out.count)) else { return }
            let encoded = unsafe Array(encoder.out.bytes(in: start..<encoder.out.count))
            encoder.out.truncate(to: start)
            encoder.writeArrayHead(count: 1)
            encoder.writeEncoded(encoded)
        }
    }

    /// Writes a reference to `payload`, which carries the name of its case, and the payload's record elsewhere.
    static func encodeNode(
        _ payload: any Encodable, caseName: String, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        if let model = payload as? any CacheableModel { return try encoder.encodeModel(model, caseName: caseName) }
        guard let model = payload as? any (SimpleModel & Codable) else {
            throw CacheError(.notCacheable, "\(type(of: payload)) has no coding that a record can hold.")
        }
        try encodeCodableNode(model, caseName: caseName, to: &encoder)
    }

    private static func encodeCodableNode(
        _ model: some SimpleModel & Codable, caseName: String, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        let collected = try CollectedValue(model)
        guard try collected.nodeCase(of: model) == nil else {
            throw CacheError(
                .unencodable, "A reference keeps one case, so a case's payload is not such an enum itself.",
                identifier: model.modelIdentifier)
        }
        try encoder.encodeModel(CodableNode(model, collected: collected), caseName: caseName)
    }

    // MARK: Null

    /// Whether values of a type may be written as null.
    enum Nullity {
        case never
        case always
        /// Its own `encode(to:)` decides, value by value.
        case unknown
    }

    static func nullity<Value>(of type: Value.Type) -> Nullity {
        if let type = type as? any NodeCodable.Type { return type.writesNull ? .always : .never }
        if let type = type as? any EncodableContainer.Type { return type.encodesNull ? .always : .never }
        if let type = type as? any DecodableContainer.Type { return type.decodesNull ? .always : .never }
        return .unknown
    }

    /// Whether `bytes` are null inside any number of arrays of one: what is wrapped once more when it is not `nil`.
    static func isWrappedNull(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard unsafe bytes.last == CBORMajor.simple | 22 else { return false }
        return unsafe bytes.dropLast().allSatisfy { $0 == CBORMajor.array | 1 }
    }
}
