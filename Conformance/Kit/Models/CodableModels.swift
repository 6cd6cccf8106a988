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

/// ``Letter`` by way of `Codable`.
struct CodableLetter: SimpleModel, Codable, Equatable {
    let id: String
    var author: CodablePerson

    static var recordName: String { Letter.recordName }
    static var projectionName: String { Letter.projectionName }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
}
