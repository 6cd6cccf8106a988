/// The limit of keys, and the end of a range of keys.
enum SQLiteKey {
    /// The longest key that a store takes.
    static let limit = 8_192

    /// The least bytes that sort after all keys that begin with `prefix`; `nil` if there are none.
    static func end(of prefix: UnsafeRawBufferPointer) -> [UInt8]? {
        var bytes = unsafe Array(prefix)
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return nil
    }
}
