import GroveCoding
import GroveModel

/// A record of one key, as small as any other: for tools that care about which keys are there and not about content.
struct TraceItem: CacheableModel, Equatable {
    let id: String
    var text = ""

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let recordName = "Item"
    static let projectionName = "Item"
    static let fields = FieldTable("id", "text")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(text, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TraceItem {
        let id = try node.scan(String.self, at: 0)
        let text = try node.scan(String.self, at: 1)
        return TraceItem(id: try node.finish(id), text: try node.finish(text))
    }
}
