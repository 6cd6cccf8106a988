/// What stands in a tweet's text, and the pictures with it.
struct CodableTweetEntities: Codable, Equatable, Sendable {
    let hashtags: [CodableTweetHashtag]
    let symbols: [CodableTweetHashtag]
    let urls: [CodableTweetLink]
    let userMentions: [CodableTweetMention]
    let media: [CodableTweetMedia]?

    enum CodingKeys: String, CodingKey {
        case hashtags, symbols, urls, media
        case userMentions = "user_mentions"
    }
}

/// A hashtag, or a symbol such as that of a share, and where it stands.
struct CodableTweetHashtag: Codable, Equatable, Sendable {
    let text: String
    let indices: [Int]
}

/// A shortened link and where it stands.
struct CodableTweetLink: Codable, Equatable, Sendable {
    let url: String
    let expandedURL: String
    let displayURL: String
    let indices: [Int]

    enum CodingKeys: String, CodingKey {
        case url, indices
        case expandedURL = "expanded_url"
        case displayURL = "display_url"
    }
}

/// A user who is mentioned, in place: no node of the document.
struct CodableTweetMention: Codable, Equatable, Sendable {
    let id: Int
    let idString: String
    let name: String
    let screenName: String
    let indices: [Int]

    enum CodingKeys: String, CodingKey {
        case id, name, indices
        case idString = "id_str"
        case screenName = "screen_name"
    }
}

/// A picture of a tweet.
struct CodableTweetMedia: Codable, Equatable, Sendable {
    let id: Int
    let idString: String
    let type: String
    let url: String
    let mediaURL: String
    let mediaURLHTTPS: String
    let displayURL: String
    let expandedURL: String
    let indices: [Int]
    let sizes: CodableTweetMediaSizes
    let sourceStatusID: Int?
    let sourceStatusIDString: String?

    enum CodingKeys: String, CodingKey {
        case id, type, url, indices, sizes
        case idString = "id_str"
        case mediaURL = "media_url"
        case mediaURLHTTPS = "media_url_https"
        case displayURL = "display_url"
        case expandedURL = "expanded_url"
        case sourceStatusID = "source_status_id"
        case sourceStatusIDString = "source_status_id_str"
    }
}

/// The sizes in which a picture is there.
struct CodableTweetMediaSizes: Codable, Equatable, Sendable {
    let thumb: CodableTweetMediaSize
    let small: CodableTweetMediaSize
    let medium: CodableTweetMediaSize
    let large: CodableTweetMediaSize
}

/// One of a picture's sizes.
struct CodableTweetMediaSize: Codable, Equatable, Sendable {
    let w: Int
    let h: Int
    let resize: String
}
