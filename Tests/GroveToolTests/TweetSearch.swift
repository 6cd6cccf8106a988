@testable import GroveTool

/// A search as Twitter would answer it, with something in every field.
enum TweetSearch {
    static let rules = #"""
        {"rules": [{"field": "statuses", "type": "Status", "id": "id_str"},
          {"field": "retweeted_status", "type": "Status", "id": "id_str"},
          {"field": "user", "type": "User", "id": "id_str"}]}
        """#

    /// Four trees of eight nodes: a plain tweet, one with all that a tweet may have, and two that repeat a fifth.
    static func json() throws -> JSON {
        let repeated: [(String, JSON?)] = [("retweeted_status", try tweet(4, by: user(10)))]
        return search([
            try tweet(1, by: user(10)), try tweet(2, by: user(11, userExtras()), extras()),
            try tweet(3, by: user(12), repeated), try tweet(5, by: user(10), repeated),
        ])
    }

    /// The answer that holds `tweets`.
    static func search(_ tweets: [JSON]) -> JSON { ["statuses": .array(tweets), "search_metadata": ["count": 4]] }

    static func document(_ json: JSON, rules: String = TweetSearch.rules) throws -> DocumentData {
        DocumentData(
            try Document(json, rules: try IdentityRules(try JSONParser.parse(rules), file: "rules.json")))
    }

    /// A tweet that has nothing of what it need not have, but for `changes`: `nil` leaves a member out.
    static func tweet(_ id: Int, by user: JSON, _ changes: [(String, JSON?)] = []) throws -> JSON {
        try JSONParser.parse(plainTweet).changed([
            ("id", JSON(id)), ("id_str", .string("\(id)")), ("user", user),
        ]).changed(changes)
    }

    /// A user who has nothing of what it need not have, but for `changes`.
    static func user(_ id: Int, _ changes: [(String, JSON?)] = []) throws -> JSON {
        try JSONParser.parse(plainUser).changed([("id", JSON(id)), ("id_str", .string("\(id)"))]).changed(changes)
    }

    private static func extras() throws -> [(String, JSON?)] {
        let point = try JSONParser.parse(#"{"type": "Point", "coordinates": [35.5, -139.25]}"#)
        return [
            ("in_reply_to_status_id", 1), ("in_reply_to_status_id_str", "1"), ("in_reply_to_user_id", 10),
            ("in_reply_to_user_id_str", "10"), ("in_reply_to_screen_name", "n10"), ("possibly_sensitive", true),
            ("geo", point), ("coordinates", point), ("place", try JSONParser.parse(place)),
            ("contributors", [["id": 10, "id_str": "10", "screen_name": "n10"]]),
            ("entities", try JSONParser.parse(entities)),
        ]
    }

    private static func userExtras() throws -> [(String, JSON?)] {
        let links: JSON = ["urls": [try JSONParser.parse(link)]]
        return [
            ("url", "https://u.example"), ("utc_offset", -18_000), ("time_zone", "Quito"), ("profile_banner_url", "p"),
            ("entities", ["description": links, "url": links]),
        ]
    }

    private static let link =
        #"{"url": "https://t.example", "expanded_url": "https://a.example", "display_url": "a", "indices": [0, 4]}"#

    private static let place = #"""
        {"id": "p1", "url": "https://p.example", "place_type": "city", "name": "Quito", "full_name": "Quito, Ecuador",
        "country_code": "EC", "country": "Ecuador", "contained_within": [], "attributes": {"street": "x"},
        "bounding_box": {"type": "Polygon", "coordinates": [[[-78.5, 0.25], [-78.25, 0.5]], []]}}
        """#

    private static let size = #"{"w": 1, "h": 2, "resize": "fit"}"#

    private static let entities = #"""
        {"hashtags": [{"text": "h", "indices": [1, 2]}], "symbols": [{"text": "S", "indices": [3, 4]}],
        "urls": [\#(link), \#(link)],
        "user_mentions": [{"screen_name": "n10", "name": "N", "id": 10, "id_str": "10", "indices": [5, 9]}],
        "media": [{"id": 7, "id_str": "7", "indices": [10, 12], "media_url": "m", "media_url_https": "ms", "url": "u",
        "display_url": "d", "expanded_url": "e", "type": "photo", "source_status_id": 1, "source_status_id_str": "1",
        "sizes": {"medium": \#(size), "small": \#(size), "thumb": \#(size), "large": \#(size)}}]}
        """#

    private static let plainTweet = #"""
        {"metadata": {"result_type": "recent", "iso_language_code": "ja"}, "text": "一 \u0000", "lang": "ja",
        "created_at": "Sun Aug 31 00:29:15 +0000 2014", "source": "web", "truncated": false,
        "in_reply_to_status_id": null, "in_reply_to_status_id_str": null, "in_reply_to_user_id": null,
        "in_reply_to_user_id_str": null, "in_reply_to_screen_name": null, "geo": null, "coordinates": null,
        "place": null, "contributors": null, "retweet_count": 0, "favorite_count": 1, "favorited": false,
        "entities": {"hashtags": [], "symbols": [], "urls": [], "user_mentions": []}, "retweeted": false}
        """#

    private static let plainUser = #"""
        {"name": "N", "screen_name": "n", "location": "", "description": "d", "url": null, "utc_offset": null,
        "time_zone": null, "entities": {"description": {"urls": []}}, "protected": false, "followers_count": 0,
        "friends_count": 2, "listed_count": 0, "favourites_count": 1, "statuses_count": 3, "lang": "en",
        "created_at": "Mon Oct 08 00:00:00 +0000 2012", "geo_enabled": false, "verified": false,
        "contributors_enabled": false, "is_translator": false, "is_translation_enabled": false,
        "profile_background_color": "C0DEED", "profile_background_image_url": "b", "profile_text_color": "333333",
        "profile_background_image_url_https": "bs", "profile_background_tile": false, "profile_image_url": "i",
        "profile_image_url_https": "is", "profile_link_color": "0084B4", "profile_sidebar_border_color": "FFFFFF",
        "profile_sidebar_fill_color": "DDEEF6", "profile_use_background_image": true, "default_profile": true,
        "default_profile_image": false, "following": false, "follow_request_sent": false, "notifications": false}
        """#
}

extension JSON {
    /// The object with members replaced or added, or left out where they are `nil`.
    func changed(_ changes: [(String, JSON?)]) -> JSON {
        guard case .object(var members) = self else { return self }
        for (key, value) in changes {
            members.removeAll { $0.key == key }
            if let value { members.append(JSONMember(key, value)) }
        }
        return .object(members)
    }

    /// The names of the members that are not null.
    var namesOfValues: Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.filter { $0.value.kind != "null" }.map(\.key))
    }

    /// The names of all members.
    var names: Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.map(\.key))
    }
}
