import GroveCoding
import GroveModel

/// ``Person`` as other versions of an application declare it; all are stored under its names.
protocol PersonVersion: CacheableModel {}

extension PersonVersion {
    static var recordName: String { Person.recordName }
    static var projectionName: String { Person.projectionName }
}

/// With a new optional field, and without the field "age".
struct PersonWithMail: PersonVersion, Equatable {
    let id: String
    var mail: String?
    var name = "Ada"

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "mail", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(mail, at: 1)
        try node.encode(name, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PersonWithMail {
        let id = try node.scan(String.self, at: 0)
        let mail = try node.scan(String?.self, at: 1)
        let name = try node.scan(String.self, at: 2)
        return PersonWithMail(id: try node.finish(id), mail: try node.finish(mail), name: try node.finish(name))
    }
}

/// With a new required field.
struct PersonWithBirth: PersonVersion, Equatable {
    let id: String
    var name = "Ada"
    var birth = 1815

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "name", "birth")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
        try node.encode(birth, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PersonWithBirth {
        let id = try node.scan(String.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        let birth = try node.scan(Int.self, at: 2)
        return PersonWithBirth(id: try node.finish(id), name: try node.finish(name), birth: try node.finish(birth))
    }
}

/// With a name that is a number.
struct PersonWithNumber: PersonVersion, Equatable {
    let id: String
    var name = 7

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PersonWithNumber {
        let id = try node.scan(String.self, at: 0)
        let name = try node.scan(Int.self, at: 1)
        return PersonWithNumber(id: try node.finish(id), name: try node.finish(name))
    }
}

/// With "name" under a new name, a new field that has a default value, and "age" as another number.
struct PersonRenamed: PersonVersion, Equatable {
    let id: String
    var age: Double
    var rank = 1
    var fullName = "Ada"

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "age", "rank", "fullName", was: ["fullName": ["name"]])

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(age, at: 1)
        try node.encode(rank, at: 2)
        try node.encode(fullName, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> PersonRenamed {
        let id = try node.scan(String.self, at: 0)
        let age = try node.scan(Double.self, at: 1)
        let rank = try node.scanIfPresent(Int.self, at: 2)
        let fullName = try node.scan(String.self, at: 3)
        return PersonRenamed(
            id: try node.finish(id), age: try node.finish(age), rank: try node.finishIfPresent(rank) ?? 1,
            fullName: try node.finish(fullName))
    }
}

/// A type that has nothing to do with ``Person``, whatever the identifier says.
struct Company: CacheableModel, Equatable {
    let id: String
    var name = "Analytical Engines"

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Company {
        let id = try node.scan(String.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        return Company(id: try node.finish(id), name: try node.finish(name))
    }
}

/// A message of a later version of the application, whose enum has a case that this one does not know.
struct LaterMessage: CacheableModel, Equatable {
    let id: String

    static var recordName: String { Message.recordName }
    static var projectionName: String { Message.projectionName }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = Message.fields

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        node.writeKey(at: 1)
        node.writeMapHead(count: 1)
        node.write("video")
        node.writeMapHead(count: 0)
        try node.encode(String??.none, at: 2)
        try node.encode("text", at: 3)
        try node.encode(Stamp(), at: 4)
        try node.encode(Person?.none, at: 5)
        try node.encode([Person](), at: 6)
        try node.encode([String: Person](), at: 7)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> LaterMessage {
        let id = try node.scan(String.self, at: 0)
        return LaterMessage(id: try node.finish(id))
    }
}
