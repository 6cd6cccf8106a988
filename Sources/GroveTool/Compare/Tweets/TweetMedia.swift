import GroveModel

/// A picture of a tweet.
struct TweetMedia: Equatable {
    let id: Int
    let idString: String
    let type: String
    let url: String
    let mediaURL: String
    let mediaURLHTTPS: String
    let displayURL: String
    let expandedURL: String
    let indices: [Int]
    let sizes: TweetMediaSizes
    let sourceStatusID: Int?
    let sourceStatusIDString: String?
}

extension TweetMedia: CacheableModel {
    static let fields = FieldTable(
        "id", "url", "type", "sizes", "id_str", "indices", "media_url",
        "display_url", "expanded_url", "media_url_https", "source_status_id", "source_status_id_str")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(url, at: 1)
        try node.encode(type, at: 2)
        try node.encode(sizes, at: 3)
        try node.encode(idString, at: 4)
        try node.encode(indices, at: 5)
        try node.encode(mediaURL, at: 6)
        try node.encode(displayURL, at: 7)
        try node.encode(expandedURL, at: 8)
        try node.encode(mediaURLHTTPS, at: 9)
        try node.encode(sourceStatusID, at: 10)
        try node.encode(sourceStatusIDString, at: 11)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetMedia {
        let id = try node.scan(Int.self, at: 0)
        let url = try node.scan(String.self, at: 1)
        let type = try node.scan(String.self, at: 2)
        let sizes = try node.scan(TweetMediaSizes.self, at: 3)
        let idString = try node.scan(String.self, at: 4)
        let indices = try node.scan([Int].self, at: 5)
        let mediaURL = try node.scan(String.self, at: 6)
        let displayURL = try node.scan(String.self, at: 7)
        let expandedURL = try node.scan(String.self, at: 8)
        let mediaURLHTTPS = try node.scan(String.self, at: 9)
        let sourceStatusID = try node.scan(Int?.self, at: 10)
        let sourceStatusIDString = try node.scan(String?.self, at: 11)
        return TweetMedia(
            id: try node.finish(id), idString: try node.finish(idString), type: try node.finish(type),
            url: try node.finish(url), mediaURL: try node.finish(mediaURL),
            mediaURLHTTPS: try node.finish(mediaURLHTTPS), displayURL: try node.finish(displayURL),
            expandedURL: try node.finish(expandedURL), indices: try node.finish(indices),
            sizes: try node.finish(sizes), sourceStatusID: try node.finish(sourceStatusID),
            sourceStatusIDString: try node.finish(sourceStatusIDString))
    }
}

/// The sizes in which a picture is there.
struct TweetMediaSizes: Equatable {
    let thumb: TweetMediaSize
    let small: TweetMediaSize
    let medium: TweetMediaSize
    let large: TweetMediaSize
}

extension TweetMediaSizes: CacheableModel {
    static let fields = FieldTable("large", "small", "thumb", "medium")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(large, at: 0)
        try node.encode(small, at: 1)
        try node.encode(thumb, at: 2)
        try node.encode(medium, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetMediaSizes {
        let large = try node.scan(TweetMediaSize.self, at: 0)
        let small = try node.scan(TweetMediaSize.self, at: 1)
        let thumb = try node.scan(TweetMediaSize.self, at: 2)
        let medium = try node.scan(TweetMediaSize.self, at: 3)
        return TweetMediaSizes(
            thumb: try node.finish(thumb), small: try node.finish(small), medium: try node.finish(medium),
            large: try node.finish(large))
    }
}

/// One of a picture's sizes.
struct TweetMediaSize: Equatable {
    let w: Int
    let h: Int
    let resize: String
}

extension TweetMediaSize: CacheableModel {
    static let fields = FieldTable("h", "w", "resize")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(h, at: 0)
        try node.encode(w, at: 1)
        try node.encode(resize, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetMediaSize {
        let h = try node.scan(Int.self, at: 0)
        let w = try node.scan(Int.self, at: 1)
        let resize = try node.scan(String.self, at: 2)
        return TweetMediaSize(w: try node.finish(w), h: try node.finish(h), resize: try node.finish(resize))
    }
}
