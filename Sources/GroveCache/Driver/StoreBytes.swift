import GroveCoding

/// Comparisons of the bytes of keys for backends, beside `isEqual` and `lexicographicOrder`.
extension UnsafeRawBufferPointer {
    /// Whether these bytes begin with `prefix`.
    @inline(__always)
    package func begins(with prefix: UnsafeRawBufferPointer) -> Bool {
        unsafe count >= prefix.count && isEqual(UnsafeRawBufferPointer(rebasing: self[..<prefix.count]), prefix)
    }

    /// Whether these bytes and `other` have any in common in memory.
    func overlaps(_ other: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let otherStart = other.baseAddress, unsafe !isEmpty, unsafe !other.isEmpty else {
            return false
        }
        return unsafe start < otherStart + other.count && otherStart < start + count
    }
}
