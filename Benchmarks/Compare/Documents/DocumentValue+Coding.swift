import GroveCoding
import GroveModel

extension DocumentValue {
    /// Writes the value; nodes in it become references, and records elsewhere.
    func encode(to encoder: inout NodeEncoder) throws(CacheError) {
        switch self {
        case .plain(let value): try value.encode(to: &encoder)
        case .node(let node): try node.encodeValue(to: &encoder)
        case .array(let elements):
            encoder.writeArrayHead(count: elements.count)
            for element in elements { try element.encode(to: &encoder) }
        case .object(let members):
            // Members are encoded in the order of the document, in which later occurrences win, and stored in the
            // order of their encoded names.
            let entries = try encoder.sortedEncodings(count: members.count) { (index, encoder) throws(CacheError) in
                encoder.write(members[index].key)
                try members[index].value.encode(to: &encoder)
            }
            encoder.writeMapHead(count: members.count)
            for entry in entries { encoder.writeEncoded(entry.bytes) }
        }
    }

    /// Reads a value, or returns `nil` if it is a reference to a node that was deleted.
    init?(unlessDeleted decoder: inout NodeDecoder, depth: Int = 0) throws(NodeReadFailure) {
        do throws(NodeReadFailure) {
            self = try DocumentValue(from: &decoder, depth: depth)
        } catch {
            guard case .deleted = error else { throw error }
            return nil
        }
    }

    /// Reads a value and fetches the nodes in it.
    private init(from decoder: inout NodeDecoder, depth: Int) throws(NodeReadFailure) {
        guard depth <= JSON.maxStoredDepth else { throw .corrupted }
        if let reference = try decoder.readReference() {
            let node = DocumentValue.node(try DocumentNode(reference, in: &decoder))
            // The layout of SE-0295: an enum's case is an object of one member.
            self =
                reference.caseName.map { .object([DocumentMember($0, .object([DocumentMember("_0", node)]))]) } ?? node
            return
        }
        var ahead = decoder
        let (major, count) = try ahead.readHead()
        switch major {
        case CBORMajor.array:
            _ = try decoder.readArrayHead()
            var elements: [DocumentValue] = []
            for _ in 0..<count {
                if let element = try DocumentValue(unlessDeleted: &decoder, depth: depth + 1) {
                    elements.append(element)
                }
            }
            self = .array(elements)
        case CBORMajor.map:
            _ = try decoder.readMapHead()
            var members: [DocumentMember] = []
            var order = EncodingOrder()
            for _ in 0..<count {
                try order.check(decoder)
                let key = try JSON(from: &decoder)
                let value = try DocumentValue(unlessDeleted: &decoder, depth: depth + 1) ?? .plain(.null)
                members.append(DocumentMember(key.text ?? key.description, value))
            }
            self = .object(members)
        default:
            self = .plain(try JSON(from: &decoder))
        }
    }
}

extension DocumentNode {
    /// Fetches the node that `reference` names; one that cannot be read says so.
    fileprivate init(_ reference: NodeReference, in decoder: inout NodeDecoder) throws(NodeReadFailure) {
        do throws(NodeReadFailure) {
            self = try decoder.node(DocumentNode.self, reference)
        } catch {
            guard let node = DocumentNode(reference.identifier, unreadable: error) else { throw error }
            self = node
        }
    }
}
