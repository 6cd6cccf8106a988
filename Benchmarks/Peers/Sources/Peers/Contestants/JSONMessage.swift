/// A message as JSON, its sender inside it.
struct JSONMessage: Codable, Sendable {
    var id: Int
    var text: String
    var sent: Double
    var topic: String
    var unread: Bool
    var sender: Sender

    /// A message's sender as JSON.
    struct Sender: Codable, Sendable {
        var id: Int
        var name: String
        var email: String
        var about: String
        var online: Bool
        var followers: Int
    }

    init(_ message: Message) {
        (id, text, sent) = (message.id, message.text, message.sent)
        (topic, unread) = (message.topic, message.unread)
        let person = message.sender
        sender = Sender(
            id: person.id, name: person.name, email: person.email, about: person.about, online: person.online,
            followers: person.followers)
    }
}
