import Synchronization

/// Which hashes may be among those of many keys: a bit for each (Bloom, *Space/Time Trade-offs in Hash Coding*, 1970, with one
/// hash).
///
/// Bits are set and never cleared. So every snapshot of the keys may share it: it says of a hash that was added that it may be there,
/// and of few others, as long as there are fewer than some ten thousand.
@safe
// SAFETY: the words are allocated once, until `deinit`, and are read and written atomically.
final class KeyFilter: @unchecked Sendable {
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// The number of bits, as a power of two: they take 16 KB, half of what a core has at hand.
    private static let logarithm: UInt64 = 17
    private static let byteCount = 1 << (logarithm - 3)

    init() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: KeyFilter.byteCount, alignment: 64)
        let count = KeyFilter.byteCount / 8
        unsafe words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
        for word in 0..<count { unsafe (words + word).initialize(to: Atomic(0)) }
    }

    deinit { unsafe UnsafeMutableRawPointer(words).deallocate() }

    /// Adds `hash`; one thread at a time does.
    func insert(_ hash: UInt64) {
        let (word, bit) = KeyFilter.place(hash)
        unsafe words[word].store(words[word].load(ordering: .relaxed) | bit, ordering: .relaxed)
    }

    /// Whether `hash` may have been added.
    @inline(__always)
    func mayHold(_ hash: UInt64) -> Bool {
        let (word, bit) = KeyFilter.place(hash)
        return unsafe words[word].load(ordering: .relaxed) & bit != 0
    }

    /// The word and the bit of `hash`, by the upper bits of it.
    @inline(__always)
    private static func place(_ hash: UInt64) -> (word: Int, bit: UInt64) {
        let place = hash >> (64 - logarithm)
        return (Int(truncatingIfNeeded: place >> 6), 1 << (place & 63))
    }
}
