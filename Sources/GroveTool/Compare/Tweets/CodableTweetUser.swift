import GroveModel

/// Whose tweet it is, coded through `Codable`: the same record.
struct CodableTweetUser: SimpleModel, Codable, Equatable {
    static let recordName = "User"
    static let projectionName = "User"

    let id: Int
    let idString: String
    let name: String
    let screenName: String
    let location: String
    let description: String
    let url: String?
    let entities: CodableTweetUserEntities
    let protected: Bool
    var followersCount: Int
    let friendsCount: Int
    let listedCount: Int
    let favouritesCount: Int
    let statusesCount: Int
    let createdAt: String
    let utcOffset: Int?
    let timeZone: String?
    let lang: String
    let geoEnabled: Bool
    let verified: Bool
    let contributorsEnabled: Bool
    let isTranslator: Bool
    let isTranslationEnabled: Bool
    let profileBackgroundColor: String
    let profileBackgroundImageURL: String
    let profileBackgroundImageURLHTTPS: String
    let profileBackgroundTile: Bool
    let profileImageURL: String
    let profileImageURLHTTPS: String
    let profileBannerURL: String?
    let profileLinkColor: String
    let profileSidebarBorderColor: String
    let profileSidebarFillColor: String
    let profileTextColor: String
    let profileUseBackgroundImage: Bool
    let defaultProfile: Bool
    let defaultProfileImage: Bool
    let following: Bool
    let followRequestSent: Bool
    let notifications: Bool

    var modelIdentifier: ModelIdentifier? { ModelIdentifier("User:" + idString) }

    /// The user as it is in `version`.
    func version(_ version: Int) -> CodableTweetUser {
        var user = self
        user.followersCount &+= version
        return user
    }

    enum CodingKeys: String, CodingKey {
        case id, name, location, description, url, entities, protected, lang, verified, following, notifications
        case idString = "id_str"
        case screenName = "screen_name"
        case followersCount = "followers_count"
        case friendsCount = "friends_count"
        case listedCount = "listed_count"
        case favouritesCount = "favourites_count"
        case statusesCount = "statuses_count"
        case createdAt = "created_at"
        case utcOffset = "utc_offset"
        case timeZone = "time_zone"
        case geoEnabled = "geo_enabled"
        case contributorsEnabled = "contributors_enabled"
        case isTranslator = "is_translator"
        case isTranslationEnabled = "is_translation_enabled"
        case profileBackgroundColor = "profile_background_color"
        case profileBackgroundImageURL = "profile_background_image_url"
        case profileBackgroundImageURLHTTPS = "profile_background_image_url_https"
        case profileBackgroundTile = "profile_background_tile"
        case profileImageURL = "profile_image_url"
        case profileImageURLHTTPS = "profile_image_url_https"
        case profileBannerURL = "profile_banner_url"
        case profileLinkColor = "profile_link_color"
        case profileSidebarBorderColor = "profile_sidebar_border_color"
        case profileSidebarFillColor = "profile_sidebar_fill_color"
        case profileTextColor = "profile_text_color"
        case profileUseBackgroundImage = "profile_use_background_image"
        case defaultProfile = "default_profile"
        case defaultProfileImage = "default_profile_image"
        case followRequestSent = "follow_request_sent"
    }
}

/// The links of a user.
struct CodableTweetUserEntities: Codable, Equatable, Sendable {
    let description: CodableTweetUserLinks
    let url: CodableTweetUserLinks?
}

/// The links in one field of a user.
struct CodableTweetUserLinks: Codable, Equatable, Sendable {
    let urls: [CodableTweetLink]
}
