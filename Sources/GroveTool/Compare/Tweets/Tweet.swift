import GroveModel

/// A tweet: a tree of its user, and of the tweet that it repeats with that one's user.
///
/// A class, because it may hold another of its kind.
final class Tweet: Equatable, Sendable {
    let id: Int
    let idString: String
    let createdAt: String
    let text: String
    let source: String
    let lang: String
    let truncated: Bool
    let user: TweetUser
    let metadata: TweetMetadata
    let entities: TweetEntities
    let inReplyToStatusID: Int?
    let inReplyToStatusIDString: String?
    let inReplyToUserID: Int?
    let inReplyToUserIDString: String?
    let inReplyToScreenName: String?
    let geo: TweetPoint?
    let coordinates: TweetPoint?
    let place: TweetPlace?
    let contributors: [TweetContributor]?
    let retweetCount: Int
    let favoriteCount: Int
    let favorited: Bool
    let retweeted: Bool
    let possiblySensitive: Bool?
    let retweetedStatus: Tweet?

    init(
        id: Int, idString: String, createdAt: String, text: String, source: String, lang: String,
        truncated: Bool, user: TweetUser, metadata: TweetMetadata, entities: TweetEntities, inReplyToStatusID: Int?,
        inReplyToStatusIDString: String?, inReplyToUserID: Int?, inReplyToUserIDString: String?,
        inReplyToScreenName: String?, geo: TweetPoint?, coordinates: TweetPoint?, place: TweetPlace?,
        contributors: [TweetContributor]?, retweetCount: Int, favoriteCount: Int, favorited: Bool, retweeted: Bool,
        possiblySensitive: Bool?, retweetedStatus: Tweet?
    ) {
        (self.id, self.idString, self.createdAt) = (id, idString, createdAt)
        (self.text, self.source, self.lang) = (text, source, lang)
        (self.truncated, self.user, self.metadata) = (truncated, user, metadata)
        (self.entities, self.inReplyToStatusID, self.inReplyToStatusIDString) = (
            entities, inReplyToStatusID, inReplyToStatusIDString
        )
        (self.inReplyToUserID, self.inReplyToUserIDString, self.inReplyToScreenName) = (
            inReplyToUserID, inReplyToUserIDString, inReplyToScreenName
        )
        (self.geo, self.coordinates, self.place) = (geo, coordinates, place)
        (self.contributors, self.retweetCount, self.favoriteCount) = (contributors, retweetCount, favoriteCount)
        (self.favorited, self.retweeted, self.possiblySensitive) = (favorited, retweeted, possiblySensitive)
        self.retweetedStatus = retweetedStatus
    }

    static func == (left: Tweet, right: Tweet) -> Bool {
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

    /// The tweet as it is in `version`: with other counts, as in all of its nodes.
    func version(_ version: Int) -> Tweet {
        Tweet(
            id: id, idString: idString, createdAt: createdAt, text: text, source: source, lang: lang,
            truncated: truncated, user: user.version(version), metadata: metadata, entities: entities,
            inReplyToStatusID: inReplyToStatusID, inReplyToStatusIDString: inReplyToStatusIDString,
            inReplyToUserID: inReplyToUserID, inReplyToUserIDString: inReplyToUserIDString,
            inReplyToScreenName: inReplyToScreenName, geo: geo, coordinates: coordinates, place: place,
            contributors: contributors, retweetCount: retweetCount &+ version, favoriteCount: favoriteCount,
            favorited: favorited, retweeted: retweeted, possiblySensitive: possiblySensitive,
            retweetedStatus: retweetedStatus?.version(version))
    }
}
