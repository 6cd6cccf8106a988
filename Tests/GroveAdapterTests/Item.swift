import GroveCache
import GroveMemory
import GroveModel

/// What the tests of the adapters cache.
struct Item: CodableModel, Equatable {
    var id: String
    var name: String

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
}

extension NormalizedCache where Store == MemoryStore {
    /// Returns when everybody was told what was committed before: a stream is told after the observers.
    func told() async throws {
        var changes = changes(of: "told").makeAsyncIterator()
        try await write(Item(id: "told", name: "\(UInt64.random(in: 0 ... .max))"))
        _ = await changes.next()
        // The report of that group comes after it.
        var more = self.changes(of: "told").makeAsyncIterator()
        try await write(Item(id: "told", name: "\(UInt64.random(in: 0 ... .max))"))
        _ = await more.next()
    }
}
