import GroveCoding
package import GroveModel

/// A JSON document taken apart by identity rules.
package struct Document: Sendable {
    /// The document itself, as the one element of its collection.
    let root: DocumentNode
    /// Identified objects seen.
    package let occurrences: Int
    /// Distinct identifiers.
    package let nodes: Int
    /// The identifiers, in the order in which they first occur.
    package let identifiers: [ModelIdentifier]

    /// The key of the collection that holds an imported document.
    static let key = "grove.document"
    /// The most sets of fields in which a node may occur: as many projections as a record may have.
    static let maxProjections = 255

    /// What is said of a document of which the rules identify more than a cache takes.
    static let hasTooManyOccurrences =
        "the rules identify more than \(DocumentNode.maxPaths.grouped) objects of the document, which is the most that one "
        + "write takes; import it in parts, or leave out a rule"

    /// The member of the stored root that holds the document, which need not be an object.
    static let rootField = "document"

    /// - Throws: ``ToolError`` where a cache cannot hold the document: too many objects are identified, or one of them
    ///   has too many different sets of fields.
    init(_ json: JSON, rules: IdentityRules) throws(ToolError) {
        var splitter = DocumentSplitter(rules: rules)
        let content = try splitter.split(json, under: nil)
        root = DocumentNode(identity: nil, content: .object([DocumentMember(Document.rootField, content)]))
        occurrences = splitter.occurrences
        nodes = splitter.numbers.count
        identifiers = splitter.identifiers
    }

    /// The document that a stored root holds.
    ///
    /// - Throws: ``CacheError`` with code `tooManyPaths`, or `corrupted` if the root holds no document.
    static func rebuilt(from root: DocumentNode) throws(CacheError) -> JSON {
        guard let document = try root.content.expanded()[rootField] else {
            throw CacheError(.corrupted, "The store's collection \(key) holds no document.")
        }
        return document
    }
}

/// Walks a document and makes nodes of its identified objects.
struct DocumentSplitter {
    /// A set of fields in which a node occurs.
    private struct Projection: Hashable {
        let node: Int
        let name: String
    }

    let rules: IdentityRules
    var occurrences = 0
    var numbers: [ModelIdentifier: Int] = [:]
    var identifiers: [ModelIdentifier] = []
    /// The record name of each identifier's first occurrence: all its occurrences share it.
    private var recordNames: [String] = []
    private var projections: Set<Projection> = []
    /// How many projections each identifier has.
    private var projectionCounts: [Int] = []

    init(rules: IdentityRules) { self.rules = rules }

    /// - Parameter field: the property under which the value stands, directly, in an array or in a dictionary; `nil`
    ///   for the document itself.
    mutating func split(_ value: JSON, under field: String?) throws(ToolError) -> DocumentValue {
        switch value {
        case .array(let elements):
            let values = try elements.map { element throws(ToolError) in try split(element, under: field) }
            return .simplified(array: values, of: value)
        case .object(let members):
            if let identity = rules.identity(of: members, under: field) {
                return .node(try occurrence(of: identity, members))
            }
            // Under a dictionary's own property all of its entries stand; the document itself stands under none.
            let isDictionary = field != nil && rules.isDictionary(members)
            return .simplified(object: try split(members, under: isDictionary ? field : nil), of: value)
        default: return .plain(value)
        }
    }

    /// - Parameter field: the property under which the members' values stand; `nil` if each stands under its own.
    private mutating func split(
        _ members: [JSONMember], under field: String? = nil
    ) throws(ToolError) -> [DocumentMember] {
        try members.map { member throws(ToolError) in
            DocumentMember(member.key, try split(member.value, under: field ?? member.key))
        }
    }

    private mutating func occurrence(
        of identity: IdentityRules.Identity, _ members: [JSONMember]
    ) throws(ToolError) -> DocumentNode {
        occurrences += 1
        guard occurrences <= DocumentNode.maxPaths else { throw .input(Document.hasTooManyOccurrences) }
        let identifier = ModelIdentifier(identity.identifier)
        let number = numbers[identifier] ?? identifiers.count
        if number == identifiers.count {
            numbers[identifier] = number
            identifiers.append(identifier)
            recordNames.append(identity.recordName)
            projectionCounts.append(0)
        }
        let projection = Projection(node: number, name: DocumentSplitter.projectionName(of: members))
        if projections.insert(projection).inserted {
            projectionCounts[number] += 1
            guard projectionCounts[number] <= Document.maxProjections else {
                throw .input(
                    "\(identity.identifier.debugDescription) occurs with more than \(Document.maxProjections) different "
                        + "sets of fields, which no record holds; give its occurrences the same fields, or leave out its "
                        + "rule")
            }
        }
        let content = DocumentValue.object(try split(members))
        return DocumentNode(
            identity: DocumentNode.Identity(
                identifier: identifier, recordName: recordNames[number], projectionName: projection.name),
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
