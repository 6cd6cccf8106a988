public import GroveModel

/// The way in which values of one `Decodable` type are read.
///
/// It is found once, because asking the runtime for conformances costs more than reading a field. This class runs the
/// type's own `init(from:)`.
// SAFETY: every property is a constant.
class DecodeCoding<Value: Decodable>: @unchecked Sendable {
    /// Whether values of the type may be written as null.
    final let nullity: CodableValue.Nullity

    init() { nullity = CodableValue.findNullity(of: Value.self) }

    /// Reads the value at the cursor and moves past it; the value was found under `key` inside the value of `outer`.
    func decode(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value {
        let encoded = unsafe try decoder.readEncoded()
        let value = unsafe NodeDecoder(
            encoded, source: decoder.source, isStable: true, absence: decoder.absence)
        let session = try outer.openSession()
        var inner = try outer.nested(value, key: key, owner: ObjectIdentifier(Value.self))
        defer { session.keep(&inner) }
        return unsafe try decoder.source.nested { () throws(NodeReadFailure) in try session.run(Value.self, inner) }
    }
}

/// The coding of `type`; it is no method, as a method's call would look up the coding's own type.
func decodeCoding<Value: Decodable>(of type: Value.Type) -> DecodeCoding<Value> {
    Codings.all.find(ObjectIdentifier(type), ObjectIdentifier(Codings.DecodingRole.self)) {
        Codings.make(decoding: type)
    }
}

/// The coding of `type` as a model, even if the type has another coding that is faster.
func modelDecoding<Model: SimpleModel & Codable>(of type: Model.Type) -> ModelDecoding<Model> {
    Codings.all.find(ObjectIdentifier(type), ObjectIdentifier(Codings.ModelDecodingRole.self)) { Codings.model(type) }
}

extension Codings {
    fileprivate static func make<Value: Decodable>(decoding type: Value.Type) -> AnyObject {
        if let type = type as? any (NodeCodable & Decodable).Type { return known(type) }
        if let type = type as? any (DecodableContainer & Decodable).Type { return container(type) }
        if let type = type as? any (SimpleModel & Codable).Type { return model(type) }
        if let type = type as? any (CacheFallback & Decodable).Type { return fallback(type) }
        return DecodeCoding<Value>()
    }

    private static func known<Value: NodeCodable & Decodable>(_ type: Value.Type) -> AnyObject {
        KnownDecoding<Value>()
    }

    private static func container<Value: DecodableContainer & Decodable>(_ type: Value.Type) -> AnyObject {
        ContainerDecoding<Value>()
    }

    private static func fallback<Value: CacheFallback & Decodable>(_ type: Value.Type) -> AnyObject {
        FallbackDecoding<Value>()
    }

    fileprivate static func model<Value: SimpleModel & Codable>(_ type: Value.Type) -> AnyObject {
        ModelDecoding<Value>()
    }
}

/// The coding of values that read themselves.
// SAFETY: it has constants alone.
private final class KnownDecoding<Value: NodeCodable & Decodable>: DecodeCoding<Value>, @unchecked Sendable {
    override func decode(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value {
        try Value.decodeValue(from: &decoder)
    }
}

/// The coding of containers of the standard library.
// SAFETY: it has constants alone.
private final class ContainerDecoding<Value: DecodableContainer & Decodable>: DecodeCoding<Value>, @unchecked Sendable {
    override func decode(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value {
        try Value.decodeElements(from: &decoder, inside: outer, key: key)
    }
}

/// The coding of raw values; an unknown one is read as the type's fallback.
// SAFETY: it has constants alone.
private final class FallbackDecoding<Value: CacheFallback & Decodable>: DecodeCoding<Value>, @unchecked Sendable {
    override func decode(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value {
        var stored = decoder
        do throws(NodeReadFailure) {
            return try super.decode(from: &decoder, inside: outer, key: key)
        } catch {
            guard case .otherShape = error, let rawType = Value.RawValue.self as? any NodeCodable.Type,
                let rawValue = try rawType.decodeValue(from: &stored) as? Value.RawValue,
                Value(rawValue: rawValue) == nil
            else { throw error }
            return Value.cacheFallback
        }
    }
}

/// The coding of models: it reads as ``NodeDecoder/decodeModel(_:)`` does, without that function's generic code.
// SAFETY: it has constants alone.
final class ModelDecoding<Model: SimpleModel & Codable>: DecodeCoding<Model>, @unchecked Sendable {
    private let node: any CacheableModel.Type = CodableNode<Model>.self

