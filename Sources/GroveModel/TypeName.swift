/// The name of a type, made once for each: its own behind those of the types around it, without modules.
///
/// `Shop.Item`, `Box<Shop.Item>`. A function around a type, or the file of a private one, is left out, because it has
/// no name that is the same in every process.
package final class TypeName {
    private let text: String

    private static let all = TypeMap()

    private init(_ type: any Any.Type) { text = TypeName.text(String(reflecting: type)) }

    /// The name of `type`.
    ///
    /// - Complexity: O(1) after the first time, without a lock.
    package static func of(_ type: any Any.Type) -> String {
        let name: TypeName = all.find(ObjectIdentifier(type), ObjectIdentifier(TypeName.self)) { TypeName(type) }
        return name.text
    }

    /// A type's name as the runtime spells it in full, without modules and without contexts that have no name.
    ///
    /// - Parameter full: `App.Shop.(unknown context at $1f0c).Item`, `(extension in App):Swift.Array<Swift.Int>.Item`.
    private static func text(_ full: String) -> String {
        var rest = Array(full.utf8)[...]
        var name: [UInt8] = []
        // Whether the next name begins a path of names, the first of which is a module.
        var isFirst = true
        while let byte = rest.first {
            if let count = rest.count(from: "(extension in ", to: "):")
                ?? rest.count(from: "(unknown context at ", to: ").")
            {
                rest = rest.dropFirst(count)
                continue
            }
            let (count, isQuoted) = rest.nameCount
            guard count > 0 else {
                isFirst = byte != UInt8(ascii: ".")
                name.append(byte)
                rest = rest.dropFirst()
                continue
            }
            let part = rest.prefix(count)
            rest = rest.dropFirst(count)
            if isFirst, rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else {
                name += isQuoted ? part.dropFirst().dropLast() : part
            }
            isFirst = false
        }
        return String(decoding: name, as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// The length of the text that begins with `start` and ends with the first `end`, if there is one at the front.
    fileprivate func count(from start: String, to end: String) -> Int? {
        guard starts(with: start.utf8) else { return nil }
        return indices.first { self[$0...].starts(with: end.utf8) }.map { $0 - startIndex + end.utf8.count }
    }

    /// The length of the name at the front, and whether it is one in backticks; zero if there is none.
    fileprivate var nameCount: (count: Int, isQuoted: Bool) {
        let quote = UInt8(ascii: "`")
        if first == quote, let end = dropFirst().firstIndex(of: quote) { return (end + 1 - startIndex, true) }
        return (prefix(while: \.isInName).count, false)
    }
}

extension UInt8 {
    fileprivate var isInName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
