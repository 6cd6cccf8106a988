/// A 64-bit hash of bytes: the checksum of records and the key of the tables that look them up.
///
/// The construction is the multiply-and-fold of Wang Yi's wyhash (2019): two words at a time, each xored with a secret,
/// are multiplied to 128 bits, and the halves are folded by xor. It is not cryptographic: it detects damage, not
/// malice.
///
/// - Complexity: O(*n*) for *n* bytes, two independent lanes of 16.
@inlinable
@inline(__always)
package func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    guard let base = bytes.baseAddress else { return hash64OfNothing(seed: seed) }
    return unsafe hash64(base, bytes.count, seed: seed)
}

@usableFromInline
package func hash64OfNothing(seed: UInt64) -> UInt64 { fold(Secret.b, fold(Secret.b, seed ^ Secret.a)) }

@usableFromInline
package func hash64(_ base: UnsafeRawPointer, _ count: Int, seed: UInt64) -> UInt64 {
    var state = seed ^ Secret.a
    let first: UInt64
    let last: UInt64
    if count <= 16 {
        if count >= 4 {
            let middle = (count >> 3) << 2
            first = unsafe word32(base) << 32 | word32(base + middle)
            last = unsafe word32(base + (count - 4)) << 32 | word32(base + (count - 4 - middle))
        } else if count > 0 {
            first =
                unsafe UInt64(base.load(as: UInt8.self)) << 16
                | UInt64(base.load(fromByteOffset: count >> 1, as: UInt8.self)) << 8
                | UInt64(base.load(fromByteOffset: count - 1, as: UInt8.self))
            last = 0
        } else {
            first = 0
            last = 0
        }
    } else {
        var cursor = unsafe base
        var left = count
        if left > 32 {
            var other = state ^ Secret.c
            repeat {
                state = unsafe fold(word64(cursor) ^ Secret.b, word64(cursor + 8) ^ state)
                other = unsafe fold(word64(cursor + 16) ^ Secret.c, word64(cursor + 24) ^ other)
                unsafe cursor += 32
                left -= 32
            } while left > 32
            state ^= other
        }
        if left > 16 {
            state = unsafe fold(word64(cursor) ^ Secret.b, word64(cursor + 8) ^ state)
            unsafe cursor += 16
            left -= 16
        }
        first = unsafe word64(cursor + (left - 16))
        last = unsafe word64(cursor + (left - 8))
    }
    return fold(Secret.b ^ UInt64(count), fold(first ^ Secret.b, last ^ state))
}

/// Fixed odd constants: the fractional parts of the square roots of 2, 3 and 5.
private enum Secret {
    static let a: UInt64 = 0x6A09_E667_F3BC_C909
    static let b: UInt64 = 0xBB67_AE85_84CA_A73B
    static let c: UInt64 = 0x3C6E_F372_FE94_F82B
}

@inline(__always)
private func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
}

@inline(__always)
private func word64(_ pointer: UnsafeRawPointer) -> UInt64 {
    unsafe UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
}

@inline(__always)
private func word32(_ pointer: UnsafeRawPointer) -> UInt64 {
    unsafe UInt64(UInt32(littleEndian: pointer.loadUnaligned(as: UInt32.self)))
}
