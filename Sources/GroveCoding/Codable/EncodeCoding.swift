package import GroveModel

/// The way in which values of one `Encodable` type are written.
///
/// It is found once, because asking the runtime for conformances costs more than writing a field. This class runs the
/// type's own `encode(to:)`.
// SAFETY: every property is a constant.
class EncodeCoding<Value: Encodable>: @unchecked Sendable {
    /// Whether values of the type may be written as null.
    final let nullity: CodableValue.Nullity

    init() { nullity = CodableValue.findNullity(of: Value.self) }

    /// Writes `value`.
    func encode(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        try encoder.nested { (encoder) throws(CacheError) in try encoder.encodeByItself(value) }
    }
}

/// The coding of `type`; it is no method, as a method's call would look up the coding's own type.
func encodeCoding<Value: Encodable>(of type: Value.Type) -> EncodeCoding<Value> {
    Codings.all.find(ObjectIdentifier(type), ObjectIdentifier(Codings.EncodingRole.self)) {
        Codings.make(encoding: type)
    }
}

/// The coding of `type` as a model, even if the type has another coding that is faster.
func modelEncoding<Model: SimpleModel & Codable>(of type: Model.Type) -> ModelEncoding<Model> {
    Codings.all.find(ObjectIdentifier(type), ObjectIdentifier(Codings.ModelEncodingRole.self)) { Codings.model(type) }
}

extension Codings {
    fileprivate static func make<Value: Encodable>(encoding type: Value.Type) -> AnyObject {
        if let type = type as? any (NodeCodable & Encodable).Type { return known(type) }
        if let type = type as? any (EncodableContainer & Encodable).Type { return container(type) }
        if let type = type as? any (SimpleModel & Codable).Type { return model(type) }
        return EncodeCoding<Value>()
    }

    private static func known<Value: NodeCodable & Encodable>(_ type: Value.Type) -> AnyObject {
        KnownEncoding<Value>()
    }

    private static func container<Value: EncodableContainer & Encodable>(_ type: Value.Type) -> AnyObject {
        ContainerEncoding<Value>()
    }

    fileprivate static func model<Value: SimpleModel & Codable>(_ type: Value.Type) -> AnyObject {
        ModelEncoding<Value>()
    }
}

/// The coding of values that write themselves.
// SAFETY: it has constants alone.
private final class KnownEncoding<Value: NodeCodable & Encodable>: EncodeCoding<Value>, @unchecked Sendable {
    override func encode(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        try value.encodeValue(to: &encoder)
    }
}

/// The coding of containers of the standard library.
// SAFETY: it has constants alone.
private final class ContainerEncoding<Value: EncodableContainer & Encodable>: EncodeCoding<Value>, @unchecked Sendable {
    override func encode(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        try value.encodeElements(to: &encoder)
    }
}

/// The coding of models: it writes as ``NodeEncoder/encodeModel(_:caseName:)`` does, without that function's generic
/// code.
// SAFETY: it has constants alone.
final class ModelEncoding<Model: SimpleModel & Codable>: EncodeCoding<Model>, @unchecked Sendable {
    private let node: any CacheableModel.Type = CodableNode<Model>.self

    override func encode(_ value: Model, to encoder: inout NodeEncoder) throws(CacheError) {
        try encode(value, caseName: nil, to: &encoder)
    }

    /// Writes `value`; if there is a `caseName`, as the payload of that case, which the reference holds.
    func encode(_ value: Model, caseName: String?, to encoder: inout NodeEncoder) throws(CacheError) {
        let scratch = encoder.encodingScratch
        var session = scratch.session()
        defer { scratch.keep(&session) }
        try session.collect(value)
        guard let inner = try session.nodeCase(of: value) else {
            return try encoder.encodeCollected(session, value.modelIdentifier, node, caseName: caseName)
        }
        guard caseName == nil else {
            throw CacheError(
                .unencodable, "A reference keeps one case, so a case's payload is not such an enum itself.",
                identifier: value.modelIdentifier)
        }
        try CodableValue.encodeNode(inner.payload, caseName: inner.caseName, to: &encoder)
    }
}

extension NodeEncoder {
    /// Writes `model` in the same way as a field of its type.
    package mutating func encodeCodable<M: SimpleModel & Codable>(_ model: M) throws(CacheError) {
        try modelEncoding(of: M.self).encode(model, caseName: nil, to: &self)
    }

    /// Writes the output of the `encode(to:)` of `value`, in place.
    mutating func encodeByItself(_ value: some Encodable) throws(CacheError) {
        let scratch = encodingScratch
        var session = scratch.session()
        defer { scratch.keep(&session) }
        try session.collect(value)
        try write(session)
    }

    /// Writes a collected model: if it is identified, a reference, and its record elsewhere; otherwise the model
    /// itself, in place.
    fileprivate mutating func encodeCollected(
        _ session: EncodingSession, _ name: ModelIdentifier?, _ node: any CacheableModel.Type,
        caseName: String?
    ) throws(CacheError) {
        beginIdentifier()
        if let name { identifier.append(name.rawValue) }
        let scope =
            name == nil
            ? try beginInline(.dynamic, caseName: caseName) : try beginNode(node, .dynamic, caseName: caseName)
        try write(inside: scope) { (encoder) throws(CacheError) in try encoder.write(session) }
    }

    /// Writes the collected value, on a larger stack from some level on.
    private mutating func write(_ session: EncodingSession) throws(CacheError) {
        try hopping(from: EncodingSession.hopDepth) { (encoder) throws(CacheError) in
            try session.write(to: &encoder)
        }
    }
}
