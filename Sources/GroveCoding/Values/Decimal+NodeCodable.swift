#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import GroveModel

/// A decimal is stored as a decimal fraction under the standard tag: an exponent of ten and a mantissa.
///
/// The mantissa has no trailing zeros, and zero is [0, 0], so that equal decimals have one encoding.
extension Decimal: NodeCodable {
    /// Writes the decimal.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        guard !isNaN, let parts = DecimalParts(description) else {
            throw CacheError(
                .unencodable,
                "A decimal that is not a number (NaN) cannot be stored; make the field optional, or store 0.")
        }
        encoder.writeTag(CBORTag.decimalFraction)
        encoder.writeArrayHead(count: 2)
        encoder.write(Int64(parts.exponent))
        // A negative n is held as -1 - n, in bignums as in integers.
        let held = parts.isNegative ? parts.magnitude - 1 : parts.magnitude
        if let short = UInt64(exactly: held) {
            encoder.out.appendHead(parts.isNegative ? CBORMajor.negative : CBORMajor.unsigned, short)
        } else {
            encoder.writeTag(parts.isNegative ? CBORTag.negativeBignum : CBORTag.unsignedBignum)
            let count = (128 - held.leadingZeroBitCount + 7) / 8
            unsafe withUnsafeBytes(of: held.bigEndian) { bytes in
                unsafe encoder.write(UnsafeRawBufferPointer(rebasing: bytes[(16 - count)...]))
            }
        }
    }

    /// Reads a decimal, or fails with `otherShape`.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Decimal {
        guard try decoder.readTag() == CBORTag.decimalFraction, try decoder.readArrayHead() == 2 else {
            throw .otherShape
        }
        let exponent = Int(try decoder.readInteger(Int16.self))
        let (isNegative, held) = try mantissa(&decoder)
        let (magnitude, overflow) = held.addingReportingOverflow(isNegative ? 1 : 0)
        guard !overflow,
            let value = DecimalParts(isNegative: isNegative, magnitude: magnitude, exponent: exponent).decimal
        else { throw .otherShape }
        return value
    }

    private static func mantissa(
        _ decoder: inout NodeDecoder
    ) throws(NodeReadFailure) -> (isNegative: Bool, held: UInt128) {
        guard let tag = try decoder.readTag() else {
            let (isNegative, held) = try decoder.readIntegerParts()
            return (isNegative, UInt128(held))
        }
        guard tag == CBORTag.unsignedBignum || tag == CBORTag.negativeBignum else { throw .otherShape }
        let held: UInt128? = unsafe try decoder.readBytes { bytes in
            guard bytes.count <= 16 else { return nil }
            return unsafe bytes.reduce(0) { $0 << 8 | UInt128($1) }
        }
        guard let held else { throw .otherShape }
        return (tag == CBORTag.negativeBignum, held)
    }
}

/// The parts of a decimal number: ± `magnitude` × 10^`exponent`.
struct DecimalParts {
    var isNegative: Bool
    var magnitude: UInt128
    var exponent: Int

    init(isNegative: Bool, magnitude: UInt128, exponent: Int) {
        self.isNegative = isNegative
        self.magnitude = magnitude
        self.exponent = exponent
    }

    /// Reads the printed form of a decimal, digits with at most one point, and drops trailing zeros.
    init?(_ text: String) {
        isNegative = text.utf8.first == UInt8(ascii: "-")
        magnitude = 0
        exponent = 0
        var zeros = 0
        var isFraction = false
        for byte in text.utf8.dropFirst(isNegative ? 1 : 0) {
            switch byte {
            case UInt8(ascii: ".") where !isFraction:
                isFraction = true
                continue
            case UInt8(ascii: "0"): zeros += 1
            case UInt8(ascii: "1")...UInt8(ascii: "9"):
                for _ in 0...(magnitude == 0 ? 0 : zeros) {
                    let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
                    guard !overflow else { return nil }
                    magnitude = product
                }
                let (sum, overflow) = magnitude.addingReportingOverflow(UInt128(byte - UInt8(ascii: "0")))
                guard !overflow else { return nil }
                magnitude = sum
                zeros = 0
            default: return nil
            }
            if isFraction { exponent -= 1 }
        }
        guard magnitude != 0 else {
            isNegative = false
            exponent = 0
            return
        }
        exponent += zeros
    }

    /// The number as `Decimal` holds it, or `nil` if it cannot.
    var decimal: Decimal? {
        guard magnitude != 0 else { return exponent == 0 && !isNegative ? 0 : nil }
        // If the dropped zeros brought the exponent past the type's range, the mantissa gets them back.
        var (magnitude, exponent) = (magnitude, exponent)
        while exponent > Int(Int8.max) {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            (magnitude, exponent) = (product, exponent - 1)
        }
        guard exponent >= Int(Int8.min) else { return nil }
        let word = Decimal(UInt64.max) + 1
        let high = Decimal(UInt64(truncatingIfNeeded: magnitude >> 64))
        let low = Decimal(UInt64(truncatingIfNeeded: magnitude))
        let value = Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent, significand: high * word + low)
        return value.isNaN ? nil : value
    }
}
