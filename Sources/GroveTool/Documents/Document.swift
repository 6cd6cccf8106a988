import GroveModel

/// A JSON document taken apart by identity rules.
struct Document: Sendable {
    /// The document itself, as the one element of its collection.
    let root: DocumentNode
    /// Identified objects seen.
    let occurrences: Int
    /// Distinct identifiers.
    let nodes: Int
    /// Distinct pairs of an identified object and its nearest identified ancestor.
    let edges: Int
    /// The identifiers, in the order in which they first occur.
    let identifiers: [ModelIdentifier]

    /// The key of the collection that holds an imported document.
    static let key = "grove.document"
    /// The member of the stored root that holds the document, which need not be an object.
    static let rootField = "document"

    init(_ json: JSON, rules: IdentityRules) {
        var splitter = DocumentSplitter(rules: rules)
        let content = splitter.split(json, under: nil, parent: nil)
        root = DocumentNode(identity: nil, content: .object([DocumentMember(Document.rootField, content)]))
        occurrences = splitter.occurrences
        nodes = splitter.numbers.count
        edges = splitter.edges.count
        identifiers = splitter.identifiers
    }

    /// The document that a stored root holds.
    ///
    /// - Throws: ``CacheError`` with code `tooManyPaths`, or `corrupted` where the root holds no document.
    static func rebuilt(from root: DocumentNode) throws(CacheError) -> JSON {
        guard let document = try root.expanded()[rootField] else {
            throw CacheError(.corrupted, "The store's collection \(key) holds no document.")
        }
        return document
    }
}

/// Walks a document and makes nodes of its identified objects.
private struct DocumentSplitter {
    struct Edge: Hashable {
        let parent: Int
        let child: Int
    }

    let rules: IdentityRules
    var occurrences = 0
    var numbers: [ModelIdentifier: Int] = [:]
    var identifiers: [ModelIdentifier] = []
    var edges: Set<Edge> = []
    /// The record name of each identifier's first occurrence: all its occurrences share it.
    private var recordNames: [String] = []

    init(rules: IdentityRules) { self.rules = rules }

    /// - Parameters:
    ///   - field: the property under which the value stands, directly, in an array or in a dictionary.
    ///   - parent: the number of the nearest identified ancestor.
    mutating func split(_ value: JSON, under field: String?, parent: Int?) -> DocumentValue {
        switch value {
        case .array(let elements):
            return .simplified(array: elements.map { split($0, under: field, parent: parent) }, of: value)
        case .object(let members):
            guard let field else { return .simplified(object: split(members, parent: parent), of: value) }
            if let identity = rules.identity(of: members, under: field) {
                return .node(occurrence(of: identity, members, parent: parent))
            }
            guard rules.isDictionary(members) else {
                return .simplified(object: split(members, parent: parent), of: value)
            }
            let entries = members.map { DocumentMember($0.key, split($0.value, under: field, parent: parent)) }
            return .simplified(object: entries, of: value)
        default: return .plain(value)
        }
    }

    private mutating func split(_ members: [JSONMember], parent: Int?) -> [DocumentMember] {
        members.map { DocumentMember($0.key, split($0.value, under: $0.key, parent: parent)) }
    }

    private mutating func occurrence(
        of identity: IdentityRules.Identity, _ members: [JSONMember], parent: Int?
    ) -> DocumentNode {
        occurrences += 1
        let identifier = ModelIdentifier(identity.identifier)
        let number = numbers[identifier] ?? identifiers.count
        if number == identifiers.count {
            numbers[identifier] = number
            identifiers.append(identifier)
            recordNames.append(identity.recordName)
        }
        if let parent { edges.insert(Edge(parent: parent, child: number)) }
        let content = DocumentValue.object(split(members, parent: number))
        return DocumentNode(
            identity: DocumentNode.Identity(
                identifier: identifier, recordName: recordNames[number],
                projectionName: DocumentSplitter.projectionName(of: members)),
            content: content)
    }

    /// A name for a set of fields: the same in every process and for every order of the fields.
    private static func projectionName(of members: [JSONMember]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for name in FieldTable.sorted(members.map(\.key)) {
            for byte in name.utf8 { mix(byte) }
            mix(0xFF)
        }
        let digits = String(hash, radix: 16)
        return "fields-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension DocumentValue {
    /// An array, or the plain value that it was made of where it holds no nodes.
    fileprivate static func simplified(array elements: [DocumentValue], of value: JSON) -> DocumentValue {
        elements.allSatisfy(\.isPlain) ? .plain(value) : .array(elements)
    }

    /// An object, or the plain value that it was made of where it holds no nodes.
    fileprivate static func simplified(object members: [DocumentMember], of value: JSON) -> DocumentValue {
        members.allSatisfy { $0.value.isPlain } ? .plain(value) : .object(members)
    }

    private var isPlain: Bool {
        guard case .plain = self else { return false }
        return true
    }
}
