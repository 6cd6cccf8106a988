import Foundation
import Grove
import GroveCache
import GroveCoding
import GroveSQLite

/// A row of a chat.
struct Row: Equatable {
    let id: Int
    let text: String
    let author: String
    let sent: Double
}

// What `@Cacheable` writes, by hand: a build with the macro compiles swift-syntax first.
extension Row: CacheableModel, KeyedModel {
    static let recordName = "Row"
    static let projectionName = "Row"
    static let fields = FieldTable("id", "sent", "text", "author")

    var modelIdentifier: ModelIdentifier? { Row.modelIdentifier(for: id) }
    static func modelIdentifier(for id: Int) -> ModelIdentifier { "Row:\(id)" }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Row:")
        identifier.append(id)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(sent, at: 1)
        try node.encode(text, at: 2)
        try node.encode(author, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Row {
        let id = try node.scan(Int.self, at: 0)
        let sent = try node.scan(Double.self, at: 1)
        let text = try node.scan(String.self, at: 2)
        let author = try node.scan(String.self, at: 3)
        return Row(
            id: try node.finish(id), text: try node.finish(text), author: try node.finish(author),
            sent: try node.finish(sent))
    }

    static func sample(_ id: Int, _ text: String? = nil) -> Row {
        Row(
            id: id, text: text ?? "lantern harbour meadow quarter violet thunder pebble \(id)",
            author: "person\(id % 97)@example.com", sent: 1_700_000_000 + Double(id))
    }
}

/// Grove over SQLite.
@MainActor
final class GroveScreen: ListScreen, Sendable {
    private let cache: SQLiteCache
    private let provider: CollectionDataProvider<Row>
    private let teller = Teller()

    init(_ directory: String, rows: Int, history: Int = 0) throws {
        cache = try SQLiteCache(directory: directory, history: history)
        try cache.writeCollection((0..<rows).map { Row.sample($0) }, as: "chat")
        provider = CollectionDataProvider<Row>(dataModelManager: DataModelManager(cacheDelegate: cache))
    }

    var count: Int { provider.count }

    func show(_ told: @escaping @MainActor (String) -> Void) async throws {
        teller.told = told
        provider.delegate = teller
        _ = try await provider.load(withCacheKey: "chat", maxAge: .infinity) { [] }
    }

    nonisolated func edit(_ number: Int, _ text: String) throws { try cache.edit(number, text) }

    func append(_ number: Int) { provider.append([Row.sample(30_000_000 + number)]) }

    /// Notices every five milliseconds what other processes have committed.
    func noticeOthers() {
        Thread.detachNewThread { [weak cache] in
            while let cache {
                cache.noticeCommitsOfOtherProcesses()
                usleep(5_000)
            }
        }
    }

    @MainActor
    private final class Teller: CollectionDataProviderDelegate {
        var told: @MainActor (String) -> Void = { _ in }

        func collectionDataProviderHasUpdatedData<T>(
            _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
        ) {
            if let first = dataProvider.elements.first as? Row { told(first.text) }
        }
    }
}

extension SQLiteCache {
    /// Puts a row in front; every other time the last one goes.
    func edit(_ number: Int, _ text: String) throws {
        try insert([Row.sample(10_000_000 + number, text)], at: 0, inCollection: "chat")
        guard number % 2 == 0, let count = try count(ofCollection: "chat") else { return }
        let last = try readCollection("chat", of: Row.self, in: count - 1..<count).value?.elements.first
        guard let identifier = last?.modelIdentifier else { return }
        try remove(identifier, fromCollection: "chat")
    }
}

/// Edits the list in `directory`, which another process shows.
func edits(in directory: String, count: Int) async throws {
    let cache = try SQLiteCache(directory: directory, history: 1_000)
    try await EditRun(count: count).run { try cache.edit($0, $1) }
}

/// What `upsert` takes in a stored list: of a new element, of the last and of the first.
func upserts(in directory: String, rows: Int) async throws {
    let cache = try SQLiteCache(directory: directory)
    try await cache.writeCollection((0..<rows).map { Row.sample($0) }, as: "chat")
    try await cache.flush()
    func measure(_ name: String, _ rows: [Row]) throws {
        let times = try rows.map { row in
            let start = ContinuousClock.now
            try upsertOne(row, cache)
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
        print("upsert.\(name).p50ms", times.quantile(0.5))
        print("upsert.\(name).worst.ms", times.quantile(1))
    }
    try measure("new", (0..<50).map { Row.sample(20_000_000 + $0) })
    try measure("last", (0..<50).map { Row.sample(rows - 1, "again \($0)") })
    try measure("first", (0..<50).map { Row.sample(0, "again \($0)") })
}

private func upsertOne(_ row: Row, _ cache: SQLiteCache) throws {
    try cache.upsert([row], inCollection: "chat")
}
