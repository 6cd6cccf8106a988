import GroveCoding
import GroveModel

/// A heterogeneous list's element: each case takes its payload's identifier and record, and the reference keeps the
/// case.
enum FeedItem: CacheableModel, Equatable {
    case person(Person)
    case letter(Letter)
    /// A second case with a payload of the first one's type: only the reference tells them apart.
    case author(Person)

    var modelIdentifier: ModelIdentifier? {
        switch self {
        case .person(let person), .author(let person): person.modelIdentifier
        case .letter(let letter): letter.modelIdentifier
        }
    }

    static var fields: FieldTable { .dynamic }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try encodeValue(to: &node) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> FeedItem {
        try decodeValue(from: &node)
    }

    func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        switch self {
        case .person(let person): try encoder.encodeModel(person, caseName: "person")
        case .letter(let letter): try encoder.encodeModel(letter, caseName: "letter")
        case .author(let person): try encoder.encodeModel(person, caseName: "author")
        }
    }

    static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> FeedItem {
        guard let reference = try decoder.readReference() else { throw .otherShape }
        switch reference.caseName {
        case "person": return .person(try decoder.node(Person.self, reference))
        case "letter": return .letter(try decoder.node(Letter.self, reference))
        case "author": return .author(try decoder.node(Person.self, reference))
        default: throw .otherShape
        }
    }
}
