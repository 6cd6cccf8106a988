/// A way to store the feed and to read it back.
protocol Contestant: AnyObject, Sendable {
    /// A message with its sender, as this contestant's user has it.
    associatedtype Item: Sendable

    static func item(_ message: Message) -> Item
    static func id(of item: Item) -> Int
    static func senderName(of item: Item) -> String
    /// Whether everything is gone with the process.
    static var isInMemory: Bool { get }

    /// Opens what is stored in `directory`, or makes it.
    init(directory: String, feed: Feed) throws

    /// Stores `items` in one commit, and returns when it is done.
    func write(_ items: ArraySlice<Item>) throws
    /// Stores lists of messages that are stored already, in orders of their own.
    func writeLists(_ lists: [[Item]]) throws
    /// Stores pages of 100, in the order of identities, for contestants that do not find them by that order.
    func writePages(_ pages: [ArraySlice<Item>]) throws

    func read(_ id: Int) throws -> Item?
    func readAll(_ ids: [Int]) throws -> [Item]
    /// The 100 messages from `id` on.
    func page(from id: Int) throws -> [Item]
    func list(_ index: Int) throws -> [Item]

    /// Stores `person` under a new name; `messages` are all that this person sent.
    func rename(_ person: Person, messages: [Int]) throws
    func close() throws
}

extension Contestant {
    static var isInMemory: Bool { false }

    func writePages(_ pages: [ArraySlice<Item>]) {}
    func readAll(_ ids: [Int]) throws -> [Item] { try ids.compactMap { try read($0) } }
}
