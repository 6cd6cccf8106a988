package import GroveCoding
package import GroveModel

/// An integer outside 64 bits: kept and printed, never computed with.
package struct BigInteger: Sendable, Equatable, Codable {
    let isNegative: Bool
    /// The magnitude, most significant byte first, without leading zeros.
    let magnitude: [UInt8]

    /// The most decimal digits that a number may have; converting them takes time quadratic in their number.
    static let maxDigits = 4_300

    /// Reads decimal `digits`, which are ASCII digits.
    init(isNegative: Bool, digits: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        for digit in digits {
            var carry = Int(digit) - 0x30
            for index in bytes.indices {
                carry += Int(bytes[index]) * 10
                bytes[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            if carry > 0 { bytes.append(UInt8(truncatingIfNeeded: carry)) }
        }
        self.isNegative = isNegative
        magnitude = bytes.reversed()
    }

    init(isNegative: Bool, magnitude: some Sequence<UInt8>) {
        self.isNegative = isNegative
        self.magnitude = Array(magnitude.drop { $0 == 0 })
    }

    /// The number as a CBOR big number holds it: a negative *n* as −1 − *n* (RFC 8949 §3.4.3).
    var encoded: [UInt8] {
        guard isNegative else { return magnitude }
        var bytes = magnitude
        for index in bytes.indices.reversed() {
            bytes[index] &-= 1
            if bytes[index] != 0xFF { break }
        }
        return Array(bytes.drop { $0 == 0 })
    }

    /// The number that a CBOR big number holds.
    init(isNegative: Bool, encoded: [UInt8]) {
        var bytes = encoded
        if isNegative {
            bytes.insert(0, at: 0)
            for index in bytes.indices.reversed() {
                bytes[index] &+= 1
                if bytes[index] != 0 { break }
            }
        }
        self.init(isNegative: isNegative, magnitude: bytes)
    }
}

/// A leaf of a record, of which `Codable` values hold nothing but this.
extension BigInteger: NodeCodable {
    package func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeTag(isNegative ? CBORTag.negativeBignum : CBORTag.unsignedBignum)
        unsafe encoded.withUnsafeBytes { unsafe encoder.write($0) }
    }

    package static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> BigInteger {
        let tag = try decoder.readTag()
        guard tag == CBORTag.unsignedBignum || tag == CBORTag.negativeBignum else { throw .otherShape }
        let bytes = try unsafe decoder.readBytes { unsafe Array($0) }
        return BigInteger(isNegative: tag == CBORTag.negativeBignum, encoded: bytes)
    }
}

extension BigInteger: CustomStringConvertible {
    package var description: String {
        var digits: [UInt8] = []
        var rest = magnitude
        while !rest.isEmpty {
            var remainder = 0
            for index in rest.indices {
                remainder = remainder << 8 | Int(rest[index])
                rest[index] = UInt8(remainder / 10)
                remainder %= 10
            }
            digits.append(UInt8(0x30 + remainder))
            rest = Array(rest.drop { $0 == 0 })
        }
        let text = String(decoding: digits.reversed(), as: UTF8.self)
        return isNegative ? "-\(text)" : text.isEmpty ? "0" : text
    }
}
