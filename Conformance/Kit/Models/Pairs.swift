import GroveCoding
import GroveModel

/// A type whose record name and projection are "a:b" and "c".
struct FirstPair: CacheableModel, Equatable {
    let id: String

    static var recordName: String { "a:b" }
    static var projectionName: String { "c" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> FirstPair {
        let id = try node.scan(String.self, at: 0)
        return FirstPair(id: try node.finish(id))
    }
}

/// A type whose record name and projection are "a" and "b:c".
struct SecondPair: CacheableModel, Equatable {
    let id: String

    static var recordName: String { "a" }
    static var projectionName: String { "b:c" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> SecondPair {
        let id = try node.scan(String.self, at: 0)
        return SecondPair(id: try node.finish(id))
    }
}
