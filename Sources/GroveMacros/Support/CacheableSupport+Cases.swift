// The payload of an enum's case: a model that is identified gives the enum its identifier and its record, unless it is
// such an enum itself, because a reference keeps one case.
extension _CacheableSupport {
    /// The identifier that a payload gives its enum.
    @inlinable
    public static func payloadIdentifier<M: SimpleModel>(_ payload: M) -> ModelIdentifier? { payload.modelIdentifier }

    /// The identifier that a payload gives its enum: none.
    @inlinable
    public static func payloadIdentifier<M: _CacheableEnum>(_ payload: M) -> ModelIdentifier? { nil }

    /// The identifier that a payload gives its enum: none.
    @inlinable
    @_disfavoredOverload
    public static func payloadIdentifier<Value>(_ payload: Value) -> ModelIdentifier? { nil }

    /// The payload, if its record is its enum's too.
    @inlinable
    public static func nodePayload<M: Model>(_ payload: M, of identifier: ModelIdentifier?) -> (any Model)? {
        guard let identifier, payload.modelIdentifier == identifier else { return nil }
        return payload
    }

    /// The payload, if its record is its enum's too: never.
    @inlinable
    public static func nodePayload<M: _CacheableEnum>(_ payload: M, of identifier: ModelIdentifier?) -> (any Model)? {
        nil
    }

    /// The payload, if its record is its enum's too: never.
    @inlinable
    @_disfavoredOverload
    public static func nodePayload<Value>(_ payload: Value, of identifier: ModelIdentifier?) -> (any Model)? { nil }

    /// A payload with its models replaced: its children if its record is its enum's, else itself.
    @inlinable
    public static func mapPayload<M: Model>(
        _ shape: _ModelShape<M>.Type, _ payload: M, isNode: Bool, _ transform: (any Model) -> (any Model)?
    ) -> M? {
        isNode ? payload.map(transform) : _ModelShape<M>.map(payload, transform)
    }

    /// A payload with its models replaced.
    @inlinable
    @_disfavoredOverload
    public static func mapPayload<Shape: _ChildShape>(
        _ shape: Shape.Type, _ payload: Shape.Value, isNode: Bool, _ transform: (any Model) -> (any Model)?
    ) -> Shape.Value? {
        Shape.map(payload, transform)
    }

    /// A payload merged with `model`, another projection of its record or a newer payload.
    @inlinable
    public static func mergedPayload<M: Model>(_ payload: M, _ model: any Model) -> M? {
        guard let identifier = payload.modelIdentifier, model.modelIdentifier == identifier else { return nil }
        return model as? M ?? fit(model, payload)
    }

    /// A payload that is no model: nothing to merge.
    @inlinable
    @_disfavoredOverload
    public static func mergedPayload<Value>(_ payload: Value, _ model: any Model) -> Value? { nil }

    // MARK: Coding

    /// `value`, hidden from the compiler, which would warn of a switch over a value that it knows.
    public static func value<Value>(_ value: Value) -> Value { value }

    /// Writes a reference to an identified payload, which carries the name of its case; false if the payload must stand
    /// in place.
    @inlinable
    public static func encodeNode<M: CacheableModel>(
        _ payload: M, caseName: String, to encoder: inout NodeEncoder
    ) throws(CacheError) -> Bool {
        try encoder.encodeNodeCase(payload, caseName)
    }

    /// Writes nothing: the payload stands in place.
    @inlinable
    public static func encodeNode<M: CacheableModel & _CacheableEnum>(
        _ payload: M, caseName: String, to encoder: inout NodeEncoder
    ) throws(CacheError) -> Bool {
        false
    }

    /// Writes a reference to an identified payload, as ``encodeNode(_:caseName:to:)-(M,String,_)`` does.
    @inlinable
    @_disfavoredOverload
    public static func encodeNode<M: SimpleModel & Codable>(
        _ payload: M, caseName: String, to encoder: inout NodeEncoder
    ) throws(CacheError) -> Bool {
        try encoder.encodeNodeCase(payload, caseName)
    }

    /// Writes nothing: the payload stands in place.
    @inlinable
    @_disfavoredOverload
    public static func encodeNode<Value>(
        _ payload: Value, caseName: String, to encoder: inout NodeEncoder
    ) throws(CacheError) -> Bool {
        false
    }

    /// Fetches the payload that `reference` names.
    @inlinable
    public static func node<M: CacheableModel>(
        _ type: M.Type, _ reference: NodeReference, _ decoder: NodeDecoder
    ) throws(NodeReadFailure) -> M {
        try decoder.node(type, reference)
    }

    /// Fetches the payload that `reference` names.
    @inlinable
    @_disfavoredOverload
    public static func node<M: SimpleModel & Codable>(
        _ type: M.Type, _ reference: NodeReference, _ decoder: NodeDecoder
    ) throws(NodeReadFailure) -> M {
        try decoder.node(type, reference)
    }

    /// Fails: the payload is no model, so the case was another when it was written.
    @inlinable
    @_disfavoredOverload
    public static func node<Value>(
        _ type: Value.Type, _ reference: NodeReference, _ decoder: NodeDecoder
    ) throws(NodeReadFailure) -> Value {
        throw NodeReadFailure.otherShape
    }

    /// The record name of a payload's type.
    @inlinable
    public static func recordName<M: SimpleModel>(of type: M.Type) -> String? { M.recordName }

    /// The record name of a payload's type: none.
    @inlinable
    public static func recordName<M: _CacheableEnum>(of type: M.Type) -> String? { nil }

    /// The record name of a payload's type: none.
    @inlinable
    @_disfavoredOverload
    public static func recordName<Value>(of type: Value.Type) -> String? { nil }

    /// The only case whose payload has the record name of `reference`, which does not carry its case.
    ///
    /// - Throws: `otherShape` if no case has it, or several do.
    public static func caseName(
        of reference: NodeReference, _ decoder: NodeDecoder, _ cases: [(name: String, record: String?)]
    ) throws(NodeReadFailure) -> String {
        let recordName = try decoder.recordName(of: reference)
        let found = cases.filter { $0.record == recordName }
        guard found.count == 1 else { throw .otherShape }
        return found[0].name
    }
}
