import GroveCoding
import GroveModel

/// A sender of messages in the generated feed.
struct FeedPerson: Equatable {
    let id: Int
    let name: String
    let email: String
    let about: String
    let online: Bool
    let followers: Int
}

extension FeedPerson: CacheableModel {
    static let recordName = "Person"
    static let projectionName = "Person"
    static let fields = FieldTable("id", "name", "about", "email", "online", "followers")

    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Person:")
        identifier.append(id)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
        try node.encode(about, at: 2)
        try node.encode(email, at: 3)
        try node.encode(online, at: 4)
        try node.encode(followers, at: 5)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> FeedPerson {
        let id = try node.scan(Int.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        let about = try node.scan(String.self, at: 2)
        let email = try node.scan(String.self, at: 3)
        let online = try node.scan(Bool.self, at: 4)
        let followers = try node.scan(Int.self, at: 5)
        return FeedPerson(
            id: try node.finish(id), name: try node.finish(name), email: try node.finish(email),
            about: try node.finish(about), online: try node.finish(online), followers: try node.finish(followers))
    }
}
