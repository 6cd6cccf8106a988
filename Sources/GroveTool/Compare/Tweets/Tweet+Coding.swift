import GroveModel

extension Tweet: CacheableModel {
    static let recordName = "Status"
    static let projectionName = "Status"
    static let fields = FieldTable(
        "id", "geo", "lang", "text", "user", "place", "id_str", "source",
        "entities", "metadata", "favorited", "retweeted", "truncated", "created_at", "coordinates", "contributors",
        "retweet_count", "favorite_count", "retweeted_status", "possibly_sensitive", "in_reply_to_user_id",
        "in_reply_to_status_id", "in_reply_to_screen_name", "in_reply_to_user_id_str", "in_reply_to_status_id_str")

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("Status:" + idString) }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Status:")
        identifier.append(idString)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(geo, at: 1)
        try node.encode(lang, at: 2)
        try node.encode(text, at: 3)
        try node.encode(user, at: 4)
        try node.encode(place, at: 5)
        try node.encode(idString, at: 6)
        try node.encode(source, at: 7)
        try node.encode(entities, at: 8)
        try node.encode(metadata, at: 9)
        try node.encode(favorited, at: 10)
        try node.encode(retweeted, at: 11)
        try node.encode(truncated, at: 12)
        try node.encode(createdAt, at: 13)
        try node.encode(coordinates, at: 14)
        try node.encode(contributors, at: 15)
        try node.encode(retweetCount, at: 16)
        try node.encode(favoriteCount, at: 17)
        try node.encode(retweetedStatus, at: 18)
        try node.encode(possiblySensitive, at: 19)
        try node.encode(inReplyToUserID, at: 20)
        try node.encode(inReplyToStatusID, at: 21)
        try node.encode(inReplyToScreenName, at: 22)
        try node.encode(inReplyToUserIDString, at: 23)
        try node.encode(inReplyToStatusIDString, at: 24)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Tweet {
        let id = try node.scan(Int.self, at: 0)
        let geo = try node.scan(TweetPoint?.self, at: 1)
        let lang = try node.scan(String.self, at: 2)
        let text = try node.scan(String.self, at: 3)
        let user = try node.scan(TweetUser.self, at: 4)
        let place = try node.scan(TweetPlace?.self, at: 5)
        let idString = try node.scan(String.self, at: 6)
        let source = try node.scan(String.self, at: 7)
        let entities = try node.scan(TweetEntities.self, at: 8)
        let metadata = try node.scan(TweetMetadata.self, at: 9)
        let favorited = try node.scan(Bool.self, at: 10)
        let retweeted = try node.scan(Bool.self, at: 11)
        let truncated = try node.scan(Bool.self, at: 12)
        let createdAt = try node.scan(String.self, at: 13)
        let coordinates = try node.scan(TweetPoint?.self, at: 14)
        let contributors = try node.scan([TweetContributor]?.self, at: 15)
        let retweetCount = try node.scan(Int.self, at: 16)
        let favoriteCount = try node.scan(Int.self, at: 17)
        let retweetedStatus = try node.scan(Tweet?.self, at: 18)
        let possiblySensitive = try node.scan(Bool?.self, at: 19)
        let inReplyToUserID = try node.scan(Int?.self, at: 20)
        let inReplyToStatusID = try node.scan(Int?.self, at: 21)
        let inReplyToScreenName = try node.scan(String?.self, at: 22)
        let inReplyToUserIDString = try node.scan(String?.self, at: 23)
        let inReplyToStatusIDString = try node.scan(String?.self, at: 24)
        return Tweet(
            id: try node.finish(id), idString: try node.finish(idString), createdAt: try node.finish(createdAt),
            text: try node.finish(text), source: try node.finish(source), lang: try node.finish(lang),
            truncated: try node.finish(truncated), user: try node.finish(user), metadata: try node.finish(metadata),
            entities: try node.finish(entities), inReplyToStatusID: try node.finish(inReplyToStatusID),
            inReplyToStatusIDString: try node.finish(inReplyToStatusIDString),
            inReplyToUserID: try node.finish(inReplyToUserID),
            inReplyToUserIDString: try node.finish(inReplyToUserIDString),
            inReplyToScreenName: try node.finish(inReplyToScreenName), geo: try node.finish(geo),
            coordinates: try node.finish(coordinates), place: try node.finish(place),
            contributors: try node.finish(contributors), retweetCount: try node.finish(retweetCount),
            favoriteCount: try node.finish(favoriteCount), favorited: try node.finish(favorited),
            retweeted: try node.finish(retweeted), possiblySensitive: try node.finish(possiblySensitive),
            retweetedStatus: try node.finish(retweetedStatus))
    }
}
