import Foundation

/// A file of JSON for each message, its sender inside it.
final class JSONFiles: Contestant {
    private let directory: String

    static func item(_ message: Message) -> JSONMessage { JSONMessage(message) }
    static func id(of message: JSONMessage) -> Int { message.id }
    static func senderName(of message: JSONMessage) -> String { message.sender.name }

    init(directory: String, feed: Feed) throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    func write(_ messages: ArraySlice<JSONMessage>) throws {
        let encoder = JSONEncoder()
        for message in messages { try encoder.encode(message).write(to: file("\(message.id)"), options: .atomic) }
    }

    /// A list is a file of its own, which goes stale.
    func writeLists(_ lists: [[JSONMessage]]) throws {
        let encoder = JSONEncoder()
        for (index, list) in lists.enumerated() {
            try encoder.encode(list).write(to: file("list\(index)"), options: .atomic)
        }
    }

    func read(_ id: Int) throws -> JSONMessage? {
        try JSONDecoder().decode(JSONMessage.self, from: Data(contentsOf: file("\(id)")))
    }

    func page(from id: Int) throws -> [JSONMessage] { try readAll(Array(id..<id + 100)) }

    func list(_ index: Int) throws -> [JSONMessage] {
        try JSONDecoder().decode([JSONMessage].self, from: Data(contentsOf: file("list\(index)")))
    }

    func rename(_ person: Person, messages: [Int]) throws {
        for id in messages {
            guard var message = try read(id) else { continue }
            message.sender.name = person.name
            try write([message])
        }
    }

    func close() {}

    private func file(_ name: String) -> URL { URL(fileURLWithPath: "\(directory)/\(name).json") }
}
