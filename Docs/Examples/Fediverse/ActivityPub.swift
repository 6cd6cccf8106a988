// The documents as ActivityPub has them: what is one object may be its address, an object, or an array of either.
import Foundation

/// A part of a document that is named by its address, or there as a whole.
enum Part<Whole: Decodable & Sendable>: Decodable, Sendable {
    case address(String)
    case whole(Whole)

    init(from decoder: any Decoder) throws {
        if let address = try? decoder.singleValueContainer().decode(String.self) {
            self = .address(address)
        } else {
            self = .whole(try Whole(from: decoder))
        }
    }
}

/// One value, or an array of which the first counts.
struct First<Value: Decodable & Sendable>: Decodable, Sendable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        if let one = try? Value(from: decoder) {
            value = one
        } else {
            value = try [Value](from: decoder).first
        }
    }
}

struct ActorDocument: Decodable, Sendable {
    let id: String
    let name: String?
    let preferredUsername: String?
}

struct NoteDocument: Decodable, Sendable {
    struct Named: Decodable, Sendable { let id: String }

    let id: String
    let attributedTo: First<Part<Named>>
    let content: String?
    let inReplyTo: String?

    /// The address of who wrote it; empty if the document does not say.
    var author: String {
        switch attributedTo.value {
        case .address(let address)?: address
        case .whole(let named)?: named.id
        case nil: ""
        }
    }
}

struct ActivityDocument: Decodable, Sendable {
    let id: String
    let type: String
    let published: Date?
    let object: Part<NoteDocument>
}

struct OutboxDocument: Decodable, Sendable {
    let first: String
}

struct PageDocument: Decodable, Sendable {
    let next: String?
    let orderedItems: [ActivityDocument]
}
