import GroveModel

/// A tweet, coded through `Codable`: the same record.
///
/// Nothing in it is a type of the other coding: what codes itself, `Codable` models leave to it.
final class CodableTweet: SimpleModel, Codable, Equatable {
    static let recordName = "Status"
    static let projectionName = "Status"

    let id: Int
    let idString: String
    let createdAt: String
    let text: String
    let source: String
    let lang: String
    let truncated: Bool
    let user: CodableTweetUser
    let metadata: CodableTweetMetadata
    let entities: CodableTweetEntities
    let inReplyToStatusID: Int?
    let inReplyToStatusIDString: String?
    let inReplyToUserID: Int?
    let inReplyToUserIDString: String?
    let inReplyToScreenName: String?
    let geo: CodableTweetPoint?
    let coordinates: CodableTweetPoint?
    let place: CodableTweetPlace?
    let contributors: [CodableTweetContributor]?
    let retweetCount: Int
    let favoriteCount: Int
    let favorited: Bool
    let retweeted: Bool
    let possiblySensitive: Bool?
    let retweetedStatus: CodableTweet?

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Status:" + idString) }

    /// `tweet` as it is in `version`.
    init(_ tweet: CodableTweet, version: Int) {
        user = tweet.user.version(version)
        retweetCount = tweet.retweetCount &+ version
        retweetedStatus = tweet.retweetedStatus.map { CodableTweet($0, version: version) }
        (id, idString, createdAt) = (tweet.id, tweet.idString, tweet.createdAt)
        (text, source, lang) = (tweet.text, tweet.source, tweet.lang)
        (truncated, metadata, entities) = (tweet.truncated, tweet.metadata, tweet.entities)
        (inReplyToStatusID, inReplyToStatusIDString, inReplyToUserID) = (
            tweet.inReplyToStatusID, tweet.inReplyToStatusIDString, tweet.inReplyToUserID
        )
        (inReplyToUserIDString, inReplyToScreenName, geo) = (
            tweet.inReplyToUserIDString, tweet.inReplyToScreenName, tweet.geo
        )
        (coordinates, place, contributors) = (tweet.coordinates, tweet.place, tweet.contributors)
        (favoriteCount, favorited, retweeted) = (tweet.favoriteCount, tweet.favorited, tweet.retweeted)
        possiblySensitive = tweet.possiblySensitive
    }

    static func == (left: CodableTweet, right: CodableTweet) -> Bool {
        guard left.id == right.id, left.idString == right.idString, left.createdAt == right.createdAt,
            left.text == right.text, left.source == right.source, left.lang == right.lang,
            left.truncated == right.truncated, left.user == right.user, left.metadata == right.metadata,
            left.entities == right.entities, left.inReplyToStatusID == right.inReplyToStatusID,
            left.inReplyToStatusIDString == right.inReplyToStatusIDString,
            left.inReplyToUserID == right.inReplyToUserID, left.inReplyToUserIDString == right.inReplyToUserIDString,
            left.inReplyToScreenName == right.inReplyToScreenName, left.geo == right.geo,
            left.coordinates == right.coordinates, left.place == right.place, left.contributors == right.contributors,
            left.retweetCount == right.retweetCount, left.favoriteCount == right.favoriteCount,
            left.favorited == right.favorited, left.retweeted == right.retweeted,
            left.possiblySensitive == right.possiblySensitive, left.retweetedStatus == right.retweetedStatus
        else { return false }
        return true
    }

    enum CodingKeys: String, CodingKey {
        case id, text, source, lang, truncated, user, metadata, entities, geo, coordinates, place, contributors,
            favorited, retweeted
        case idString = "id_str"
        case createdAt = "created_at"
        case inReplyToStatusID = "in_reply_to_status_id"
        case inReplyToStatusIDString = "in_reply_to_status_id_str"
        case inReplyToUserID = "in_reply_to_user_id"
        case inReplyToUserIDString = "in_reply_to_user_id_str"
        case inReplyToScreenName = "in_reply_to_screen_name"
        case retweetCount = "retweet_count"
        case favoriteCount = "favorite_count"
        case possiblySensitive = "possibly_sensitive"
        case retweetedStatus = "retweeted_status"
    }
}
