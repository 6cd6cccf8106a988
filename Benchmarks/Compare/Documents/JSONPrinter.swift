/// Prints JSON: integers as integers, doubles in the shortest form that reads back to the same bits.
package struct JSONPrinter {
    private(set) var bytes: [UInt8] = []
    /// Spaces by which nested values are indented; 0 prints one line.
    private let indentation: Int
    private var depth = 0

    private init(indentation: Int) { self.indentation = indentation }

    /// The UTF-8 of `value`, without a line break at its end.
    package static func print(_ value: JSON, indentation: Int = 0) -> [UInt8] {
        var printer = JSONPrinter(indentation: indentation)
        printer.append(value)
        return printer.bytes
    }

    private mutating func append(_ value: JSON) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): append(String(value))
        case .unsigned(let value): append(String(value))
        case .big(let value): append(value.description)
        // What JSON cannot spell never comes from JSON; a store may hold it.
        case .double(let value): append(value.isFinite ? value.description : "null")
        case .string(let value): append(quoted: value)
        case .array(let elements):
            append(elements, "[", "]") { (printer, element) in printer.append(element) }
        case .object(let members):
            append(members, "{", "}") { (printer, member) in
                printer.append(quoted: member.key)
                printer.append(printer.indentation > 0 ? ": " : ":")
                printer.append(member.value)
            }
        }
    }

    private mutating func append<Item>(
        _ items: [Item], _ open: String, _ close: String, _ item: (inout JSONPrinter, Item) -> Void
    ) {
        append(open)
        depth += 1
        for index in items.indices {
            if index > 0 { append(",") }
            breakLine()
            item(&self, items[index])
        }
        depth -= 1
        if !items.isEmpty { breakLine() }
        append(close)
    }

    private mutating func breakLine() {
        guard indentation > 0 else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: depth * indentation))
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(quoted text: String) {
        bytes.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22: append("\\\"")
            case 0x5C: append("\\\\")
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case 0..<0x20, 0x7F:
                let digits = String(byte, radix: 16)
                append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }
}

extension JSON: CustomStringConvertible {
    /// The value on one line.
    package var description: String { String(decoding: JSONPrinter.print(self), as: UTF8.self) }

    /// The value with nested values indented by two.
    package var pretty: String { String(decoding: JSONPrinter.print(self, indentation: 2), as: UTF8.self) }
}
