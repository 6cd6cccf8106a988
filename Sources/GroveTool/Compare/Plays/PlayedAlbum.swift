import GroveModel

/// The album of a track, with its own artists.
struct PlayedAlbum: Equatable {
    let id: String
    let name: String
    let type: String
    let uri: String
    let href: String
    let albumType: String
    var artists: [PlayedArtist]
    let availableMarkets: [String]
    let images: [PlayedImage]
    let releaseDate: String
    let releaseDatePrecision: String
    var totalTracks: Int
    let externalURLs: [String: String]

    /// The album as it is in `version`, with its artists.
    func version(_ version: Int) -> PlayedAlbum {
        var album = self
        album.totalTracks &+= version
        album.artists = artists.map { $0.version(version) }
        return album
    }
}

extension PlayedAlbum: CacheableModel {
    static let recordName = "Album"
    static let projectionName = "Album"
    static let fields = FieldTable(
        "id", "uri", "href", "name", "type", "images", "artists", "album_type",
        "release_date", "total_tracks", "external_urls", "available_markets", "release_date_precision")

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Album:" + id) }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Album:")
        identifier.append(id)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(uri, at: 1)
        try node.encode(href, at: 2)
        try node.encode(name, at: 3)
        try node.encode(type, at: 4)
        try node.encode(images, at: 5)
        try node.encode(artists, at: 6)
        try node.encode(albumType, at: 7)
        try node.encode(releaseDate, at: 8)
        try node.encode(totalTracks, at: 9)
        try node.encode(externalURLs, at: 10)
        try node.encode(availableMarkets, at: 11)
        try node.encode(releaseDatePrecision, at: 12)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PlayedAlbum {
        let id = try node.scan(String.self, at: 0)
        let uri = try node.scan(String.self, at: 1)
        let href = try node.scan(String.self, at: 2)
        let name = try node.scan(String.self, at: 3)
        let type = try node.scan(String.self, at: 4)
        let images = try node.scan([PlayedImage].self, at: 5)
        let artists = try node.scan([PlayedArtist].self, at: 6)
        let albumType = try node.scan(String.self, at: 7)
        let releaseDate = try node.scan(String.self, at: 8)
        let totalTracks = try node.scan(Int.self, at: 9)
        let externalURLs = try node.scan([String: String].self, at: 10)
        let availableMarkets = try node.scan([String].self, at: 11)
        let releaseDatePrecision = try node.scan(String.self, at: 12)
        return PlayedAlbum(
            id: try node.finish(id), name: try node.finish(name), type: try node.finish(type),
            uri: try node.finish(uri), href: try node.finish(href), albumType: try node.finish(albumType),
            artists: try node.finish(artists), availableMarkets: try node.finish(availableMarkets),
            images: try node.finish(images), releaseDate: try node.finish(releaseDate),
            releaseDatePrecision: try node.finish(releaseDatePrecision), totalTracks: try node.finish(totalTracks),
            externalURLs: try node.finish(externalURLs))
    }
}

/// The cover of an album in one size.
struct PlayedImage: Equatable {
    let url: String
    let width: Int
    let height: Int
}

extension PlayedImage: CacheableModel {
    static let fields = FieldTable("url", "width", "height")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(url, at: 0)
        try node.encode(width, at: 1)
        try node.encode(height, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PlayedImage {
        let url = try node.scan(String.self, at: 0)
        let width = try node.scan(Int.self, at: 1)
        let height = try node.scan(Int.self, at: 2)
        return PlayedImage(url: try node.finish(url), width: try node.finish(width), height: try node.finish(height))
    }
}
