/// A JSON value that keeps what the text said: integers exactly, doubles to the bit, members in their order.
package indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// An integer outside 64 bits.
    case big(BigInteger)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([JSONMember])
}

/// A member of a JSON object.
package struct JSONMember: Sendable {
    package let key: String
    package let value: JSON

    package init(_ key: String, _ value: JSON) {
        self.key = key
        self.value = value
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { JSONMember($0, $1) }) }

    /// An integer.
    package init(_ value: Int) { self = .integer(Int64(value)) }

    /// An unsigned integer.
    package init(number: UInt64) { self = Int64(exactly: number).map { .integer($0) } ?? .unsigned(number) }

    /// The value of the member `key` of an object; names are compared by their bytes.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The text of a string.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// What kind of value it is, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer, .unsigned, .big, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSON {
    /// The number as a double, if that is exact; `nil` otherwise.
    private var exactDouble: Double? {
        switch self {
        case .integer(let value): Double(exactly: value)
        case .unsigned(let value): Double(exactly: value)
        case .double(let value): value
        default: nil
        }
    }

    /// Where the two values first differ as JSON, such as `$.users[3].name`, or `nil` if they are equal.
    ///
    /// The order of members does not count, numbers are compared by value, and strings by their bytes.
    package func firstDifference(from other: JSON, at path: String = "$") -> String? {
        switch (self, other) {
        case (.null, .null): return nil
        case (.bool(let left), .bool(let right)): return left == right ? nil : path
        case (.integer(let left), .integer(let right)): return left == right ? nil : path
        case (.unsigned(let left), .unsigned(let right)): return left == right ? nil : path
        case (.big(let left), .big(let right)): return left == right ? nil : path
        case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8) ? nil : path
        case (.array(let left), .array(let right)):
            for (index, (first, second)) in zip(left, right).enumerated() {
                if let found = first.firstDifference(from: second, at: "\(path)[\(index)]") { return found }
            }
            return left.count == right.count ? nil : "\(path)[\(min(left.count, right.count))]"
        case (.object(let left), .object(let right)):
            return JSON.firstDifference(left, right, at: path)
        default:
            guard let left = exactDouble, let right = other.exactDouble else { return path }
            return left == right ? nil : path
        }
    }

    private static func firstDifference(_ left: [JSONMember], _ right: [JSONMember], at path: String) -> String? {
        let left = left.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let right = right.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (first, second) in zip(left, right) {
            guard first.key.utf8.elementsEqual(second.key.utf8) else {
                let missing = first.key.utf8.lexicographicallyPrecedes(second.key.utf8) ? first.key : second.key
                return "\(path).\(missing)"
            }
            if let found = first.value.firstDifference(from: second.value, at: "\(path).\(first.key)") { return found }
        }
        guard left.count != right.count else { return nil }
        let longer = left.count > right.count ? left : right
        return "\(path).\(longer[min(left.count, right.count)].key)"
    }
}
