import GroveCoding
import GroveModel

/// A projection of the record "Profile" that holds an address in place.
struct AddressProfile: CacheableModel, Equatable {
    let id: String
    var address = Address()

    static var recordName: String { "Profile" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "address")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(address, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> AddressProfile {
        let id = try node.scan(String.self, at: 0)
        let address = try node.scan(Address.self, at: 1)
        return AddressProfile(id: try node.finish(id), address: try node.finish(address))
    }
}

/// Another that holds no more than the town of it, under the same name.
struct TownProfile: CacheableModel, Equatable {
    let id: String
    var address = Town()

    static var recordName: String { "Profile" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "address")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(address, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TownProfile {
        let id = try node.scan(String.self, at: 0)
        let address = try node.scan(Town.self, at: 1)
        return TownProfile(id: try node.finish(id), address: try node.finish(address))
    }
}

/// A model in place, with an optional field.
struct Address: CacheableModel, Equatable {
    var town = "London"
    var street: String? = "St James's Square"

    var modelIdentifier: ModelIdentifier? { nil }

    static let fields = FieldTable("town", "street")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(town, at: 0)
        try node.encode(street, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Address {
        let town = try node.scan(String.self, at: 0)
        let street = try node.scan(String?.self, at: 1)
        return Address(town: try node.finish(town), street: try node.finish(street))
    }
}

/// ``Address`` without that field.
struct Town: CacheableModel, Equatable {
    var town = "London"

    var modelIdentifier: ModelIdentifier? { nil }

    static let fields = FieldTable("town")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(town, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Town {
        let town = try node.scan(String.self, at: 0)
        return Town(town: try node.finish(town))
    }
}
