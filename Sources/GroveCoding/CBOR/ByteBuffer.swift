/// A growable run of raw bytes, to which records are written.
///
/// A buffer does not free its memory: the code that makes it calls ``deallocate()`` once. Growth is geometric, so that
/// appending is amortised O(1) per byte.
@safe
@usableFromInline
package struct ByteBuffer {
    /// The memory; only this file changes it and the two counts.
    @usableFromInline package var base: UnsafeMutableRawPointer
    @usableFromInline package var count = 0
    @usableFromInline var capacity: Int

    package init(capacity: Int) {
        let capacity = max(capacity, 16)
        unsafe base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        self.capacity = capacity
    }

    package func deallocate() { unsafe base.deallocate() }

    @inlinable
    package mutating func removeAll() { count = 0 }

    /// Forgets everything, and frees memory of more than `capacity` bytes.
    package mutating func removeAll(keeping capacity: Int) {
        count = 0
        guard self.capacity > capacity else { return }
        unsafe base.deallocate()
        self = ByteBuffer(capacity: capacity)
    }

    /// Forgets everything and returns room for `count` bytes that a C function fills; it is valid until the next call.
    package mutating func room(_ count: Int) -> UnsafeMutableRawPointer {
        removeAll()
        reserve(count)
        return unsafe base
    }

    /// The bytes of memory that it has.
    package var allocatedByteCount: Int { capacity }

    /// Forgets everything after the first `count` bytes.
    package mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count, "a buffer is truncated to a length that it has")
        self.count = count
    }

    @inlinable
    package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

    /// The bytes of `range`, which must lie inside the buffer.
    @inlinable
    package func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range of a buffer lies inside it")
        return unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// The `count` bytes from `start` on, which must lie inside the buffer.
    @inlinable
    package func bytes(at start: Int, count: Int) -> UnsafeRawBufferPointer {
        precondition(start >= 0 && count >= 0 && start <= self.count &- count, "a part of a buffer lies inside it")
        return unsafe UnsafeRawBufferPointer(start: base + start, count: count)
    }

    @inlinable
    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inlinable
    @inline(__always)
    package mutating func append(_ source: UnsafeRawBufferPointer) {
        guard let start = source.baseAddress else { return }
        reserve(source.count)
        unsafe (base + count).copyMemory(from: start, byteCount: source.count)
        count &+= source.count
    }

    /// Appends `source`; ``FieldTable/padding`` more bytes after its last one must be readable.
    @inline(__always)
    mutating func append(padded source: UnsafeRawBufferPointer) {
        guard let start = source.baseAddress else { return }
        guard source.count <= FieldTable.padding else { return unsafe appendLong(source) }
        unsafe appendShort(start, source.count)
    }

    /// Appends the first `count`, at most 16, of the sixteen bytes at `source`.
    @inline(__always)
    mutating func appendShort(_ source: UnsafeRawPointer, _ count: Int) {
        reserve(16)
        let words = unsafe source.loadUnaligned(as: (UInt64, UInt64).self)
        let end = unsafe base + self.count
        unsafe end.storeBytes(of: words.0, as: UInt64.self)
        unsafe end.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        self.count &+= count
    }

    /// Appends a long `source`; it is a function of its own, so that appending a short name saves no registers.
    @inline(never)
    private mutating func appendLong(_ source: UnsafeRawBufferPointer) { unsafe append(source) }

    /// Appends the `width` highest bytes of `word`, the highest first; at most eight.
    @inline(__always)
    mutating func append(highest width: Int, of word: UInt64) {
        reserve(8)
        unsafe base.storeBytes(of: word.bigEndian, toByteOffset: count, as: UInt64.self)
        count &+= width
    }

    /// Appends `value`, most significant byte first.
    @inlinable
    @inline(__always)
    package mutating func append<T: FixedWidthInteger>(bigEndian value: T) {
        let width = MemoryLayout<T>.size
        reserve(width)
        unsafe base.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
        count &+= width
    }

    /// Appends `value`, least significant byte first.
    @inlinable
    @inline(__always)
    package mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        let width = MemoryLayout<T>.size
        reserve(width)
        unsafe base.storeBytes(of: value.littleEndian, toByteOffset: count, as: T.self)
        count &+= width
    }

    /// Appends `number` in decimal.
    mutating func append(decimal number: UInt64) {
        let eightDigits: UInt64 = 100_000_000
        guard number >= eightDigits else { return appendDigits(number, least: 1) }
        append(decimal: number / eightDigits)
        appendDigits(number % eightDigits, least: 8)
    }

    /// Appends a number of at most eight digits, with zeros in front up to `least` digits.
    @inline(__always)
    private mutating func appendDigits(_ number: UInt64, least: Int) {
        var left = number
        var digits: UInt64 = 0
        var width = 0
        repeat {
            let rest = left / 10
            digits = digits << 8 | UInt64(UInt8(ascii: "0")) | (left &- rest &* 10)
            left = rest
            width &+= 1
        } while left > 0 || width < least
        reserve(8)
        // The last digit was shifted in first, so that it is the highest byte.
        unsafe base.storeBytes(of: digits.littleEndian, toByteOffset: count, as: UInt64.self)
        count &+= width
    }

    /// Overwrites the bytes at `offset` with `value`, least significant byte first.
    @inlinable
    package mutating func replace<T: FixedWidthInteger>(at offset: Int, littleEndian value: T) {
        precondition(offset >= 0 && offset + MemoryLayout<T>.size <= count, "what is replaced lies inside the buffer")
        unsafe base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    /// Makes room for `extra` bytes, a number that is not negative; `count` is never above `capacity`.
    @inlinable
    @inline(__always)
    mutating func reserve(_ extra: Int) {
        if capacity &- count < extra { grow(extra) }
    }

    @usableFromInline
    @inline(never)
    mutating func grow(_ extra: Int) {
        let wanted = max(capacity * 2, count + extra)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 8)
        unsafe larger.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe base = unsafe larger
        capacity = wanted
    }
}
