/// Widening and exact narrowing of IEEE 754 floats by their bits.
///
/// They work on bit patterns and not by conversion: a conversion may quieten a NaN, and half precision is not a type on
/// every platform.
package enum CBORFloat {
    /// The single-precision bits of the double `bits`, or `nil` if narrowing would lose any.
    package static func single(_ bits: UInt64) -> UInt32? {
        let sign = UInt32(truncatingIfNeeded: bits >> 32) & 0x8000_0000
        let exponent = Int((bits >> 52) & 0x7FF)
        let fraction = bits & 0xF_FFFF_FFFF_FFFF
        if exponent == 0x7FF {
            guard fraction & 0x1FFF_FFFF == 0 else { return nil }
            return sign | 0x7F80_0000 | UInt32(fraction >> 29)
        }
        if exponent == 0 { return fraction == 0 ? sign : nil }
        let unbiased = exponent - 1023
        if unbiased > 127 { return nil }
        if unbiased >= -126 {
            guard fraction & 0x1FFF_FFFF == 0 else { return nil }
            return sign | UInt32(unbiased + 127) << 23 | UInt32(fraction >> 29)
        }
        // A subnormal single: the implicit one joins the fraction, shifted right.
        let shift = 29 + (-126 - unbiased)
        guard shift <= 52 else { return nil }
        let significand = fraction | 1 << 52
        guard significand & ((1 << UInt64(shift)) - 1) == 0 else { return nil }
        return sign | UInt32(significand >> UInt64(shift))
    }

    /// The half-precision bits of the single `bits`, or `nil` if narrowing would lose any.
    package static func half(_ bits: UInt32) -> UInt16? {
        let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
        let exponent = Int((bits >> 23) & 0xFF)
        let fraction = bits & 0x7F_FFFF
        if exponent == 0xFF {
            guard fraction & 0x1FFF == 0 else { return nil }
            return sign | 0x7C00 | UInt16(fraction >> 13)
        }
        if exponent == 0 { return fraction == 0 ? sign : nil }
        let unbiased = exponent - 127
        if unbiased > 15 { return nil }
        if unbiased >= -14 {
            guard fraction & 0x1FFF == 0 else { return nil }
            return sign | UInt16(unbiased + 15) << 10 | UInt16(fraction >> 13)
        }
        let shift = 13 + (-14 - unbiased)
        guard shift <= 23 else { return nil }
        let significand = fraction | 1 << 23
        guard significand & ((1 << UInt32(shift)) - 1) == 0 else { return nil }
        return sign | UInt16(significand >> UInt32(shift))
    }

    /// The double of the single-precision `bits`, exactly.
    package static func double(single bits: UInt32) -> UInt64 {
        let sign = UInt64(bits & 0x8000_0000) << 32
        let exponent = UInt64((bits >> 23) & 0xFF)
        let fraction = UInt64(bits & 0x7F_FFFF)
        if exponent == 0xFF { return sign | 0x7FF0_0000_0000_0000 | fraction << 29 }
        if exponent != 0 { return sign | (exponent + 896) << 52 | fraction << 29 }
        if fraction == 0 { return sign }
        let shift = UInt64(fraction.leadingZeroBitCount) - 40
        return sign | (897 - shift) << 52 | (fraction << (29 + shift)) & 0xF_FFFF_FFFF_FFFF
    }

    /// The single of the half-precision `bits`, exactly.
    package static func single(half bits: UInt16) -> UInt32 {
        let sign = UInt32(bits & 0x8000) << 16
        let exponent = UInt32((bits >> 10) & 0x1F)
        let fraction = UInt32(bits & 0x3FF)
        if exponent == 0x1F { return sign | 0x7F80_0000 | fraction << 13 }
        if exponent != 0 { return sign | (exponent + 112) << 23 | fraction << 13 }
        if fraction == 0 { return sign }
        let shift = UInt32(fraction.leadingZeroBitCount) - 21
        return sign | (113 - shift) << 23 | (fraction << (13 + shift)) & 0x7F_FFFF
    }
}