    override func decode(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Model {
        try decode(from: &decoder)
    }

    func decode(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Model {
        guard let reference = try decoder.readReference() else { return try decodeInPlace(&decoder) }
        guard let caseName = reference.caseName else { return unsafe try visit(reference, decoder.source) }
        return unsafe try decodeCase(caseName, reference, decoder.source)
    }

    /// Fetches the node of `reference`, as ``NodeDecoder/node(_:_:)`` does.
    private func visit(_ reference: NodeReference, _ source: any NodeSource) throws(NodeReadFailure) -> Model {
        let visit = try unsafe source.beginVisit(node, reference.identifierBytes)
        if visit.isRemembered { return try recall(visit, source) }
        let failure: NodeReadFailure
        do throws(NodeReadFailure) {
            if visit.needsLargerStack {
                let model = try decodeOnLargerStack(visit)
                if visit.wasSeen { remember(model, visit, source) }
                source.endVisit(visit)
                return model
            }
            let model = try DecodingSession.decode(Model.self, from: visit.decoder.settled())
            if visit.wasSeen { remember(model, visit, source) }
            source.endVisit(visit)
            return model
        } catch {
            failure = error
        }
        throw source.failVisit(visit, failure)
    }

    // Code for rare reads is a function of its own: each generic type that a function names is looked up at its call.

    @inline(never)
    private func decodeInPlace(_ decoder: inout NodeDecoder) throws(NodeReadFailure) -> Model {
        try decoder.decodeFields(CodableNode<Model>.self).base
    }

    @inline(never)
    private func decodeOnLargerStack(_ visit: NodeVisit) throws(NodeReadFailure) -> Model {
        var visit = visit
        return try visit.decoder.fieldsOnLargerStack(CodableNode<Model>.self).base
    }

    @inline(never)
    private func recall(_ visit: NodeVisit, _ source: any NodeSource) throws(NodeReadFailure) -> Model {
        guard let model = source.recall(visit) as? CodableNode<Model> else { throw .corrupted }
        return model.base
    }

    @inline(never)
    private func remember(_ model: Model, _ visit: NodeVisit, _ source: any NodeSource) {
        source.remember(CodableNode(model), visit)
    }

    /// Decodes an enum whose case is in `reference`; its initialiser reads the layout that the enum would have in
    /// place.
    @inline(never)
    private func decodeCase(
        _ caseName: String, _ reference: NodeReference, _ source: any NodeSource
    ) throws(NodeReadFailure) -> Model {
        var shown = ByteBuffer(capacity: 64)
        defer { shown.deallocate() }
        shown.appendHead(CBORMajor.map, 1)
        shown.appendText(caseName)
        shown.appendHead(CBORMajor.map, 1)
        shown.appendText(EncodingSession.payloadKey)
        shown.appendHead(CBORMajor.tag, CBORTag.reference)
        unsafe shown.appendHead(CBORMajor.text, UInt64(reference.identifierBytes.count))
        unsafe shown.append(reference.identifierBytes)
        let inPlace = unsafe NodeDecoder(
            source.keep(shown.bytes), source: source, isStable: true)
        return try DecodingSession.decode(Model.self, from: inPlace)
    }
}

extension NodeDecoder {
    /// A decoder of the rest, in bytes that stay: user code reads fields in any order, and children in between.
    fileprivate func settled() -> NodeDecoder {
        if isStable { return self }
        let rest = unsafe UnsafeRawBufferPointer(start: cursor, count: end - cursor)
        return unsafe NodeDecoder(
            source.keep(rest), source: source, isStable: true, absence: absence)
    }

    /// Reads a model that is `Codable`: fetches the node that a reference names, or decodes a model in place.
    @usableFromInline
    package mutating func decodeCodable<M: SimpleModel & Codable>(_ type: M.Type) throws(NodeReadFailure) -> M {
        try modelDecoding(of: type).decode(from: &self)
    }
}
