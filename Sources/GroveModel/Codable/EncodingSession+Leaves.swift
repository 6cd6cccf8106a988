/// The leaves of fields: encoded at once, into the session's memory.
extension EncodingSession {
    /// Sets the field called `name` to null.
    func addNull(_ name: String, to box: EncodingBox) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        stored.leaves.append(CBORMajor.simple | 22)
        unsafe box.state.pointee.set(name, leaf(from: start))
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Bool, _ name: String, to box: EncodingBox) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        stored.leaves.append(CBORMajor.simple | (value ? 21 : 20))
        unsafe box.state.pointee.set(name, leaf(from: start))
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: String, _ name: String, to box: EncodingBox) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        stored.leaves.appendText(value)
        unsafe box.state.pointee.set(name, leaf(from: start))
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Double, _ name: String, to box: EncodingBox) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        stored.leaves.appendFloat(value)
        unsafe box.state.pointee.set(name, leaf(from: start))
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Float, _ name: String, to box: EncodingBox) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        stored.leaves.appendFloat(singleBits: value.bitPattern)
        unsafe box.state.pointee.set(name, leaf(from: start))
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: Int64, _ name: String, to box: EncodingBox) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        stored.leaves.appendInteger(value)
        unsafe box.state.pointee.set(name, leaf(from: start))
    }

    /// Sets the field called `name` to `value`.
    func add(_ value: UInt64, _ name: String, to box: EncodingBox) throws(CacheError) {
        try check()
        let start = stored.leaves.count
        stored.leaves.appendHead(CBORMajor.unsigned, value)
        unsafe box.state.pointee.set(name, leaf(from: start))
    }
}
