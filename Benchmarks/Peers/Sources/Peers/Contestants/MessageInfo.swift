import GRDB

/// A message and its sender, out of a join.
struct MessageInfo: Codable, Sendable, FetchableRecord {
    var message: MessageRow
    var sender: PersonRow
}

extension MessageInfo {
    init(_ message: Message) { self.init(message: MessageRow(message), sender: PersonRow(message.sender)) }
}
