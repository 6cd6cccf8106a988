/// Reads JSON text strictly (RFC 8259): UTF-8, nothing after the value, no member named twice.
///
/// Every failure says where. Nothing in the text can trap: nesting and numbers are bounded.
package struct JSONParser {
    /// What was wrong with the text, and where.
    package struct Failure: Error, CustomStringConvertible {
        let line: Int
        /// The column in characters (Unicode scalars), from 1.
        let column: Int
        let reason: String

        package var description: String { "\(line):\(column): \(reason)" }
    }

    /// The deepest nesting of arrays and objects.
    static let maxDepth = 1_000

    /// Looks at an object that has just been read, and says why no more is to be read, if that is so.
    ///
    /// The field is the member under which the object stands, directly or in an array; `nil` if it stands under none.
    package typealias Inspection = (_ members: [JSONMember], _ field: String?) -> String?

    private let text: [UInt8]
    private let inspect: Inspection
    private var position = 0
    private var depth = 0
    private var field: String?

    init(_ text: [UInt8], inspecting inspect: @escaping Inspection = { _, _ in nil }) {
        self.text = text
        self.inspect = inspect
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The value that `text` spells.
    static func parse(
        _ text: [UInt8], inspecting inspect: @escaping Inspection = { _, _ in nil }
    ) throws(Failure) -> JSON {
        var parser = JSONParser(text, inspecting: inspect)
        parser.skipSpace()
        let value = try parser.value()
        try parser.finish()
        return value
    }

    /// The value that `text` spells.
    package static func parse(_ text: String) throws(Failure) -> JSON { try parse(Array(text.utf8)) }

    /// Checks that nothing follows.
    mutating func finish() throws(Failure) {
        skipSpace()
        guard position == text.count else { throw failure("unexpected text after the end of the document") }
    }

    // MARK: Values one by one

    /// Goes into the array that comes next; returns whether it has elements, of which the first comes next.
    mutating func beginArray() throws(Failure) -> Bool { try begin("]") }

    /// Goes on behind an element; returns whether another one comes next.
    mutating func endElement() throws(Failure) -> Bool { try end("]", "expected ',' or ']' after an element") }

    /// Goes into the object that comes next; returns whether it has members, of which the first comes next.
    mutating func beginObject() throws(Failure) -> Bool { try begin("}") }

    /// Goes on behind a member; returns whether another one comes next.
    mutating func endMember() throws(Failure) -> Bool { try end("}", "expected ',' or '}' after a member") }

    /// Reads the name of a member, for which `isNew` must be true; its value comes next.
    mutating func key(_ isNew: (String) -> Bool) throws(Failure) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw failure("expected a member's name in quotes") }
        let name = position
        let key = try string()
        guard isNew(key) else {
            position = name
            throw failure("the member \(key.debugDescription) stands twice in one object")
        }
        skipSpace()
        guard take(":") else { throw failure("expected ':' after a member's name") }
        skipSpace()
        return key
    }

    private mutating func begin(_ end: Unicode.Scalar) throws(Failure) -> Bool {
        try enter()
        skipSpace()
        guard take(end) else { return true }
        depth -= 1
        return false
    }

    private mutating func end(_ end: Unicode.Scalar, _ expected: String) throws(Failure) -> Bool {
        skipSpace()
        if take(end) {
            depth -= 1
            return false
        }
        guard take(",") else { throw failure(expected) }
        skipSpace()
        return true
    }

    // MARK: Values

    /// Reads the value that comes next.
    mutating func value() throws(Failure) -> JSON {
        switch peek() {
        case UInt8(ascii: "{"): return try nested { (parser) throws(Failure) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(Failure) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-")?: return try number()
        case let byte? where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case nil: throw failure(text.isEmpty ? "the file is empty" : "the text ends where a value should stand")
        default: throw failure("expected a value")
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(Failure) -> JSON
    ) throws(Failure) -> JSON {
        try enter()
        defer { depth -= 1 }
        return try body(&self)
    }

    /// Passes the bracket that opens an array or an object.
    private mutating func enter() throws(Failure) {
        guard depth < JSONParser.maxDepth else {
            throw refusal("arrays and objects nest more than \(JSONParser.maxDepth) levels")
        }
        depth += 1
        position += 1
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(Failure) -> JSON {
        for byte in word.description.utf8 {
            guard peek() == byte else { throw failure("expected \(word)") }
            position += 1
        }
        return value
    }

    private mutating func array() throws(Failure) -> JSON {
        var elements: [JSON] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            skipSpace()
            elements.append(try value())
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw failure("expected ',' or ']' after an element") }
        }
    }

    private mutating func object() throws(Failure) -> JSON {
        var members: [JSONMember] = []
        var names = MemberNames()
        let (start, outer) = (position - 1, field)
        defer { field = outer }
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            let key = try key { names.insert($0, members) }
            field = key
            members.append(JSONMember(key, try value()))
            skipSpace()
            if take("}") {
                guard let reason = inspect(members, outer) else { return .object(members) }
                position = start
                throw refusal(reason)
            }
            guard take(",") else { throw failure("expected ',' or '}' after a member") }
        }
    }

    // MARK: Numbers

    private mutating func number() throws(Failure) -> JSON {
        let start = position
        let isNegative = take("-")
        let digits = position
        guard skipDigits() else { throw failure("expected a digit") }
        if text[digits] == UInt8(ascii: "0"), position > digits + 1 {
            position = digits + 1
            throw failure("a number does not begin with 0")
        }
        let integerEnd = position
        if take(".") {
            guard skipDigits() else { throw failure("expected a digit after the decimal point") }
        }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard skipDigits() else { throw failure("expected a digit in the exponent") }
        }
        let spelling = String(decoding: text[start..<position], as: UTF8.self)
        guard position == integerEnd else {
            // What is too small a number to be told from 0 is refused, as is what is too large.
            let isZero = !spelling.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
                .contains { UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0 }
            guard let value = Double(spelling), value.isFinite, isZero || value != 0 else {
                position = start
                throw refusal("the number \(spelling.prefix(40)) is out of range")
            }
            return .double(value)
        }
        if let value = Int64(spelling) { return .integer(value) }
        if let value = UInt64(spelling) { return .unsigned(value) }
        guard integerEnd - digits <= BigInteger.maxDigits else {
            position = start
            throw refusal("an integer has more than \(BigInteger.maxDigits) digits")
        }
        return .big(BigInteger(isNegative: isNegative, digits: text[digits..<integerEnd]))
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        return position > start
    }

    // MARK: Strings

    private mutating func string() throws(Failure) -> String {
        position += 1
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if peek() == UInt8(ascii: "\"") {
            defer { position += 1 }
            return try utf8(text[start..<position], at: start)
        }
        var bytes = Array(text[start..<position])
        while true {
            switch peek() {
            case UInt8(ascii: "\""):
                position += 1
                return try utf8(bytes[...], at: start)
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &bytes)
            case nil:
                position = start - 1
                throw failure("the string is not closed")
            case let byte? where byte < 0x20:
                throw failure("a control character inside a string must be escaped")
            case let byte?:
                bytes.append(byte)
                position += 1
            }
        }
    }

    private func utf8(_ bytes: ArraySlice<UInt8>, at start: Int) throws(Failure) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            var parser = self
            parser.position = start
            throw parser.failure("the string is not UTF-8")
        }
        return string
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(Failure) {
        let start = position - 1
        let escaped = peek()
        position += 1
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(escaped ?? 0)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            var unit = try hexadecimal(from: start)
            if unit & 0xFC00 == 0xD800, take("\\"), take("u") {
                let low = try hexadecimal(from: start)
                guard low & 0xFC00 == 0xDC00 else { throw loneSurrogate(at: start) }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw loneSurrogate(at: start) }
            bytes.append(contentsOf: Array(String(Character(scalar)).utf8))
        default:
            position = start
            throw failure("an unknown escape in a string")
        }
    }

    private mutating func loneSurrogate(at start: Int) -> Failure {
        position = start
        return failure("half of a surrogate pair, which is no character")
    }

    private mutating func hexadecimal(from start: Int) throws(Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                position = start
                throw failure("an escape \\u needs four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: Characters

    /// The next byte.
    func peek() -> UInt8? { position < text.count ? text[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = peek(), UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    /// Passes white space.
    mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// What is said of text that is no JSON.
    private func failure(_ reason: String) -> Failure { refusal("not JSON: \(reason)") }

    /// What is said of JSON that is refused.
    private func refusal(_ reason: String) -> Failure {
        let before = text[..<min(position, text.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.lazy.filter { $0 == 0x0A }.count + 1
        let column = before[lineStart...].lazy.filter { $0 & 0xC0 != 0x80 }.count + 1
        return Failure(line: line, column: column, reason: reason)
    }
}

/// The names of an object's members so far, told apart by their bytes.
private struct MemberNames {
    private var seen: Set<[UInt8]> = []

    /// Adds `key` beside `members`; false if it is among them.
    mutating func insert(_ key: String, _ members: [JSONMember]) -> Bool {
        guard members.count >= 16 else { return !members.contains { $0.key.utf8.elementsEqual(key.utf8) } }
        if seen.isEmpty { for member in members { seen.insert(Array(member.key.utf8)) } }
        return seen.insert(Array(key.utf8)).inserted
    }
}
