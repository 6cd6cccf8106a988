import GroveModel

extension TweetUser: CacheableModel {
    static let recordName = "User"
    static let projectionName = "User"
    static let fields = FieldTable(
        "id", "url", "lang", "name", "id_str", "entities", "location", "verified",
        "following", "protected", "time_zone", "created_at", "utc_offset", "description", "geo_enabled",
        "screen_name", "listed_count", "friends_count", "is_translator", "notifications", "statuses_count",
        "default_profile", "followers_count", "favourites_count", "profile_image_url", "profile_banner_url",
        "profile_link_color", "profile_text_color", "follow_request_sent", "contributors_enabled",
        "default_profile_image", "is_translation_enabled", "profile_background_tile", "profile_image_url_https",
        "profile_background_color", "profile_sidebar_fill_color", "profile_background_image_url",
        "profile_sidebar_border_color", "profile_use_background_image", "profile_background_image_url_https")

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("User:" + idString) }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("User:")
        identifier.append(idString)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(url, at: 1)
        try node.encode(lang, at: 2)
        try node.encode(name, at: 3)
        try node.encode(idString, at: 4)
        try node.encode(entities, at: 5)
        try node.encode(location, at: 6)
        try node.encode(verified, at: 7)
        try node.encode(following, at: 8)
        try node.encode(protected, at: 9)
        try node.encode(timeZone, at: 10)
        try node.encode(createdAt, at: 11)
        try node.encode(utcOffset, at: 12)
        try node.encode(description, at: 13)
        try node.encode(geoEnabled, at: 14)
        try node.encode(screenName, at: 15)
        try node.encode(listedCount, at: 16)
        try node.encode(friendsCount, at: 17)
        try node.encode(isTranslator, at: 18)
        try node.encode(notifications, at: 19)
        try node.encode(statusesCount, at: 20)
        try node.encode(defaultProfile, at: 21)
        try node.encode(followersCount, at: 22)
        try node.encode(favouritesCount, at: 23)
        try node.encode(profileImageURL, at: 24)
        try node.encode(profileBannerURL, at: 25)
        try node.encode(profileLinkColor, at: 26)
        try node.encode(profileTextColor, at: 27)
        try node.encode(followRequestSent, at: 28)
        try node.encode(contributorsEnabled, at: 29)
        try node.encode(defaultProfileImage, at: 30)
        try node.encode(isTranslationEnabled, at: 31)
        try node.encode(profileBackgroundTile, at: 32)
        try node.encode(profileImageURLHTTPS, at: 33)
        try node.encode(profileBackgroundColor, at: 34)
        try node.encode(profileSidebarFillColor, at: 35)
        try node.encode(profileBackgroundImageURL, at: 36)
        try node.encode(profileSidebarBorderColor, at: 37)
        try node.encode(profileUseBackgroundImage, at: 38)
        try node.encode(profileBackgroundImageURLHTTPS, at: 39)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetUser {
        let id = try node.scan(Int.self, at: 0)
        let url = try node.scan(String?.self, at: 1)
        let lang = try node.scan(String.self, at: 2)
        let name = try node.scan(String.self, at: 3)
        let idString = try node.scan(String.self, at: 4)
        let entities = try node.scan(TweetUserEntities.self, at: 5)
        let location = try node.scan(String.self, at: 6)
        let verified = try node.scan(Bool.self, at: 7)
        let following = try node.scan(Bool.self, at: 8)
        let protected = try node.scan(Bool.self, at: 9)
        let timeZone = try node.scan(String?.self, at: 10)
        let createdAt = try node.scan(String.self, at: 11)
        let utcOffset = try node.scan(Int?.self, at: 12)
        let description = try node.scan(String.self, at: 13)
        let geoEnabled = try node.scan(Bool.self, at: 14)
        let screenName = try node.scan(String.self, at: 15)
        let listedCount = try node.scan(Int.self, at: 16)
        let friendsCount = try node.scan(Int.self, at: 17)
        let isTranslator = try node.scan(Bool.self, at: 18)
        let notifications = try node.scan(Bool.self, at: 19)
        let statusesCount = try node.scan(Int.self, at: 20)
        let defaultProfile = try node.scan(Bool.self, at: 21)
        let followersCount = try node.scan(Int.self, at: 22)
        let favouritesCount = try node.scan(Int.self, at: 23)
        let profileImageURL = try node.scan(String.self, at: 24)
        let profileBannerURL = try node.scan(String?.self, at: 25)
        let profileLinkColor = try node.scan(String.self, at: 26)
        let profileTextColor = try node.scan(String.self, at: 27)
        let followRequestSent = try node.scan(Bool.self, at: 28)
        let contributorsEnabled = try node.scan(Bool.self, at: 29)
        let defaultProfileImage = try node.scan(Bool.self, at: 30)
        let isTranslationEnabled = try node.scan(Bool.self, at: 31)
        let profileBackgroundTile = try node.scan(Bool.self, at: 32)
        let profileImageURLHTTPS = try node.scan(String.self, at: 33)
        let profileBackgroundColor = try node.scan(String.self, at: 34)
        let profileSidebarFillColor = try node.scan(String.self, at: 35)
        let profileBackgroundImageURL = try node.scan(String.self, at: 36)
        let profileSidebarBorderColor = try node.scan(String.self, at: 37)
        let profileUseBackgroundImage = try node.scan(Bool.self, at: 38)
        let profileBackgroundImageURLHTTPS = try node.scan(String.self, at: 39)
        return TweetUser(
            id: try node.finish(id), idString: try node.finish(idString), name: try node.finish(name),
            screenName: try node.finish(screenName), location: try node.finish(location),
            description: try node.finish(description), url: try node.finish(url), entities: try node.finish(entities),
            protected: try node.finish(protected), followersCount: try node.finish(followersCount),
            friendsCount: try node.finish(friendsCount), listedCount: try node.finish(listedCount),
            favouritesCount: try node.finish(favouritesCount), statusesCount: try node.finish(statusesCount),
            createdAt: try node.finish(createdAt), utcOffset: try node.finish(utcOffset),
            timeZone: try node.finish(timeZone), lang: try node.finish(lang), geoEnabled: try node.finish(geoEnabled),
            verified: try node.finish(verified), contributorsEnabled: try node.finish(contributorsEnabled),
            isTranslator: try node.finish(isTranslator), isTranslationEnabled: try node.finish(isTranslationEnabled),
            profileBackgroundColor: try node.finish(profileBackgroundColor),
            profileBackgroundImageURL: try node.finish(profileBackgroundImageURL),
            profileBackgroundImageURLHTTPS: try node.finish(profileBackgroundImageURLHTTPS),
            profileBackgroundTile: try node.finish(profileBackgroundTile),
            profileImageURL: try node.finish(profileImageURL),
            profileImageURLHTTPS: try node.finish(profileImageURLHTTPS),
            profileBannerURL: try node.finish(profileBannerURL), profileLinkColor: try node.finish(profileLinkColor),
            profileSidebarBorderColor: try node.finish(profileSidebarBorderColor),
            profileSidebarFillColor: try node.finish(profileSidebarFillColor),
            profileTextColor: try node.finish(profileTextColor),
            profileUseBackgroundImage: try node.finish(profileUseBackgroundImage),
            defaultProfile: try node.finish(defaultProfile),
            defaultProfileImage: try node.finish(defaultProfileImage), following: try node.finish(following),
            followRequestSent: try node.finish(followRequestSent), notifications: try node.finish(notifications))
    }
}
