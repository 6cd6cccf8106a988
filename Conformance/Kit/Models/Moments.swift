import GroveCoding
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Foundation's values: dates above all, most of which do not survive a trip through seconds since 1970.
struct Moments: CacheableModel, Equatable {
    let id: String
    var data = Data()
    var uuid: UUID?
    var dates: [Date] = []
    var links: [URL] = []
    var prices: [Decimal] = []

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "data", "uuid", "dates", "links", "prices")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(data, at: 1)
        try node.encode(uuid, at: 2)
        try node.encode(dates, at: 3)
        try node.encode(links, at: 4)
        try node.encode(prices, at: 5)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Moments {
        let id = try node.scan(String.self, at: 0)
        let data = try node.scan(Data.self, at: 1)
        let uuid = try node.scan(UUID?.self, at: 2)
        let dates = try node.scan([Date].self, at: 3)
        let links = try node.scan([URL].self, at: 4)
        let prices = try node.scan([Decimal].self, at: 5)
        return Moments(
            id: try node.finish(id), data: try node.finish(data), uuid: try node.finish(uuid),
            dates: try node.finish(dates), links: try node.finish(links), prices: try node.finish(prices))
    }
}

extension Moments: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Moments? { self }
    func forEach(_ visit: (any Model) -> Void) {}
}

extension Moments {
    /// Dates whose seconds are whole, fractional, before every era, and as far as they go.
    static let edges: [Date] =
        [
            0, -0.0, 0.1, 1.0 / 3, 123_456_789.123_456_7, -978_307_200, -978_307_200.000_000_1, 1e-9,
            2.2250738585072014e-308, 1e15,
            63_113_904_000, -63_114_076_800, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity,
        ].map { Date(timeIntervalSinceReferenceDate: $0) } + [Date(timeIntervalSince1970: 1_700_000_000.25)]
}
