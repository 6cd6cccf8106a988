/// The code that the containers share for every type of keys.
extension RecordDecoder {
    /// The names of the fields; none if the model is finished.
    var allNames: [String] {
        guard isOpen else { return [] }
        return unsafe (try? state.pointee.allNames()) ?? []
    }

    func contains(_ name: String) -> Bool {
        guard isOpen else { return false }
        if unsafe (try? state.pointee.field(name)) != nil { return true }
        noteAbsence()
        return false
    }

    /// Whether a field that is absent from the value is known to have never been there.
    ///
    /// If that is unknown, the model fails, whatever user code does about the absence.
    @inline(never)
    @discardableResult
    private func noteAbsence() -> Bool {
        if unsafe state.pointee.value.knowsAbsence { return true }
        unsafe state.pointee.openSession?.noteUnknownAbsence(at: state.pointee.value.cursor)
        return false
    }

    /// A decoder at the value of `name`, or `nil` if it is absent.
    func find(_ name: String) throws(NodeReadFailure) -> NodeDecoder? {
        try check()
        if let value = unsafe try state.pointee.field(name) { return value }
        guard noteAbsence() else { throw .incomplete }
        return nil
    }

    func field(_ name: String) throws(NodeReadFailure) -> NodeDecoder {
        guard let value = try find(name) else { throw .incomplete }
        return value
    }
}

/// The leaves of fields, a function for each type: unspecialised generic code would take as long as all the rest.
extension RecordDecoder {
    @inline(__always)
    private func read<Value: NodeCodable>(_ type: Value.Type, _ name: String) throws(NodeReadFailure) -> Value {
        try check()
        guard var value = unsafe try state.pointee.field(name) else {
            noteAbsence()
            throw .incomplete
        }
        return try Value.decodeValue(from: &value)
    }

    @inline(__always)
    private func readIfPresent<Value: NodeCodable>(
        _ type: Value.Type, _ name: String
    ) throws(NodeReadFailure) -> Value? {
        guard var value = try find(name), try !value.readNull() else { return nil }
        return try Value.decodeValue(from: &value)
    }

    func leaf(_ type: Bool.Type, _ name: String) throws(NodeReadFailure) -> Bool { try read(type, name) }
    func leaf(_ type: String.Type, _ name: String) throws(NodeReadFailure) -> String { try read(type, name) }
    func leaf(_ type: Double.Type, _ name: String) throws(NodeReadFailure) -> Double { try read(type, name) }
    func leaf(_ type: Float.Type, _ name: String) throws(NodeReadFailure) -> Float { try read(type, name) }
    func leaf(_ type: Int.Type, _ name: String) throws(NodeReadFailure) -> Int { try read(type, name) }
    func leaf(_ type: Int8.Type, _ name: String) throws(NodeReadFailure) -> Int8 { try read(type, name) }
    func leaf(_ type: Int16.Type, _ name: String) throws(NodeReadFailure) -> Int16 { try read(type, name) }
    func leaf(_ type: Int32.Type, _ name: String) throws(NodeReadFailure) -> Int32 { try read(type, name) }
    func leaf(_ type: Int64.Type, _ name: String) throws(NodeReadFailure) -> Int64 { try read(type, name) }
    func leaf(_ type: UInt.Type, _ name: String) throws(NodeReadFailure) -> UInt { try read(type, name) }
    func leaf(_ type: UInt8.Type, _ name: String) throws(NodeReadFailure) -> UInt8 { try read(type, name) }
    func leaf(_ type: UInt16.Type, _ name: String) throws(NodeReadFailure) -> UInt16 { try read(type, name) }
    func leaf(_ type: UInt32.Type, _ name: String) throws(NodeReadFailure) -> UInt32 { try read(type, name) }
    func leaf(_ type: UInt64.Type, _ name: String) throws(NodeReadFailure) -> UInt64 { try read(type, name) }

    func leafIfPresent(_ type: Bool.Type, _ name: String) throws(NodeReadFailure) -> Bool? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: String.Type, _ name: String) throws(NodeReadFailure) -> String? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: Double.Type, _ name: String) throws(NodeReadFailure) -> Double? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: Float.Type, _ name: String) throws(NodeReadFailure) -> Float? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: Int.Type, _ name: String) throws(NodeReadFailure) -> Int? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: Int8.Type, _ name: String) throws(NodeReadFailure) -> Int8? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: Int16.Type, _ name: String) throws(NodeReadFailure) -> Int16? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: Int32.Type, _ name: String) throws(NodeReadFailure) -> Int32? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: Int64.Type, _ name: String) throws(NodeReadFailure) -> Int64? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: UInt.Type, _ name: String) throws(NodeReadFailure) -> UInt? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: UInt8.Type, _ name: String) throws(NodeReadFailure) -> UInt8? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: UInt16.Type, _ name: String) throws(NodeReadFailure) -> UInt16? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: UInt32.Type, _ name: String) throws(NodeReadFailure) -> UInt32? {
        try readIfPresent(type, name)
    }
    func leafIfPresent(_ type: UInt64.Type, _ name: String) throws(NodeReadFailure) -> UInt64? {
        try readIfPresent(type, name)
    }
}
