import GroveCoding
import GroveModel

/// The small projection of the record "Profile".
struct SmallProfile: CacheableModel, Equatable {
    let id: String
    var name = "Ada"

    static var recordName: String { "Profile" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> SmallProfile {
        let id = try node.scan(String.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        return SmallProfile(id: try node.finish(id), name: try node.finish(name))
    }
}

/// The full projection of the record "Profile".
struct FullProfile: CacheableModel, Equatable {
    let id: String
    var bio: String? = "long"
    var mail = "ada@example.org"
    var name = "Ada"

    static var recordName: String { "Profile" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "bio", "mail", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(bio, at: 1)
        try node.encode(mail, at: 2)
        try node.encode(name, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> FullProfile {
        let id = try node.scan(String.self, at: 0)
        let bio = try node.scan(String?.self, at: 1)
        let mail = try node.scan(String.self, at: 2)
        let name = try node.scan(String.self, at: 3)
        return FullProfile(
            id: try node.finish(id), bio: try node.finish(bio), mail: try node.finish(mail), name: try node.finish(name)
        )
    }
}

/// ``FullProfile`` as another version of the application declares it: without the field "bio".
struct FullProfileWithoutBio: CacheableModel, Equatable {
    let id: String
    var mail = "ada@example.org"
    var name = "Ada"

    static var recordName: String { "Profile" }
    static var projectionName: String { "FullProfile" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "mail", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(mail, at: 1)
        try node.encode(name, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> FullProfileWithoutBio {
        let id = try node.scan(String.self, at: 0)
        let mail = try node.scan(String.self, at: 1)
        let name = try node.scan(String.self, at: 2)
        return FullProfileWithoutBio(id: try node.finish(id), mail: try node.finish(mail), name: try node.finish(name))
    }
}

/// A projection of the record "Profile" that carries nothing but a biography, or that there is none.
struct ProfileBio: CacheableModel, Equatable {
    let id: String
    var bio: String?

    static var recordName: String { "Profile" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "bio")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(bio, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> ProfileBio {
        let id = try node.scan(String.self, at: 0)
        let bio = try node.scan(String?.self, at: 1)
        return ProfileBio(id: try node.finish(id), bio: try node.finish(bio))
    }
}
