#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the store does with the bytes of keys.
enum SQLiteKey {
    /// The longest key that a store takes.
    static let limit = 8_192

    /// Whether `count` bytes at `bytes` are `key`.
    static func matches(_ key: UnsafeRawBufferPointer, _ bytes: UnsafeRawPointer?, count: Int) -> Bool {
        guard count == key.count else { return false }
        guard let bytes = unsafe bytes, let base = key.baseAddress else { return count == 0 }
        return unsafe memcmp(bytes, base, count) == 0
    }

    /// The least bytes that sort after everything that begins with `prefix`; `nil` where there are none.
    static func end(of prefix: UnsafeRawBufferPointer) -> [UInt8]? {
        var bytes = unsafe Array(prefix)
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return nil
    }
}
