import GroveCoding
package import GroveModel

/// Comparisons of the bytes of keys for backends, beside `isEqual` and `lexicographicOrder`.
extension UnsafeRawBufferPointer {
    /// Whether these bytes begin with `prefix`.
    @inline(__always)
    package func begins(with prefix: UnsafeRawBufferPointer) -> Bool {
        unsafe count >= prefix.count && isEqual(UnsafeRawBufferPointer(rebasing: self[..<prefix.count]), prefix)
    }

    /// Whether these bytes and `other` have any in common in memory.
    package func overlaps(_ other: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let otherStart = other.baseAddress, unsafe !isEmpty, unsafe !other.isEmpty else {
            return false
        }
        return unsafe start < otherStart + other.count && otherStart < start + count
    }
}

/// Calls `body` with copies of `key` and `value`, for an engine that may free the bytes they point to.
package func withCopies(
    of key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void
) throws(CacheError) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count + value.count, alignment: 1)
    defer { unsafe copy.deallocate() }
    unsafe UnsafeMutableRawBufferPointer(rebasing: copy[..<key.count]).copyMemory(from: key)
    unsafe UnsafeMutableRawBufferPointer(rebasing: copy[key.count...]).copyMemory(from: value)
    try unsafe body(
        UnsafeRawBufferPointer(rebasing: copy[..<key.count]), UnsafeRawBufferPointer(rebasing: copy[key.count...]))
}
