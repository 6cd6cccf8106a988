import GroveModel

/// ``Person`` by way of `Codable`.
struct CodablePerson: SimpleModel, Codable, Equatable {
    let id: String
    var name = "Ada"
    var age: Int?

    static var recordName: String { Person.recordName }
    static var projectionName: String { Person.projectionName }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
}

/// ``Values`` by way of `Codable`.
struct CodableValues: SimpleModel, Codable, Equatable {
    let id: String
    var map: [String: Int] = [:]
    var ref: CodablePerson?
    var set: Set<Int> = []

    static var recordName: String { Values.recordName }
    static var projectionName: String { Values.projectionName }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
}

/// ``Values`` by way of an `encode(to:)` that asks for the container of its map once for each entry, as a class and its
/// superclass would.
struct PiecemealValues: SimpleModel, Codable, Equatable {
    let id: String
    var map: [String: Int] = [:]

    static var recordName: String { Values.recordName }
    static var projectionName: String { Values.projectionName }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    enum CodingKeys: String, CodingKey { case id, map, ref, set }

    struct Entry: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(id: String, map: [String: Int]) { (self.id, self.map) = (id, map) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        map = try container.decode([String: Int].self, forKey: .map)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        _ = container.nestedContainer(keyedBy: Entry.self, forKey: .map)
        for (name, value) in map {
            var inner = container.nestedContainer(keyedBy: Entry.self, forKey: .map)
            try inner.encode(value, forKey: Entry(stringValue: name))
        }
        try container.encodeNil(forKey: .ref)
        try container.encode(Set<Int>(), forKey: .set)
    }
}

/// ``Letter`` by way of `Codable`.
struct CodableLetter: SimpleModel, Codable, Equatable {
    let id: String
    var author: CodablePerson

    static var recordName: String { Letter.recordName }
    static var projectionName: String { Letter.projectionName }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
}
