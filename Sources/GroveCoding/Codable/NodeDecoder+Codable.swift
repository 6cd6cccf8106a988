public import GroveModel

extension NodeDecoder {
    /// Sets field `index` of the type's table aside for ``finish(_:)-(ScannedCodable<Value>)``.
    ///
    /// If the record lacks the field, its old names are tried.
    ///
    /// - Throws: `incomplete` if the field is absent and needed.
    @_disfavoredOverload
    public mutating func scan<Value: Decodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> ScannedCodable<Value> {
        if try find(index) { return .deferred(try setAside()) }
        if let old = try findOldName(index) { return .deferred(old) }
        guard knowsAbsence, let type = type as? any ExpressibleByNilLiteral.Type,
            let none = type.init(nilLiteral: ()) as? Value, decodeCoding(of: Value.self).nullity == .always
        else { throw .incomplete }
        return .absent(none)
    }

    /// Sets field `index` aside, or returns `nil` if an earlier version of the reading type wrote the record without
    /// it.
    ///
    /// See ``scanIfPresent(_:at:)-(Value.Type,_)``.
    ///
    /// - Throws: `incomplete` if the field is absent because another projection wrote the record.
    @_disfavoredOverload
    public mutating func scanIfPresent<Value: Decodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> ScannedCodable<Value>? {
        if try find(index) { return .deferred(try setAside()) }
        return try scanOldNames(index).map { .deferred($0) }
    }

    /// The value of a scanned field, with its children.
    @_disfavoredOverload
    public mutating func finish<Value: Decodable>(
        _ scanned: ScannedCodable<Value>
    ) throws(NodeReadFailure) -> Value {
        switch scanned {
        case .absent(let value): return value
        case .deferred(let bytes):
            try passRest()
            return try DecodingSession.decodeValue(Value.self, from: reading(bytes))
        }
    }

    /// The value of a scanned field, with its children; `nil` if the record lacks the field.
    @_disfavoredOverload
    public mutating func finishIfPresent<Value: Decodable>(
        _ scanned: ScannedCodable<Value>?
    ) throws(NodeReadFailure) -> Value? {
        guard let scanned else { return nil }
        return try finish(scanned)
    }

    /// Fetches the node that `reference` names, as `type`.
    @_disfavoredOverload
    public func node<M: SimpleModel & Codable>(
        _ type: M.Type, _ reference: NodeReference
    ) throws(NodeReadFailure) -> M {
        try node(CodableNode<M>.self, reference).base
    }

    // MARK: Cases

    /// Reads the name of an enum's case, and leaves the cursor on its payload.
    public mutating func readCaseName() throws(NodeReadFailure) -> String {
        guard try readMapHead() == 1 else { throw .otherShape }
        absence = absence.insideMap
        return try readString()
    }

    /// Begins a case's payload, whose labels are `fields`.
    public mutating func beginPayload(_ fields: FieldTable) throws(NodeReadFailure) { _ = try beginMap(fields) }

    /// Ends a case's payload, and skips the fields that its type does not know.
    public mutating func endPayload() throws(NodeReadFailure) { try passRest() }
}
