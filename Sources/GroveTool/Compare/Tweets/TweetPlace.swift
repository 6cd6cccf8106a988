import GroveModel

/// A place that a tweet names.
struct TweetPlace: Equatable {
    let id: String
    let url: String
    let name: String
    let fullName: String
    let placeType: String
    let country: String
    let countryCode: String
    let boundingBox: TweetArea?
    let containedWithin: [TweetPlace]?
    let attributes: [String: String]?
}

extension TweetPlace: CacheableModel {
    static let fields = FieldTable(
        "id", "url", "name", "country", "full_name", "attributes", "place_type",
        "bounding_box", "country_code", "contained_within")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(url, at: 1)
        try node.encode(name, at: 2)
        try node.encode(country, at: 3)
        try node.encode(fullName, at: 4)
        try node.encode(attributes, at: 5)
        try node.encode(placeType, at: 6)
        try node.encode(boundingBox, at: 7)
        try node.encode(countryCode, at: 8)
        try node.encode(containedWithin, at: 9)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetPlace {
        let id = try node.scan(String.self, at: 0)
        let url = try node.scan(String.self, at: 1)
        let name = try node.scan(String.self, at: 2)
        let country = try node.scan(String.self, at: 3)
        let fullName = try node.scan(String.self, at: 4)
        let attributes = try node.scan([String: String]?.self, at: 5)
        let placeType = try node.scan(String.self, at: 6)
        let boundingBox = try node.scan(TweetArea?.self, at: 7)
        let countryCode = try node.scan(String.self, at: 8)
        let containedWithin = try node.scan([TweetPlace]?.self, at: 9)
        return TweetPlace(
            id: try node.finish(id), url: try node.finish(url), name: try node.finish(name),
            fullName: try node.finish(fullName), placeType: try node.finish(placeType),
            country: try node.finish(country), countryCode: try node.finish(countryCode),
            boundingBox: try node.finish(boundingBox), containedWithin: try node.finish(containedWithin),
            attributes: try node.finish(attributes))
    }
}

/// An area on the globe: rings of points.
struct TweetArea: Equatable {
    let type: String
    let coordinates: [[[Double]]]
}

extension TweetArea: CacheableModel {
    static let fields = FieldTable("type", "coordinates")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(type, at: 0)
        try node.encode(coordinates, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetArea {
        let type = try node.scan(String.self, at: 0)
        let coordinates = try node.scan([[[Double]]].self, at: 1)
        return TweetArea(type: try node.finish(type), coordinates: try node.finish(coordinates))
    }
}

/// A point on the globe.
struct TweetPoint: Equatable {
    let type: String
    let coordinates: [Double]
}

extension TweetPoint: CacheableModel {
    static let fields = FieldTable("type", "coordinates")

    var modelIdentifier: ModelIdentifier? { nil }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool { false }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(type, at: 0)
        try node.encode(coordinates, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TweetPoint {
        let type = try node.scan(String.self, at: 0)
        let coordinates = try node.scan([Double].self, at: 1)
        return TweetPoint(type: try node.finish(type), coordinates: try node.finish(coordinates))
    }
}
