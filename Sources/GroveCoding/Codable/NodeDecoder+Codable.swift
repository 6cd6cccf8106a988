public import GroveModel

extension NodeDecoder {
    /// Sets field `index` of the type's table aside for ``finish(_:)-(ScannedCodable<Value>)``.
    ///
    /// - Throws: `incomplete` where the field is absent and needed.
    @_disfavoredOverload
    public mutating func scan<Value: Decodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> ScannedCodable<Value> {
        if try find(index) { return .deferred(try setAside()) }
        guard knowsAbsence, let type = type as? any ExpressibleByNilLiteral.Type,
            let none = type.init(nilLiteral: ()) as? Value, decodeCoding(of: Value.self).nullity == .always
        else { throw .incomplete }
        return .absent(none)
    }

    /// The value of a scanned field, its children fetched.
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

    /// Fetches the node that `reference` names, as `type`.
    @_disfavoredOverload
    public func node<M: SimpleModel & Codable>(
        _ type: M.Type, _ reference: NodeReference
    ) throws(NodeReadFailure) -> M {
        try node(CodableNode<M>.self, reference).base
    }

    // MARK: Cases

    /// Reads the name of an enum's case, and stands before its payload.
    public mutating func readCaseName() throws(NodeReadFailure) -> String {
        guard try readMapHead() == 1 else { throw .otherShape }
        absence = absence.insideMap
        return try readString()
    }

    /// Begins a case's payload, whose labels are `fields`.
    public mutating func beginPayload(_ fields: FieldTable) throws(NodeReadFailure) { _ = try beginMap(fields) }

    /// Ends a case's payload: fields that its type does not know are left out.
    public mutating func endPayload() throws(NodeReadFailure) { try passRest() }
}
