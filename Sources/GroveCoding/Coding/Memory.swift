import GrovePlatform

/// The C library's `memcmp`.
@usableFromInline
package func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe Int(memcmp(left, right, count))
}

/// Whether two runs of bytes are the same.
@inlinable
@inline(__always)
package func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.count == 0 }
    return unsafe compare(first, second, left.count) == 0
}

/// The order of two runs of bytes as unsigned numbers, a prefix before longer runs: negative, zero or positive.
package func lexicographicOrder(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let first = left.baseAddress, let second = right.baseAddress {
        let order = unsafe compare(first, second, shared)
        if order != 0 { return order }
    }
    return left.count - right.count
}
