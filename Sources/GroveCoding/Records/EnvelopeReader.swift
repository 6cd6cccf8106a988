public import GroveModel

/// Reads the parts of an envelope one after the other.
///
/// A number takes seven bits of each byte, the low ones first. Every byte but the last has its top bit set, and the
/// last is 0 only if it is the only one. So each number has one form.
@safe @usableFromInline
package struct EnvelopeReader {
    @usableFromInline package internal(set) var cursor: UnsafeRawPointer
    @usableFromInline package let end: UnsafeRawPointer

    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no base; an address that is never read stands in for it.
        unsafe cursor = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 16).unsafelyUnwrapped
        unsafe end = unsafe cursor + bytes.count
    }

    @inlinable
    package init(from cursor: UnsafeRawPointer, to end: UnsafeRawPointer) {
        unsafe self.cursor = unsafe cursor
        unsafe self.end = unsafe end
    }

    @inlinable
    package var isAtEnd: Bool { unsafe cursor == end }

    /// The bytes that are left.
    @inlinable
    package var rest: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: cursor, count: end - cursor) }

    @inlinable
    package mutating func byte() throws(RecordHeader.Failure) -> UInt8 {
        guard unsafe cursor < end else { throw .corrupted }
        defer { unsafe cursor += 1 }
        return unsafe cursor.load(as: UInt8.self)
    }

    @inlinable
    package mutating func bytes(_ count: UInt64) throws(RecordHeader.Failure) -> UnsafeRawBufferPointer {
        guard unsafe count <= UInt64(end - cursor) else { throw .corrupted }
        defer { unsafe cursor += Int(count) }
        return unsafe UnsafeRawBufferPointer(start: cursor, count: Int(count))
    }

    /// A time: four bytes, the lowest first.
    @inlinable
    package mutating func time() throws(RecordHeader.Failure) -> UInt32 {
        guard unsafe end - cursor >= 4 else { throw .corrupted }
        defer { unsafe cursor += 4 }
        return unsafe UInt32(littleEndian: cursor.loadUnaligned(as: UInt32.self))
    }

    /// Text of at most 255 bytes behind its length.
    @inlinable
    package mutating func shortText() throws(RecordHeader.Failure) -> UnsafeRawBufferPointer {
        try unsafe bytes(UInt64(byte()))
    }

    /// The number of a call.
    @inlinable @inline(__always)
    package mutating func number() throws(RecordHeader.Failure) -> CallNumber { CallNumber(rawValue: try integer()) }

    @inlinable @inline(__always)
    package mutating func integer() throws(RecordHeader.Failure) -> UInt64 {
        let first = try byte()
        return first < 0x80 ? UInt64(first) : try longNumber(UInt64(first & 0x7F))
    }

    @usableFromInline
    mutating func longNumber(_ low: UInt64) throws(RecordHeader.Failure) -> UInt64 {
        var (value, shift) = (low, UInt64(7))
        while true {
            let next = try byte()
            // The tenth byte has the one bit that is left of 64.
            guard shift < 63 || next <= 1 else { throw .corrupted }
            value |= UInt64(next & 0x7F) << shift
            guard next >= 0x80 else {
                guard next > 0 else { throw .corrupted }
                return value
            }
            shift += 7
        }
    }
}

extension EnvelopeReader {
    /// Hands `append` the bytes of `number` as ``integer()`` reads them, one after the other.
    @inlinable @inline(__always)
    package static func write(_ number: UInt64, _ append: (UInt8) -> Void) {
        var left = number
        while left >= 0x80 {
            append(UInt8(truncatingIfNeeded: left) | 0x80)
            left >>= 7
        }
        append(UInt8(truncatingIfNeeded: left))
    }
}

extension ByteBuffer {
    /// Appends `integer` as ``EnvelopeReader/integer()`` reads it.
    package mutating func append(integer: UInt64) { EnvelopeReader.write(integer) { append($0) } }

    /// Appends `number` as ``EnvelopeReader/number()`` reads it.
    package mutating func append(number: CallNumber) { append(integer: number.rawValue) }
}

extension [UInt8] {
    /// Appends `number` as ``EnvelopeReader/number()`` reads it.
    package mutating func append(number: CallNumber) { EnvelopeReader.write(number.rawValue) { append($0) } }
}
