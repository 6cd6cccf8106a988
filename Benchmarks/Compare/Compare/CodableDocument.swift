import GroveCoding
import GroveModel

/// A node of a document that is coded through `Codable`, as an application's own models are.
protocol DocumentModel: SimpleModel, Codable {
    var node: DocumentNode { get }
    init(_ node: DocumentNode)
}

/// The nodes of one projection: their names are their type's, their fields are known at run time only.
struct CodableDocument<Shape: DocumentShape>: DocumentModel {
    let node: DocumentNode

    init(_ node: DocumentNode) { self.node = node }

    static var recordName: String { Shape.projection.names.record }
    static var projectionName: String { Shape.projection.names.projection }
    var modelIdentifier: ModelIdentifier? { node.modelIdentifier }

    func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Self else { return false }
        return node.isEqual(to: other.node)
    }

    func encode(to encoder: any Encoder) throws {
        guard case .object(let members) = node.content else {
            throw CacheError(.unencodable, "A document's node is an object.", identifier: modelIdentifier)
        }
        var fields = encoder.container(keyedBy: DocumentKey.self)
        for member in members { try fields.write(member.value, forKey: DocumentKey(stringValue: member.key)) }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: DocumentKey.self)
        node = DocumentNode(identity: nil, content: try Shape.projection.schema.object(fields))
    }
}

/// A tree of a document: the cache is asked for trees of one type, and theirs is known at run time only.
///
/// It codes nothing by itself: the outermost node goes the way that a call for a `Codable` model takes.
struct CodableDocumentTree<Root: DocumentShape>: CacheableModel {
    let node: DocumentNode

    static var fields: FieldTable { .dynamic }
    static var recordName: String { DocumentNode.recordName }
    static var acceptsAnyRecordName: Bool { true }
    var modelIdentifier: ModelIdentifier? { node.modelIdentifier }

    func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Self else { return false }
        return node.isEqual(to: other.node)
    }

    func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        func encode(_ model: some DocumentModel) throws(CacheError) {
            try CodableNode(model).encodeValue(to: &encoder)
        }
        try encode(node.model())
    }

    func encodeFields(to encoder: inout NodeEncoder) throws(CacheError) {
        func encode(_ model: some DocumentModel) throws(CacheError) {
            try CodableNode(model).encodeFields(to: &encoder)
        }
        try encode(node.model())
    }

    static func decodeFields(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        Self(node: try CodableNode<CodableDocument<Root>>.decodeFields(from: &decoder).base.node)
    }
}

extension DocumentNode {
    /// The node as a model that is `Codable`.
    ///
    /// - Throws: `unencodable` for a node that has no type.
    func model() throws(CacheError) -> any DocumentModel {
        guard let type = identity?.model else {
            throw CacheError(.unencodable, "The document's node has no type.", identifier: modelIdentifier)
        }
        return type.init(self)
    }
}

/// The name of a field of a document.
struct DocumentKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

// MARK: Encoding

extension KeyedEncodingContainer where Key == DocumentKey {
    fileprivate mutating func write(_ value: DocumentValue, forKey key: DocumentKey) throws {
        switch value {
        case .plain(let value): try write(value, forKey: key)
        case .node(let node): try encode(node.model(), forKey: key)
        case .array(let elements):
            var inner = nestedUnkeyedContainer(forKey: key)
            for element in elements { try inner.write(element) }
        case .object(let members):
            var inner = nestedContainer(keyedBy: DocumentKey.self, forKey: key)
            for member in members { try inner.write(member.value, forKey: DocumentKey(stringValue: member.key)) }
        }
    }

    fileprivate mutating func write(_ value: JSON, forKey key: DocumentKey) throws {
        switch value {
        case .null: try encodeNil(forKey: key)
        case .bool(let value): try encode(value, forKey: key)
        case .integer(let value): try encode(value, forKey: key)
        case .unsigned(let value): try encode(value, forKey: key)
        case .big(let value): try encode(value, forKey: key)
        case .double(let value): try encode(value, forKey: key)
        case .string(let value): try encode(value, forKey: key)
        case .array(let elements):
            var inner = nestedUnkeyedContainer(forKey: key)
            for element in elements { try inner.write(element) }
        case .object(let members):
            var inner = nestedContainer(keyedBy: DocumentKey.self, forKey: key)
            for member in members { try inner.write(member.value, forKey: DocumentKey(stringValue: member.key)) }
        }
    }
}

extension UnkeyedEncodingContainer {
    fileprivate mutating func write(_ value: DocumentValue) throws {
        switch value {
        case .plain(let value): try write(value)
        case .node(let node): try encode(node.model())
        case .array(let elements):
            var inner = nestedUnkeyedContainer()
            for element in elements { try inner.write(element) }
        case .object(let members):
            var inner = nestedContainer(keyedBy: DocumentKey.self)
            for member in members { try inner.write(member.value, forKey: DocumentKey(stringValue: member.key)) }
        }
    }

    fileprivate mutating func write(_ value: JSON) throws {
        switch value {
        case .null: try encodeNil()
        case .bool(let value): try encode(value)
        case .integer(let value): try encode(value)
        case .unsigned(let value): try encode(value)
        case .big(let value): try encode(value)
        case .double(let value): try encode(value)
        case .string(let value): try encode(value)
        case .array(let elements):
            var inner = nestedUnkeyedContainer()
            for element in elements { try inner.write(element) }
        case .object(let members):
            var inner = nestedContainer(keyedBy: DocumentKey.self)
            for member in members { try inner.write(member.value, forKey: DocumentKey(stringValue: member.key)) }
        }
    }
}
