import GroveCache
import GroveModel

/// Grove: models are read by the identifiers that an application holds; pages and lists are collections.
final class GroveContestant<Store: MeasuredStore>: Contestant {
    let cache: NormalizedCache<Store>
    private let feed: Feed

    static var isInMemory: Bool { Store.isInMemory }
    static func item(_ message: Message) -> Message { message }
    static func id(of message: Message) -> Int { message.id }
    static func senderName(of message: Message) -> String { message.sender.name }

    convenience init(directory: String, feed: Feed) throws {
        try self.init(directory: directory, feed: feed, queueLimit: 32 << 20)
    }

    /// Opens the cache with room for `queueLimit` bytes of writes that nothing waits for.
    init(directory: String, feed: Feed, queueLimit: Int) throws {
        self.feed = feed
        cache = try NormalizedCache(
            directory: Store.isInMemory ? nil : directory, options: Store.defaults, queueLimit: queueLimit)
    }

    func write(_ messages: ArraySlice<Message>) throws { try cache.write(contentsOf: messages) }

    func writeLists(_ lists: [[Message]]) throws {
        for (index, list) in lists.enumerated() { try cache.writeCollection(list, as: "list\(index)") }
    }

    func writePages(_ pages: [ArraySlice<Message>]) throws {
        for (index, page) in pages.enumerated() { try cache.writeCollection(page, as: "page\(index)") }
    }

    func read(_ id: Int) throws -> Message? { try cache.model(feed.identifier(of: id)) }

    func page(from id: Int) throws -> [Message] { try cache.collection("page\((id - Feed.firstID) / 100)") ?? [] }

    func list(_ index: Int) throws -> [Message] { try cache.collection("list\(index)") ?? [] }

    func rename(_ person: Person, messages: [Int]) throws { try cache.write(person) }

    func close() { cache.close() }
}
