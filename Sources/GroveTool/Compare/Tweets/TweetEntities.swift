import GroveModel

/// What stands in a tweet's text, and the pictures with it.
struct TweetEntities: Equatable {
    let hashtags: [TweetHashtag]
    let symbols: [TweetHashtag]
    let urls: [TweetLink]
    let userMentions: [TweetMention]
    let media: [TweetMedia]?
}

extension TweetEntities: CacheableModel {
    static let fields = FieldTable("urls", "media", "symbols", "hashtags", "user_mentions")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(urls, at: 0)
        try node.encode(media, at: 1)
        try node.encode(symbols, at: 2)
        try node.encode(hashtags, at: 3)
        try node.encode(userMentions, at: 4)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetEntities {
        let urls = try node.scan([TweetLink].self, at: 0)
        let media = try node.scan([TweetMedia]?.self, at: 1)
        let symbols = try node.scan([TweetHashtag].self, at: 2)
        let hashtags = try node.scan([TweetHashtag].self, at: 3)
        let userMentions = try node.scan([TweetMention].self, at: 4)
        return TweetEntities(
            hashtags: try node.finish(hashtags), symbols: try node.finish(symbols), urls: try node.finish(urls),
            userMentions: try node.finish(userMentions), media: try node.finish(media))
    }
}

/// A hashtag, or a symbol such as that of a share, and where it stands.
struct TweetHashtag: Equatable {
    let text: String
    let indices: [Int]
}

extension TweetHashtag: CacheableModel {
    static let fields = FieldTable("text", "indices")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(text, at: 0)
        try node.encode(indices, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetHashtag {
        let text = try node.scan(String.self, at: 0)
        let indices = try node.scan([Int].self, at: 1)
        return TweetHashtag(text: try node.finish(text), indices: try node.finish(indices))
    }
}

/// A shortened link and where it stands.
struct TweetLink: Equatable {
    let url: String
    let expandedURL: String
    let displayURL: String
    let indices: [Int]
}

extension TweetLink: CacheableModel {
    static let fields = FieldTable("url", "indices", "display_url", "expanded_url")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(url, at: 0)
        try node.encode(indices, at: 1)
        try node.encode(displayURL, at: 2)
        try node.encode(expandedURL, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetLink {
        let url = try node.scan(String.self, at: 0)
        let indices = try node.scan([Int].self, at: 1)
        let displayURL = try node.scan(String.self, at: 2)
        let expandedURL = try node.scan(String.self, at: 3)
        return TweetLink(
            url: try node.finish(url), expandedURL: try node.finish(expandedURL),
            displayURL: try node.finish(displayURL), indices: try node.finish(indices))
    }
}

/// A user who is mentioned, in place: no node of the document.
struct TweetMention: Equatable {
    let id: Int
    let idString: String
    let name: String
    let screenName: String
    let indices: [Int]
}

extension TweetMention: CacheableModel {
    static let fields = FieldTable("id", "name", "id_str", "indices", "screen_name")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
        try node.encode(idString, at: 2)
        try node.encode(indices, at: 3)
        try node.encode(screenName, at: 4)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetMention {
        let id = try node.scan(Int.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        let idString = try node.scan(String.self, at: 2)
        let indices = try node.scan([Int].self, at: 3)
        let screenName = try node.scan(String.self, at: 4)
        return TweetMention(
            id: try node.finish(id), idString: try node.finish(idString), name: try node.finish(name),
            screenName: try node.finish(screenName), indices: try node.finish(indices))
    }
}
