#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import GroveCoding
import GroveModel
import TestSupport
import Testing

@Suite("Deterministic CBOR") struct CBORTests {
    private func encoding(_ value: some NodeCodable) throws -> String { hex(try Encoded(value).bytes) }

    @Test("What Appendix A of RFC 8949 shows and a model can hold has its bytes") func appendixA() throws {
        let unsigned: [UInt64: String] = [
            0: "00", 1: "01", 10: "0a", 23: "17", 24: "1818", 25: "1819", 100: "1864", 1000: "1903e8",
            1_000_000: "1a000f4240", 1_000_000_000_000: "1b000000e8d4a51000", .max: "1bffffffffffffffff",
        ]
        for (value, expected) in unsigned { #expect(try encoding(value) == expected) }
        let signed: [Int: String] = [-1: "20", -10: "29", -100: "3863", -1000: "3903e7"]
        for (value, expected) in signed { #expect(try encoding(value) == expected) }
        let doubles: [(Double, String)] = [
            (0.0, "f90000"), (-0.0, "f98000"), (1, "f93c00"), (1.1, "fb3ff199999999999a"), (1.5, "f93e00"),
            (65504, "f97bff"), (100_000, "fa47c35000"), (3.4028234663852886e+38, "fa7f7fffff"),
            (1.0e+300, "fb7e37e43c8800759c"), (5.960464477539063e-8, "f90001"), (0.00006103515625, "f90400"),
            (-4, "f9c400"), (-4.1, "fbc010666666666666"), (.infinity, "f97c00"), (.nan, "f97e00"),
            (-.infinity, "f9fc00"),
        ]
        for (value, expected) in doubles { #expect(try encoding(value) == expected) }
        #expect(try encoding(false) == "f4")
        #expect(try encoding(true) == "f5")
        #expect(try encoding(Int?.none) == "f6")
        #expect(try encoding(Date(timeIntervalSince1970: 1_363_896_240)) == "c11a514b67b0")
        #expect(try encoding(Date(timeIntervalSince1970: 1_363_896_240.5)) == "c1fb41d452d9ec200000")
        let url = try #require(URL(string: "http://www.example.com"))
        #expect(try encoding(url) == "d82076687474703a2f2f7777772e6578616d706c652e636f6d")
        #expect(try encoding(Data()) == "40")
        #expect(try encoding(Data([1, 2, 3, 4])) == "4401020304")
        let texts = [
            "": "60", "a": "6161", "IETF": "6449455446", "\"\\": "62225c", "\u{fc}": "62c3bc", "\u{6c34}": "63e6b0b4",
            "\u{10151}": "64f0908591",
        ]
        for (value, expected) in texts { #expect(try encoding(value) == expected) }
        #expect(try encoding([Int]()) == "80")
        #expect(try encoding([1, 2, 3]) == "83010203")
        #expect(try encoding(Array(1...25)) == "98190102030405060708090a0b0c0d0e0f101112131415161718181819")
        #expect(try encoding([[1], [2, 3], [4, 5]]) == "838101820203820405")
        #expect(try encoding([Int: Int]()) == "a0")
        #expect(try encoding([1: 2, 3: 4]) == "a201020304")
        #expect(
            try encoding(["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"])
                == "a56161614161626142616361436164614461656145")
        // Deterministic encoding takes the shortest of an example's widths.
        #expect(try encoding(Decimal(string: "18446744073709551616")) == "c48200c249010000000000000000")
        #expect(try encoding(Decimal(string: "-18446744073709551616")) == "c482003bffffffffffffffff")
        #expect(try encoding(Decimal(string: "-18446744073709551617")) == "c48200c349010000000000000000")
    }

    /// Values of Appendix A whose types are known by looking at them alone.
    indirect enum Plain: NodeCodable, Hashable {
        case number(Int)
        case text(String)
        case list([Plain])
        case map([Plain: Plain])

        func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
            switch self {
            case .number(let value): try value.encodeValue(to: &encoder)
            case .text(let value): try value.encodeValue(to: &encoder)
            case .list(let value): try value.encodeValue(to: &encoder)
            case .map(let value): try value.encodeValue(to: &encoder)
            }
        }

        static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Plain {
            if let number = attempt(Int.self, &decoder) { return .number(number) }
            if let text = attempt(String.self, &decoder) { return .text(text) }
            if let list = attempt([Plain].self, &decoder) { return .list(list) }
            return .map(try [Plain: Plain].decodeValue(from: &decoder))
        }

        private static func attempt<Value: NodeCodable>(_ type: Value.Type, _ decoder: inout NodeDecoder) -> Value? {
            var copy = decoder
            guard let value = try? type.decodeValue(from: &copy) else { return nil }
            decoder = copy
            return value
        }
    }

    @Test("Each example of Appendix A reads as the value that it shows, or is no value of a model")
    func appendixAValues() throws {
        var seen: Set<String> = []
        // Whatever is read is written as the example has it, but for floats that are wider than they need be.
        func reads<Value: NodeCodable & Equatable>(
            _ text: String, _ value: Value, _ line: SourceLocation = #_sourceLocation
        ) throws {
            seen.insert(text)
            #expect(try decode(Value.self, bytes(text)) == value, sourceLocation: line)
            #expect(try encoding(value) == text, sourceLocation: line)
        }
        func reads(_ text: String, bits value: Double, isPreferred: Bool = true) throws {
            seen.insert(text)
            #expect(try decode(Double.self, bytes(text)).bitPattern == value.bitPattern, "\(text)")
            #expect(try (encoding(value) == text) == isPreferred, "\(text)")
        }
        func refuses(_ text: String, _ types: [any NodeCodable.Type]) {
            seen.insert(text)
            for type in types {
                #expect(failure { try decode(type, bytes(text)) } == "otherShape", "\(text) as \(type)")
            }
        }
        let unsigned: [(String, UInt64)] = [
            ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100), ("1903e8", 1000),
            ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000), ("1bffffffffffffffff", .max),
        ]
        for (text, value) in unsigned { try reads(text, value) }
        for (text, value) in [("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000)] { try reads(text, value) }
        let doubles: [(String, Double)] = [
            ("f90000", 0), ("f98000", -0.0), ("f93c00", 1), ("fb3ff199999999999a", 1.1), ("f93e00", 1.5),
            ("f97bff", 65504), ("fa47c35000", 100_000), ("fa7f7fffff", 3.4028234663852886e+38),
            ("fb7e37e43c8800759c", 1.0e+300), ("f90001", 5.960464477539063e-8), ("f90400", 0.00006103515625),
            ("f9c400", -4), ("fbc010666666666666", -4.1), ("f97c00", .infinity), ("f97e00", .nan),
            ("f9fc00", -.infinity),
        ]
        for (text, value) in doubles { try reads(text, bits: value) }
        let wide: [(String, Double)] = [
            ("fa7f800000", .infinity), ("fa7fc00000", .nan), ("faff800000", -.infinity),
            ("fb7ff0000000000000", .infinity), ("fb7ff8000000000000", .nan), ("fbfff0000000000000", -.infinity),
        ]
        for (text, value) in wide { try reads(text, bits: value, isPreferred: false) }
        try reads("f4", false)
        try reads("f5", true)
        try reads("f6", Int?.none)
        try reads("c11a514b67b0", Date(timeIntervalSince1970: 1_363_896_240))
        try reads("c1fb41d452d9ec200000", Date(timeIntervalSince1970: 1_363_896_240.5))
        try reads(
            "d82076687474703a2f2f7777772e6578616d706c652e636f6d", try #require(URL(string: "http://www.example.com")))
        try reads("40", Data())
        try reads("4401020304", Data([1, 2, 3, 4]))
        let texts = [
            ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"), ("62c3bc", "\u{fc}"),
            ("63e6b0b4", "\u{6c34}"), ("64f0908591", "\u{10151}"),
        ]
        for (text, value) in texts { try reads(text, value) }
        try reads("80", [Int]())
        try reads("83010203", [1, 2, 3])
        try reads("98190102030405060708090a0b0c0d0e0f101112131415161718181819", Array(1...25))
        try reads("a0", [Int: Int]())
        try reads("a201020304", [1: 2, 3: 4])
        try reads("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"])
        try reads(
            "8301820203820405",
            Plain.list([.number(1), .list([.number(2), .number(3)]), .list([.number(4), .number(5)])]))
        try reads(
            "a26161016162820203",
            Plain.map([.text("a"): .number(1), .text("b"): .list([.number(2), .number(3)])]))
        try reads("826161a161626163", Plain.list([.text("a"), .map([.text("b"): .text("c")])]))

        // Past 64 bits, numbers are mantissas of decimals alone.
        for text in ["c249010000000000000000", "c349010000000000000000"] {
            refuses(text, [UInt64.self, Int64.self, Double.self, Decimal.self, Data.self])
        }
        refuses("3bffffffffffffffff", [UInt64.self, Int64.self, Double.self])
        for text in ["f7", "f0", "f8ff"] { refuses(text, [Bool.self, Int?.self, Double.self, String.self]) }
        refuses("c074323031332d30332d32315432303a30343a30305a", [Date.self, String.self, URL.self])
        for text in ["d74401020304", "d818456449455446"] { refuses(text, [Data.self, String.self, UUID.self]) }
        #expect(seen == Set(AppendixA.definite.map(\.hex)))
    }

    private func skip(_ bytes: [UInt8]) throws(NodeReadFailure) -> Int {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { unsafe copy.deallocate() }
        unsafe copy.copyBytes(from: bytes)
        var decoder = unsafe NodeDecoder(
            UnsafeRawBufferPointer(copy), source: NoSource.shared, isStable: true)
        return unsafe try decoder.readEncoded().count
    }

    @Test("Every definite example is passed over, to its last byte and not beyond") func skipping() throws {
        #expect(AppendixA.definite.count == 70)
        for (diagnostic, text) in AppendixA.definite {
            let example = bytes(text)
            #expect(try skip(example) == example.count, "\(diagnostic)")
            #expect(try skip(example + [0]) == example.count, "\(diagnostic)")
            for length in 0..<example.count {
                #expect(
                    failure { try skip(Array(example[..<length])) } == "corrupted", "\(diagnostic) cut to \(length)")
            }
        }
    }

    @Test("Every example of indefinite length is refused", arguments: AppendixA.indefinite)
    func indefinite(text: String) {
        #expect(failure { try skip(bytes(text)) } == "corrupted")
    }

    @Test("Reserved heads and counts that no bytes can follow are refused") func reserved() {
        for major in 0..<8 as Range<UInt8> {
            for low in 28...31 as ClosedRange<UInt8> {
                #expect(failure { try skip([major << 5 | low, 0, 0, 0, 0, 0, 0, 0, 0]) } == "corrupted")
            }
        }
        for head in [
            "9bffffffffffffffff", "bbffffffffffffffff", "5bffffffffffffffff", "7b7fffffffffffffff", "9affffffff",
        ] {
            #expect(failure { try skip(bytes(head) + [0, 0]) } == "corrupted")
            #expect(failure { try decode([String].self, bytes(head) + [0, 0]) } != "none")
            #expect(failure { try decode([String: Int].self, bytes(head) + [0, 0]) } != "none")
            #expect(failure { try decode(String.self, bytes(head) + [0, 0]) } != "none")
            #expect(failure { try decode(Data.self, bytes(head) + [0, 0]) } != "none")
        }
    }

    // MARK: Floats

    @Test("Each of the 65,536 halves keeps every bit, and is stored in two bytes") func halves() throws {
        var wrong = 0
        for bits in 0...UInt16.max {
            let single = CBORFloat.single(half: bits)
            guard CBORFloat.half(single) == bits, CBORFloat.single(CBORFloat.double(single: single)) == single else {
                wrong += 1
                continue
            }
            #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
                let value = Float16(bitPattern: bits)
                if !value.isNaN, Float(value).bitPattern != single { wrong += 1 }
            #endif
            if bits % 251 == 0 {
                let double = Double(bitPattern: CBORFloat.double(single: single))
                let stored = try Encoded(double).bytes
                if stored != [0xF9, UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits)] { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }

    @Test("Doubles and singles keep every bit: random ones, subnormals, the payloads of NaNs") func floats() throws {
        var random = SeededGenerator(seed: 7)
        var patterns: [UInt64] = [
            0, 1 << 63, 1, 0x8000_0000_0000_0001, Double.greatestFiniteMagnitude.bitPattern, 0x7FF0_0000_0000_0001,
            0x7FF8_0000_0000_0000, 0xFFF8_DEAD_BEEF_0001, 0x7FF4_0000_0000_0000, 0x7FF0_0000_2000_0000,
            Double.leastNormalMagnitude.bitPattern, Double(Float.leastNonzeroMagnitude).bitPattern,
            Double(Float.leastNonzeroMagnitude / 1).nextDown.bitPattern,
        ]
        for _ in 0..<20_000 {
            patterns.append(random.next())
            patterns.append(CBORFloat.double(single: UInt32.random(in: 0...UInt32.max, using: &random)))
            patterns.append(random.next() & 0x800F_FFFF_FFFF_FFFF)
        }
        var wrong: [UInt64] = []
        for bits in patterns where try !survives(bits) { wrong.append(bits) }
        #expect(wrong.isEmpty)
    }

    /// Whether the double of `bits` is stored in the least width that keeps it, and read back bit for bit.
    private func survives(_ bits: UInt64) throws -> Bool {
        let value = Double(bitPattern: bits)
        let encoded = try Encoded(value).bytes
        guard try decode(Double.self, encoded).bitPattern == bits else { return false }
        guard let single = CBORFloat.single(bits) else {
            return encoded.count == 9 && (value.isNaN || Double(Float(value)) != value)
                && failure { try decode(Float.self, encoded) } == "otherShape"
        }
        return try CBORFloat.double(single: single) == bits && encoded.count <= 5
            && Encoded(Float(bitPattern: single)).bytes == encoded
            && decode(Float.self, encoded).bitPattern == single
            && (value.isNaN || Double(Float(bitPattern: single)).bitPattern == bits)
    }

    // MARK: Integers

    @Test("Integers keep their extremes, and one that does not fit is another shape") func integers() throws {
        func check<Value: FixedWidthInteger & NodeCodable>(_ type: Value.Type) throws {
            for value in [Value.min, .max, 0, 1, 23, 24, .max - 1, .min + 1] {
                #expect(try decode(type, Encoded(value).bytes) == value)
            }
        }
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(UInt.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
        #expect(failure { try decode(Int8.self, try Encoded(128).bytes) } == "otherShape")
        #expect(failure { try decode(UInt.self, try Encoded(-1).bytes) } == "otherShape")
        #expect(failure { try decode(Int64.self, try Encoded(UInt64.max).bytes) } == "otherShape")
        #expect(failure { try decode(Int64.self, bytes("3bffffffffffffffff")) } == "otherShape")
        #expect(try decode(Int64.self, bytes("3b7fffffffffffffff")) == .min)
        #expect(try decode(Int.self, Encoded(-1.0).bytes) == -1)
        #expect(failure { try decode(Int.self, try Encoded(1.5).bytes) } == "otherShape")
        #expect(try decode(Double.self, Encoded(-1).bytes) == -1)
        #expect(failure { try decode(Double.self, try Encoded(1 << 53 + 1).bytes) } == "otherShape")
        #expect(failure { try decode(Double.self, bytes("3bffffffffffffffff")) } == "otherShape")
    }

    @Test("Bytes that are not UTF-8 are damage")
    func invalidText() {
        for text in ["61ff", "62c328", "63eda080", "64f4908080", "62c080"] {
            #expect(failure { try decode(String.self, bytes(text)) } == "corrupted")
        }
    }
}
