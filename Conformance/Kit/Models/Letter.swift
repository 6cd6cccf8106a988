import GroveCoding
import GroveModel

/// A model with a required child.
struct Letter: CacheableModel, Equatable {
    let id: String
    var author: Person

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "author")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(author, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Letter {
        let id = try node.scan(String.self, at: 0)
        let author = try node.scan(Person.self, at: 1)
        return Letter(id: try node.finish(id), author: try node.finish(author))
    }
}

/// A model that holds letters where they may be missing: one that may be `nil`, and a list.
struct Shelf: CacheableModel, Equatable {
    let id: String
    var top: Letter?
    var letters: [Letter] = []

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "top", "letters")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(top, at: 1)
        try node.encode(letters, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Shelf {
        let id = try node.scan(String.self, at: 0)
        let top = try node.scan(Letter?.self, at: 1)
        let letters = try node.scan([Letter].self, at: 2)
        return Shelf(id: try node.finish(id), top: try node.finish(top), letters: try node.finish(letters))
    }
}

/// A model that needs a letter, which needs a person: a deletion below goes through it.
struct Parcel: CacheableModel, Equatable {
    let id: String
    var letter: Letter

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "letter")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(letter, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Parcel {
        let id = try node.scan(String.self, at: 0)
        let letter = try node.scan(Letter.self, at: 1)
        return Parcel(id: try node.finish(id), letter: try node.finish(letter))
    }
}
