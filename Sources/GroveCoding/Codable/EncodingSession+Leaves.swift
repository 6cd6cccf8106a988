import GroveModel

/// The leaves of fields, which are encoded at once into the session's memory.
extension EncodingSession {
    /// Sets the field called `name` to the leaf that `append` writes.
    @inline(__always)
    private func set(
        _ name: String, in box: EncodingBox, _ append: (inout ByteBuffer) -> Void
    ) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        append(&stored.leaves)
        unsafe box.state.pointee.fields.set(name, leaf(from: start))
    }

    /// Sets the field called `name` to null.
    func addNull(_ name: String, to box: EncodingBox) throws(CacheError) {
        try set(name, in: box) { $0.append(CBORMajor.simple | 22) }
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Bool, _ name: String, to box: EncodingBox) throws(CacheError) {
        try set(name, in: box) { $0.appendBool(value) }
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: String, _ name: String, to box: EncodingBox) throws(CacheError) {
        try set(name, in: box) { $0.appendText(value) }
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Double, _ name: String, to box: EncodingBox) throws(CacheError) {
        try set(name, in: box) { $0.appendFloat(value) }
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Float, _ name: String, to box: EncodingBox) throws(CacheError) {
        try set(name, in: box) { $0.appendFloat(singleBits: value.bitPattern) }
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Int64, _ name: String, to box: EncodingBox) throws(CacheError) {
        try set(name, in: box) { $0.appendInteger(value) }
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: UInt64, _ name: String, to box: EncodingBox) throws(CacheError) {
        try set(name, in: box) { $0.appendHead(CBORMajor.unsigned, value) }
    }
}
