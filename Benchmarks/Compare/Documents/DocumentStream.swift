package import GroveCoding
package import GroveModel

/// A JSON document that is encoded while it is read: of its objects, only the records are kept.
///
/// Its bytes are those of an encoded ``Document``. If a rule may identify an object or its entries, the object is read
/// as a whole, with its content. Of the objects outside, only the encoding of their content is kept.
package struct DocumentStream {
    /// The nodes.
    package let tree: NodeTree
    /// The encoded root, as the one element of its collection.
    package let root: [UInt8]
    /// Identified objects seen.
    package let occurrences: Int
    /// The distinct identifiers, in the order in which they first occur.
    package let identifiers: [ModelIdentifier]

    /// Reads `text`, on a large stack.
    ///
    /// - Throws: ``JSONParser/Failure``, ``ToolError`` as ``Document`` does, and ``CacheError`` if a node cannot be
    ///   encoded.
    init(_ text: [UInt8], rules: IdentityRules) throws {
        var reader = DocumentReader(text, rules)
        var root = ByteBuffer(capacity: 64)
        defer { root.deallocate() }
        root.appendHead(CBORMajor.map, 1)
        root.appendText(Document.rootField)
        try unsafe reader.document().withUnsafeBytes { unsafe root.append($0) }
        self.root = unsafe Array(root.bytes)
        tree = reader.tree
        (occurrences, identifiers) = (reader.splitter.occurrences, reader.splitter.identifiers)
    }
}

/// Reads a document and encodes its nodes.
private struct DocumentReader: ~Copyable {
    let tree: NodeTree
    var splitter: DocumentSplitter
    private var parser: JSONParser
    private var encoder: NodeEncoder

    init(_ text: [UInt8], _ rules: IdentityRules) {
        // Records are about as long as their text; what is not used of it takes no memory.
        tree = NodeTree(capacity: max(text.count, 512))
        splitter = DocumentSplitter(rules: rules)
        parser = JSONParser(text)
        encoder = NodeEncoder(into: tree)
    }

    /// The encoding of the document, in which nodes are references.
    mutating func document() throws -> [UInt8] {
        parser.skipSpace()
        let value = try value(under: nil)
        try parser.finish()
        return value
    }

    /// The encoding of the next value, which stands under the property `field`; under none if that is `nil`.
    private mutating func value(under field: String?) throws -> [UInt8] {
        switch parser.peek() {
        case UInt8(ascii: "["): return try array(under: field)
        case UInt8(ascii: "{") where !splitter.rules.mayIdentify(under: field): return try object()
        default:
            encoder.beginRoot(onLargeStack: true)
            try splitter.split(parser.value(), under: field).encode(to: &encoder)
            return unsafe Array(encoder.out.bytes)
        }
    }

    private mutating func array(under field: String?) throws -> [UInt8] {
        var (elements, count): ([UInt8], Int) = ([], 0)
        var isMore = try parser.beginArray()
        while isMore {
            elements += try value(under: field)
            count += 1
            isMore = try parser.endElement()
        }
        return DocumentReader.encoded(CBORMajor.array, count, elements)
    }

    /// The encoding of an object that no rule may identify, nor objects in it as the entries of a dictionary.
    private mutating func object() throws -> [UInt8] {
        var members: [(key: String, bytes: [UInt8])] = []
        var names: Set<[UInt8]> = []
        var isMore = try parser.beginObject()
        while isMore {
            let key = try parser.key { names.insert(Array($0.utf8)).inserted }
            let value = try value(under: key)
            members.append((key, value))
            isMore = try parser.endMember()
        }
        encoder.beginRoot(onLargeStack: true)
        let sorted = try encoder.sortedEncodings(count: members.count) { (index, encoder) throws(CacheError) in
            encoder.write(members[index].key)
            encoder.writeEncoded(members[index].bytes)
        }
        return DocumentReader.encoded(CBORMajor.map, members.count, sorted.flatMap(\.bytes))
    }

    private static func encoded(_ major: UInt8, _ count: Int, _ content: [UInt8]) -> [UInt8] {
        var head = ByteBuffer(capacity: 16)
        defer { head.deallocate() }
        head.appendHead(major, UInt64(count))
        return unsafe Array(head.bytes) + content
    }
}
