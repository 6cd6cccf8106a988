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

/// The leaves of fields, inlined for each type: unspecialised generic code would take as long as all the rest.
extension RecordDecoder {
    @inline(__always)
    func read<Value: NodeCodable>(_ type: Value.Type, _ name: String) throws(NodeReadFailure) -> Value {
        try check()
        guard var value = unsafe try state.pointee.field(name) else {
            noteAbsence()
            throw .incomplete
        }
        return try Value.decodeValue(from: &value)
    }

    @inline(__always)
    func readIfPresent<Value: NodeCodable>(
        _ type: Value.Type, _ name: String
    ) throws(NodeReadFailure) -> Value? {
        guard var value = try find(name), try !value.readNull() else { return nil }
        return try Value.decodeValue(from: &value)
    }
}
