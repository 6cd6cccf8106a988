import GroveModel

/// How a search found a tweet.
struct TweetMetadata: Equatable {
    let resultType: String
    let isoLanguageCode: String
}

extension TweetMetadata: CacheableModel {
    static let fields = FieldTable("result_type", "iso_language_code")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(resultType, at: 0)
        try node.encode(isoLanguageCode, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetMetadata {
        let resultType = try node.scan(String.self, at: 0)
        let isoLanguageCode = try node.scan(String.self, at: 1)
        return TweetMetadata(
            resultType: try node.finish(resultType), isoLanguageCode: try node.finish(isoLanguageCode))
    }
}

/// Somebody who wrote a tweet for its user.
struct TweetContributor: Equatable {
    let id: Int
    let idString: String
    let screenName: String
}

extension TweetContributor: CacheableModel {
    static let fields = FieldTable("id", "id_str", "screen_name")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(idString, at: 1)
        try node.encode(screenName, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetContributor {
        let id = try node.scan(Int.self, at: 0)
        let idString = try node.scan(String.self, at: 1)
        let screenName = try node.scan(String.self, at: 2)
        return TweetContributor(
            id: try node.finish(id), idString: try node.finish(idString), screenName: try node.finish(screenName))
    }
}
