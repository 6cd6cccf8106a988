/// The major types of CBOR (RFC 8949 §3.1), each in the top three bits of an initial byte.
package enum CBORMajor {
    package static let unsigned: UInt8 = 0 << 5
    package static let negative: UInt8 = 1 << 5
    package static let bytes: UInt8 = 2 << 5
    package static let text: UInt8 = 3 << 5
    package static let array: UInt8 = 4 << 5
    package static let map: UInt8 = 5 << 5
    package static let tag: UInt8 = 6 << 5
    package static let simple: UInt8 = 7 << 5
}

/// Deterministic CBOR (RFC 8949 §4.2.1): shortest heads, definite lengths, shortest floats that keep every bit.
extension ByteBuffer {
    /// Appends an initial byte of `major` with `argument` in its shortest form.
    @inline(__always)
    package mutating func appendHead(_ major: UInt8, _ argument: UInt64) {
        if argument < 24 {
            append(major | UInt8(truncatingIfNeeded: argument))
        } else {
            appendLongHead(major, argument)
        }
    }

    @inline(never)
    private mutating func appendLongHead(_ major: UInt8, _ argument: UInt64) {
        let first = UInt64(major) << 56
        if argument <= 0xFF {
            append(highest: 2, of: first | 24 << 56 | argument << 48)
        } else if argument <= 0xFFFF {
            append(highest: 3, of: first | 25 << 56 | argument << 40)
        } else if argument <= 0xFFFF_FFFF {
            append(highest: 5, of: first | 26 << 56 | argument << 24)
        } else {
            append(major | 27)
            append(bigEndian: argument)
        }
    }

    /// Appends the tag of a reference.
    @inline(__always)
    mutating func appendReferenceTag() {
        append(highest: 3, of: UInt64(CBORMajor.tag | 25) << 56 | CBORTag.reference << 40)
    }

    package mutating func appendInteger(_ value: Int64) {
        if value >= 0 {
            appendHead(CBORMajor.unsigned, UInt64(value))
        } else {
            appendHead(CBORMajor.negative, UInt64(bitPattern: ~value))
        }
    }

    @inline(__always)
    package mutating func appendText(_ string: String) {
        let written: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { utf8 in
            appendHead(CBORMajor.text, UInt64(utf8.count))
            unsafe append(UnsafeRawBufferPointer(utf8))
        }
        guard written == nil else { return }
        var copy = string
        copy.withUTF8 { utf8 in
            appendHead(CBORMajor.text, UInt64(utf8.count))
            unsafe append(UnsafeRawBufferPointer(utf8))
        }
    }

    /// Appends `value` in the shortest of the three widths that keeps all of its bits, NaN payloads included.
    package mutating func appendFloat(_ value: Double) {
        guard let single = CBORFloat.single(value.bitPattern) else {
            append(CBORMajor.simple | 27)
            append(bigEndian: value.bitPattern)
            return
        }
        appendFloat(singleBits: single)
    }

    /// Appends the single-precision float of `bits`, as half precision if that keeps all of them.
    package mutating func appendFloat(singleBits bits: UInt32) {
        if let half = CBORFloat.half(bits) {
            append(CBORMajor.simple | 25)
            append(bigEndian: half)
        } else {
            append(CBORMajor.simple | 26)
            append(bigEndian: bits)
        }
    }
}
