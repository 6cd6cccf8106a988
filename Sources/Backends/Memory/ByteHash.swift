/// A seeded 64-bit hash of bytes for the tables of this process; its values are never stored.
///
/// Folded 64 × 64 → 128-bit multiplication over 16 bytes a step, after Wang Yi's wyhash.
struct ByteHash: Sendable {
    /// What makes this table's hashes differ from another's, so that chosen keys cannot be made to collide.
    let seed: UInt64

    /// Bits of the hash that are kept; all of them except in tests, which force collisions.
    let mask: UInt64

    /// Makes a hash with a seed of its own.
    init() { self.init(seed: .random(in: .min ... .max)) }

    /// Makes a hash with a known seed; `mask` leaves out bits, down to none.
    init(seed: UInt64, mask: UInt64 = .max) {
        self.seed = seed
        self.mask = mask
    }

    /// The hash of `bytes`.
    @inline(__always)
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        guard count > 0, let base = bytes.baseAddress else { return Self.fold(seed, Self.primes.0) & mask }
        var state = seed ^ Self.primes.0
        var a: UInt64
        var b: UInt64
        if count >= 8 {
            var offset = 0
            while count - offset > 16 {
                state = unsafe Self.fold(
                    Self.word(base, offset) ^ Self.primes.1, Self.word(base, offset + 8) ^ state)
                offset += 16
            }
            let first = count >= 16 ? count - 16 : 0
            a = unsafe Self.word(base, first)
            b = unsafe Self.word(base, count - 8)
        } else if count >= 4 {
            a = unsafe UInt64(base.loadUnaligned(as: UInt32.self))
            b = unsafe UInt64(base.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        } else {
            a = unsafe UInt64(bytes[0]) << 16 | UInt64(bytes[count >> 1]) << 8 | UInt64(bytes[count - 1])
            b = 0
        }
        a ^= Self.primes.1
        b ^= state
        return Self.fold(Self.fold(a, b) ^ Self.primes.2, UInt64(truncatingIfNeeded: count) ^ Self.primes.3) & mask
    }

    @inline(__always)
    private static var primes: (UInt64, UInt64, UInt64, UInt64) {
        (0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3)
    }

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
