package import GroveCoding
package import GroveModel

/// A leaf: an identifier that is the record's own, a name and an age.
package struct Person: CacheableModel, Equatable {
    package let id: String
    package var name: String
    package var age: Int?

    package init(id: String, name: String = "Ada", age: Int? = nil) {
        (self.id, self.name, self.age) = (id, name, age)
    }

    package var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    package static let fields = FieldTable("id", "age", "name")

    package func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(age, at: 1)
        try node.encode(name, at: 2)
    }

    package static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Person {
        let id = try node.scan(String.self, at: 0)
        let age = try node.scan(Int?.self, at: 1)
        let name = try node.scan(String.self, at: 2)
        return Person(id: try node.finish(id), name: try node.finish(name), age: try node.finish(age))
    }
}
