import GroveModel

/// A track that was played: a tree of its album and artists.
struct CodablePlayedTrack: SimpleModel, Codable, Equatable {
    static let recordName = "Track"
    static let projectionName = "Track"

    let id: String
    let name: String
    let type: String
    let uri: String
    let href: String
    var album: CodablePlayedAlbum
    var artists: [CodablePlayedArtist]
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

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Track:" + id) }

    /// The track as it is in `version`, with all in it.
    func version(_ version: Int) -> CodablePlayedTrack {
        var track = self
        track.popularity &+= version
        track.album = album.version(version)
        track.artists = artists.map { $0.version(version) }
        return track
    }

    enum CodingKeys: String, CodingKey {
        case id, name, type, uri, href, album, artists, explicit, popularity
        case availableMarkets = "available_markets"
        case discNumber = "disc_number"
        case trackNumber = "track_number"
        case durationMilliseconds = "duration_ms"
        case isLocal = "is_local"
        case previewURL = "preview_url"
        case externalIDs = "external_ids"
        case externalURLs = "external_urls"
    }
}

/// The album of a track, with its own artists.
struct CodablePlayedAlbum: SimpleModel, Codable, Equatable {
    static let recordName = "Album"
    static let projectionName = "Album"

    let id: String
    let name: String
    let type: String
    let uri: String
    let href: String
    let albumType: String
    var artists: [CodablePlayedArtist]
    let availableMarkets: [String]
    let images: [CodablePlayedImage]
    let releaseDate: String
    let releaseDatePrecision: String
    var totalTracks: Int
    let externalURLs: [String: String]

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Album:" + id) }

    /// The album as it is in `version`, with its artists.
    func version(_ version: Int) -> CodablePlayedAlbum {
        var album = self
        album.totalTracks &+= version
        album.artists = artists.map { $0.version(version) }
        return album
    }

    enum CodingKeys: String, CodingKey {
        case id, name, type, uri, href, artists, images
        case albumType = "album_type"
        case availableMarkets = "available_markets"
        case releaseDate = "release_date"
        case releaseDatePrecision = "release_date_precision"
        case totalTracks = "total_tracks"
        case externalURLs = "external_urls"
    }
}

/// Whoever made a track or an album: a node that holds no other.
struct CodablePlayedArtist: SimpleModel, Codable, Equatable {
    static let recordName = "Artist"
    static let projectionName = "Artist"

    let id: String
    var name: String
    let type: String
    let uri: String
    let href: String
    let externalURLs: [String: String]

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Artist:" + id) }

    /// The artist as it is in `version`.
    func version(_ version: Int) -> CodablePlayedArtist {
        var artist = self
        artist.name += " (\(version))"
        return artist
    }

    enum CodingKeys: String, CodingKey {
        case id, name, type, uri, href
        case externalURLs = "external_urls"
    }
}

/// The cover of an album in one size.
struct CodablePlayedImage: Codable, Equatable, Sendable {
    let url: String
    let width: Int
    let height: Int
}
