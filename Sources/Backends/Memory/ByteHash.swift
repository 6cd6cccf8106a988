import GroveCoding

/// A seeded 64-bit hash of bytes for the tables of this process; its values are never stored.
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
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 { unsafe hash64(bytes, seed: seed) & mask }
}
