package import GroveModel

/// How values of one `Encodable` type are written: found out once, because asking the runtime what a type conforms to
/// costs more than writing a field.
///
/// This one runs the type's own `encode(to:)`.
// SAFETY: every property is a constant.
class EncodeCoding<Value: Encodable>: @unchecked Sendable {
    /// Whether values of the type may stand as null.
    final let nullity: CodableValue.Nullity

    init() { nullity = CodableValue.findNullity(of: Value.self) }

    /// Writes `value`.
    func encode(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        try encoder.nested { (encoder) throws(CacheError) in try encoder.encodeByItself(value) }
    }
}

/// The coding of `type`; no method, whose call would look the coding's own type up.
func encodeCoding<Value: Encodable>(of type: Value.Type) -> EncodeCoding<Value> {
    Codings.all.find(ObjectIdentifier(type), ObjectIdentifier(Codings.EncodingRole.self)) {
        Codings.make(encoding: type)
    }
}

/// The coding of `type` as a model, also if it has another that is faster.
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

/// Writes what writes itself.
// SAFETY: it has constants alone.
private final class KnownEncoding<Value: NodeCodable & Encodable>: EncodeCoding<Value>, @unchecked Sendable {
    override func encode(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        try value.encodeValue(to: &encoder)
    }
}

/// Writes containers of the standard library.
// SAFETY: it has constants alone.
private final class ContainerEncoding<Value: EncodableContainer & Encodable>: EncodeCoding<Value>, @unchecked Sendable {
    override func encode(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        try value.encodeElements(to: &encoder)
    }
}

/// Writes models: as ``NodeEncoder/encodeModel(_:caseName:)`` does, without the generic code that it consists of.
// SAFETY: it has constants alone.
final class ModelEncoding<Model: SimpleModel & Codable>: EncodeCoding<Model>, @unchecked Sendable {
    private let node: any CacheableModel.Type = CodableNode<Model>.self

    override func encode(_ value: Model, to encoder: inout NodeEncoder) throws(CacheError) {
        try encode(value, caseName: nil, to: &encoder)
    }

    /// Writes `value`; as the payload of the case `caseName`, which its reference keeps, if there is one.
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
    /// Writes `model`, as a field of its type is written.
    package mutating func encodeCodable<M: SimpleModel & Codable>(_ model: M) throws(CacheError) {
        try modelEncoding(of: M.self).encode(model, caseName: nil, to: &self)
    }

    /// Writes what the `encode(to:)` of `value` writes, in place.
    mutating func encodeByItself(_ value: some Encodable) throws(CacheError) {
        let scratch = encodingScratch
        var session = scratch.session()
        defer { scratch.keep(&session) }
        try session.collect(value)
        try write(session)
    }

    /// Writes a model that was collected: a reference if it is identified, and its record elsewhere; else
    /// the model itself, in place.
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

    /// Writes what was collected, from some levels on upon a larger stack.
    private mutating func write(_ session: EncodingSession) throws(CacheError) {
        try hopping(from: EncodingSession.hopDepth) { (encoder) throws(CacheError) in
            try session.write(to: &encoder)
        }
    }
}
