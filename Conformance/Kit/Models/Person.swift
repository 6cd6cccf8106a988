import GroveCoding
import GroveModel

/// A leaf: an identifier that is the record's own, a name and an age.
struct Person: CacheableModel, Equatable {
    let id: String
    var name = "Ada"
    var age: Int?

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "age", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(age, at: 1)
        try node.encode(name, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Person {
        let id = try node.scan(String.self, at: 0)
        let age = try node.scan(Int?.self, at: 1)
        let name = try node.scan(String.self, at: 2)
        return Person(id: try node.finish(id), name: try node.finish(name), age: try node.finish(age))
    }
}
