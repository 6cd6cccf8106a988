import GroveCoding
import GroveModel

/// Encoded values in the diagnostic notation of RFC 8949 §8, apart from the code that models are read by.
enum Diagnostic {
    /// `bytes`, which must hold one value, as text; a mark where they do not.
    static func text(_ bytes: [UInt8]) -> String {
        var rest = bytes[...]
        guard let text = value(&rest), rest.isEmpty else { return "<damaged>" }
        return text
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let initial = rest.popFirst() else { return nil }
        var argument = UInt64(initial & 0x1F)
        if argument >= 24 {
            guard argument < 28, rest.count >= 1 << Int(argument - 24) else { return nil }
            let width = 1 << Int(argument - 24)
            argument = rest.prefix(width).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(width)
        }
        switch initial >> 5 {
        case 0: return "\(argument)"
        case 1: return argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
        case 2, 3:
            guard argument <= UInt64(rest.count) else { return nil }
            let content = rest.prefix(Int(argument))
            rest = rest.dropFirst(Int(argument))
            return initial >> 5 == 2 ? "h'\(hex(content))'" : quoted(String(decoding: content, as: UTF8.self))
        case 4:
            var items: [String] = []
            for _ in 0..<argument {
                guard let item = value(&rest) else { return nil }
                items.append(item)
            }
            return "[\(items.joined(separator: ", "))]"
        case 5:
            var items: [String] = []
            for _ in 0..<argument {
                guard let key = value(&rest), let item = value(&rest) else { return nil }
                items.append("\(key): \(item)")
            }
            return "{\(items.joined(separator: ", "))}"
        case 6: return value(&rest).map { "\(argument)(\($0))" }
        default: return simple(initial, argument)
        }
    }

    private static func simple(_ initial: UInt8, _ argument: UInt64) -> String {
        switch initial & 0x1F {
        case 20: return "false"
        case 21: return "true"
        case 22: return "null"
        case 23: return "undefined"
        case 25:
            return float(CBORFloat.double(single: CBORFloat.single(half: UInt16(truncatingIfNeeded: argument))))
        case 26: return float(CBORFloat.double(single: UInt32(truncatingIfNeeded: argument)))
        case 27: return float(argument)
        default: return "simple(\(argument))"
        }
    }

    private static func float(_ bits: UInt64) -> String {
        let value = Double(bitPattern: bits)
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return "\(value)"
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20: "\\u00\(hex([UInt8(scalar.value)]))"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
