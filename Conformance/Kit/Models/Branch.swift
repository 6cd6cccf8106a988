import GroveCoding
import GroveModel

/// A model that holds others of its own type, so that separate writes can make it hold itself.
struct Branch: CacheableModel, Equatable {
    let id: String
    var label = 0
    var boss: Person?
    var parts: [Branch] = []

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "boss", "label", "parts")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(boss, at: 1)
        try node.encode(label, at: 2)
        try node.encode(parts, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Branch {
        let id = try node.scan(String.self, at: 0)
        let boss = try node.scan(Person?.self, at: 1)
        let label = try node.scan(Int.self, at: 2)
        let parts = try node.scan([Branch].self, at: 3)
        return Branch(
            id: try node.finish(id), label: try node.finish(label), boss: try node.finish(boss),
            parts: try node.finish(parts))
    }
}
