import GroveCoding
import GroveModel

/// A node with the values whose order a record must settle: a set, a dictionary and a reference.
struct Values: CacheableModel, Equatable {
    let id: String
    var map: [String: Int] = [:]
    var ref: Person?
    var set: Set<Int> = []

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "map", "ref", "set")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(map, at: 1)
        try node.encode(ref, at: 2)
        try node.encode(set, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Values {
        let id = try node.scan(String.self, at: 0)
        let map = try node.scan([String: Int].self, at: 1)
        let ref = try node.scan(Person?.self, at: 2)
        let set = try node.scan(Set<Int>.self, at: 3)
        return Values(
            id: try node.finish(id), map: try node.finish(map), ref: try node.finish(ref), set: try node.finish(set))
    }
}
