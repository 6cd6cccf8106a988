import GroveModel

/// Whose tweet it is: a node that holds no other.
struct TweetUser: Equatable, Sendable {
    let id: Int
    let idString: String
    let name: String
    let screenName: String
    let location: String
    let description: String
    let url: String?
    let entities: TweetUserEntities
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

    /// The user as it is in `version`.
    func version(_ version: Int) -> TweetUser {
        var user = self
        user.followersCount &+= version
        return user
    }
}
