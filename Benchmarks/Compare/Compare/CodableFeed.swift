import GroveCoding
import GroveModel

/// The generated feed's person, coded through `Codable`: the same record.
struct CodablePerson: CodableModel, Equatable {
    static let recordName = "Person"
    static let projectionName = "Person"

    let id: Int
    let name: String
    let email: String
    let about: String
    let online: Bool
    let followers: Int

    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }

    init(_ person: FeedPerson) {
        (id, name, email) = (person.id, person.name, person.email)
        (about, online, followers) = (person.about, person.online, person.followers)
    }
}

/// The generated feed's message, coded through `Codable`: the same record.
struct CodableMessage: CodableModel, KeyedModel, Equatable {
    static let recordName = "Message"
    static let projectionName = "Message"

    let id: Int
    let text: String
    let sent: Double
    let topic: String
    let unread: Bool
    let sender: CodablePerson

    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
    static func modelIdentifier(for id: Int) -> ModelIdentifier { "Message:\(id)" }
    static var identifierPrefix: String? { "Message:" }

    init(_ message: FeedMessage) {
        (id, text, sent) = (message.id, message.text, message.sent)
        (topic, unread) = (message.topic, message.unread)
        sender = CodablePerson(message.sender)
    }
}
