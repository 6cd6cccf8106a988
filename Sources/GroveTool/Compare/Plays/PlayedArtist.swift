import GroveModel

/// Whoever made a track or an album: a node that holds no other.
struct PlayedArtist: Equatable {
    let id: String
    var name: String
    let type: String
    let uri: String
    let href: String
    let externalURLs: [String: String]

    /// The artist as it is in `version`.
    func version(_ version: Int) -> PlayedArtist {
        var artist = self
        artist.name += " (\(version))"
        return artist
    }
}

extension PlayedArtist: CacheableModel {
    static let recordName = "Artist"
    static let projectionName = "Artist"
    static let fields = FieldTable("id", "uri", "href", "name", "type", "external_urls")

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Artist:" + id) }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Artist:")
        identifier.append(id)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(uri, at: 1)
        try node.encode(href, at: 2)
        try node.encode(name, at: 3)
        try node.encode(type, at: 4)
        try node.encode(externalURLs, at: 5)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PlayedArtist {
        let id = try node.scan(String.self, at: 0)
        let uri = try node.scan(String.self, at: 1)
        let href = try node.scan(String.self, at: 2)
        let name = try node.scan(String.self, at: 3)
        let type = try node.scan(String.self, at: 4)
        let externalURLs = try node.scan([String: String].self, at: 5)
        return PlayedArtist(
            id: try node.finish(id), name: try node.finish(name), type: try node.finish(type),
            uri: try node.finish(uri), href: try node.finish(href), externalURLs: try node.finish(externalURLs))
    }
}
