import GroveCoding
import GroveCache
import GroveModel

/// The bytes of a key as symbols: two for each byte, the higher half first, and then an end.
///
/// The end sorts before every half byte, so the order of symbols is the order of bytes.
// SAFETY: the bytes belong to the caller or to a `TreeNode`, and outlive the call that this value is passed to.
@safe struct KeyBytes {
    let bytes: UnsafeRawBufferPointer

    /// The number of different symbols: the end and the half bytes.
    static let symbols = 17

    /// The number of symbols before the end.
    var symbolCount: Int { unsafe bytes.count &* 2 }

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

    /// The symbol at `position`: 0 from the end on, or 1 to 16 for the half byte there.
    @inline(__always)
    func symbol(at position: Int) -> Int {
        let index = position &>> 1
        guard unsafe index < bytes.count else { return 0 }
        let byte = unsafe Int(bytes[index])
        return 1 &+ (position & 1 == 0 ? byte &>> 4 : byte & 15)
    }

    /// The position of the first symbol in which this key and `other` differ, or `nil` if they are equal.
    func firstDifference(from other: KeyBytes) -> Int? {
        if self == other { return nil }
        let shared = unsafe min(bytes.count, other.bytes.count)
        var index = 0
        // Eight bytes at a time are compared while they are equal.
        while index + 8 <= shared, word(at: index) == other.word(at: index) { index += 8 }
        while index < shared, unsafe bytes[index] == other.bytes[index] { index += 1 }
        return symbol(at: index * 2) == other.symbol(at: index * 2) ? index * 2 + 1 : index * 2
    }

    private func word(at index: Int) -> UInt64 { unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) }

    /// Whether this key begins with `prefix`.
    func begins(with prefix: KeyBytes) -> Bool { unsafe bytes.begins(with: prefix.bytes) }

    @inline(__always)
    static func == (left: KeyBytes, right: KeyBytes) -> Bool { unsafe isEqual(left.bytes, right.bytes) }
}
