import GroveModel

/// The links of a user.
struct TweetUserEntities: Equatable {
    let description: TweetUserLinks
    let url: TweetUserLinks?
}

extension TweetUserEntities: CacheableModel {
    static let fields = FieldTable("url", "description")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(url, at: 0)
        try node.encode(description, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetUserEntities {
        let url = try node.scan(TweetUserLinks?.self, at: 0)
        let description = try node.scan(TweetUserLinks.self, at: 1)
        return TweetUserEntities(description: try node.finish(description), url: try node.finish(url))
    }
}

/// The links in one field of a user.
struct TweetUserLinks: Equatable {
    let urls: [TweetLink]
}

extension TweetUserLinks: CacheableModel {
    static let fields = FieldTable("urls")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(urls, at: 0)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetUserLinks {
        let urls = try node.scan([TweetLink].self, at: 0)
        return TweetUserLinks(urls: try node.finish(urls))
    }
}
