/// A place that a tweet names.
struct CodableTweetPlace: Codable, Equatable, Sendable {
    let id: String
    let url: String
    let name: String
    let fullName: String
    let placeType: String
    let country: String
    let countryCode: String
    let boundingBox: CodableTweetArea?
    let containedWithin: [CodableTweetPlace]?
    let attributes: [String: String]?

    enum CodingKeys: String, CodingKey {
        case id, url, name, country, attributes
        case fullName = "full_name"
        case placeType = "place_type"
        case countryCode = "country_code"
        case boundingBox = "bounding_box"
        case containedWithin = "contained_within"
    }
}

/// An area on the globe: rings of points.
struct CodableTweetArea: Codable, Equatable, Sendable {
    let type: String
    let coordinates: [[[Double]]]
}

/// A point on the globe.
struct CodableTweetPoint: Codable, Equatable, Sendable {
    let type: String
    let coordinates: [Double]
}

/// Somebody who wrote a tweet for its user.
struct CodableTweetContributor: Codable, Equatable, Sendable {
    let id: Int
    let idString: String
    let screenName: String

    enum CodingKeys: String, CodingKey {
        case id
        case idString = "id_str"
        case screenName = "screen_name"
    }
}

/// How a search found a tweet.
struct CodableTweetMetadata: Codable, Equatable, Sendable {
    let resultType: String
    let isoLanguageCode: String

    enum CodingKeys: String, CodingKey {
        case resultType = "result_type"
        case isoLanguageCode = "iso_language_code"
    }
}
