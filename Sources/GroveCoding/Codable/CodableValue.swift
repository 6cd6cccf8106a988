import GroveModel

/// The form of a value of a `Codable` type in a record.
///
/// The type decides, never the value. A ``NodeCodable`` value writes itself, and a container of the standard library
/// writes the same as with ``NodeCodable`` elements. A model is a node or is written in place. Any other value is
/// written by its own `encode(to:)`.
enum CodableValue {
    /// Writes `value`.
    static func encode<Value: Encodable>(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        try encodeCoding(of: Value.self).encode(value, to: &encoder)
    }

    /// Writes `value` as an optional that is not `nil`, so that it cannot be read as `nil`.
    static func encodePresent<Value: Encodable>(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        let coding = encodeCoding(of: Value.self)
        switch coding.nullity {
        case .never: try coding.encode(value, to: &encoder)
        case .always:
            encoder.writeArrayHead(count: 1)
            try coding.encode(value, to: &encoder)
        case .unknown:
            let start = encoder.out.count
            try coding.encode(value, to: &encoder)
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

    private static func encodeCodableNode<M: SimpleModel & Codable>(
        _ model: M, caseName: String, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        try modelEncoding(of: M.self).encode(model, caseName: caseName, to: &encoder)
    }

    // MARK: Null

    /// Whether values of a type may be written as null.
    enum Nullity {
        case never
        case always
        /// The type's own `encode(to:)` decides for each value.
        case unknown
    }

    /// The nullity of `type`; it asks the runtime, so the answer is kept with the type's coding.
    static func findNullity<Value>(of type: Value.Type) -> Nullity {
        // The type's own `encode(to:)` decides.
        if type is any CodableModel.Type { return .unknown }
        if let type = type as? any NodeCodable.Type { return type.writesNull ? .always : .never }
        // Of the containers, optionals alone are null.
        guard type is any EncodableContainer.Type || type is any DecodableContainer.Type else { return .unknown }
        return type is any OptionalContainer.Type ? .always : .never
    }

    /// Whether `bytes` are null inside any number of arrays of one element; such a value is wrapped once more if it is
    /// not `nil`.
    static func isWrappedNull(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard unsafe bytes.last == CBORMajor.simple | 22 else { return false }
        return unsafe bytes.dropLast().allSatisfy { $0 == CBORMajor.array | 1 }
    }
}

/// What `Optional` is alone; an application cannot make another type one.
private protocol OptionalContainer {}

extension Optional: OptionalContainer {}
