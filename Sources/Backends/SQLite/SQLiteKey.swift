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

    /// A hash of `key` that is the same in every process and on every machine: it is part of the file format.
    ///
    /// Words of 8 bytes, the last overlapping the one before, are mixed by multiplication to 128 bits and folded, as in
    /// wyhash (Wang Yi, 2019).
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: key.count)
        var tail: UInt64 = 0
        if key.count >= 8 {
            var offset = 0
            while offset + 8 < key.count {
                state = unsafe fold(state ^ word(key, offset), 0xA076_1D64_78BD_642F)
                offset += 8
            }
            tail = unsafe word(key, key.count - 8)
        } else {
            for index in key.indices { tail = unsafe tail << 8 | UInt64(key[index]) }
        }
        return fold(fold(state ^ tail, 0xE703_7ED1_A0B4_28DB), 0x8EBC_6AF0_9C88_C6E3)
    }

    private static func word(_ key: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
