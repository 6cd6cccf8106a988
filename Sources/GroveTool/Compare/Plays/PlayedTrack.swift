import GroveModel

/// A track that was played: a tree of its album and artists.
struct PlayedTrack: Equatable {
    let id: String
    let name: String
    let type: String
    let uri: String
    let href: String
    var album: PlayedAlbum
    var artists: [PlayedArtist]
    let availableMarkets: [String]
    let discNumber: Int
    let trackNumber: Int
    let durationMilliseconds: Int
    let explicit: Bool
    let isLocal: Bool
    var popularity: Int
    let previewURL: String?
    let externalIDs: [String: String]
    let externalURLs: [String: String]

    /// The track as it is in `version`, with all in it.
    func version(_ version: Int) -> PlayedTrack {
        var track = self
        track.popularity &+= version
        track.album = album.version(version)
        track.artists = artists.map { $0.version(version) }
        return track
    }
}

extension PlayedTrack: CacheableModel {
    static let recordName = "Track"
    static let projectionName = "Track"
    static let fields = FieldTable(
        "id", "uri", "href", "name", "type", "album", "artists", "explicit",
        "is_local", "popularity", "disc_number", "duration_ms", "preview_url", "external_ids", "track_number",
        "external_urls", "available_markets")

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Track:" + id) }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Track:")
        identifier.append(id)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(uri, at: 1)
        try node.encode(href, at: 2)
        try node.encode(name, at: 3)
        try node.encode(type, at: 4)
        try node.encode(album, at: 5)
        try node.encode(artists, at: 6)
        try node.encode(explicit, at: 7)
        try node.encode(isLocal, at: 8)
        try node.encode(popularity, at: 9)
        try node.encode(discNumber, at: 10)
        try node.encode(durationMilliseconds, at: 11)
        try node.encode(previewURL, at: 12)
        try node.encode(externalIDs, at: 13)
        try node.encode(trackNumber, at: 14)
        try node.encode(externalURLs, at: 15)
        try node.encode(availableMarkets, at: 16)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PlayedTrack {
        let id = try node.scan(String.self, at: 0)
        let uri = try node.scan(String.self, at: 1)
        let href = try node.scan(String.self, at: 2)
        let name = try node.scan(String.self, at: 3)
        let type = try node.scan(String.self, at: 4)
        let album = try node.scan(PlayedAlbum.self, at: 5)
        let artists = try node.scan([PlayedArtist].self, at: 6)
        let explicit = try node.scan(Bool.self, at: 7)
        let isLocal = try node.scan(Bool.self, at: 8)
        let popularity = try node.scan(Int.self, at: 9)
        let discNumber = try node.scan(Int.self, at: 10)
        let durationMilliseconds = try node.scan(Int.self, at: 11)
        let previewURL = try node.scan(String?.self, at: 12)
        let externalIDs = try node.scan([String: String].self, at: 13)
        let trackNumber = try node.scan(Int.self, at: 14)
        let externalURLs = try node.scan([String: String].self, at: 15)
        let availableMarkets = try node.scan([String].self, at: 16)
        return PlayedTrack(
            id: try node.finish(id), name: try node.finish(name), type: try node.finish(type),
            uri: try node.finish(uri), href: try node.finish(href), album: try node.finish(album),
            artists: try node.finish(artists), availableMarkets: try node.finish(availableMarkets),
            discNumber: try node.finish(discNumber), trackNumber: try node.finish(trackNumber),
            durationMilliseconds: try node.finish(durationMilliseconds), explicit: try node.finish(explicit),
            isLocal: try node.finish(isLocal), popularity: try node.finish(popularity),
            previewURL: try node.finish(previewURL), externalIDs: try node.finish(externalIDs),
            externalURLs: try node.finish(externalURLs))
    }
}
