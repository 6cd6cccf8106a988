import Foundation
import Grove
import GroveCache
import GroveSQLite
import Observation

/// A window over a list, of which the first rows are shown.
@MainActor
final class WindowScreen: ListScreen, Sendable {
    private let cache: SQLiteCache
    private let manager: DataModelManager
    private let window: WindowDataProvider<Row>

    init(_ directory: String, rows: Int) throws {
        cache = try SQLiteCache(directory: directory)
        try cache.writeCollection((0..<rows).map { Row.sample($0) }, as: "chat")
        manager = DataModelManager(cacheDelegate: cache)
        window = WindowDataProvider(dataModelManager: manager)
    }

    var count: Int { window.rows.count }

    func show(_ told: @escaping @MainActor (String) -> Void) async throws {
        window.open("chat", at: .first)
        await manager.flush()
        follow(told)
    }

    private func follow(_ told: @escaping @MainActor (String) -> Void) {
        let first = withObservationTracking {
            window.rows.first?.model.text
        } onChange: {
            Task { @MainActor in self.follow(told) }
        }
        if let first { told(first) }
    }

    nonisolated func edit(_ number: Int, _ text: String) throws { try cache.edit(number, text) }
}

/// What a window of 50 rows takes in a stored list, beside a list of all rows and 50 reads of models.
@MainActor
func windows(in directory: String, rows: Int) async throws {
    let cache = try SQLiteCache(directory: directory)
    try await cache.writeCollection((0..<rows).map { Row.sample($0) }, as: "chat")
    try await cache.flush()
    let manager = DataModelManager(cacheDelegate: cache)
    func measure(_ name: String, _ times: Int = 50, _ body: (Int) async throws -> Void) async throws {
        var taken: [Double] = []
        for time in 0..<times {
            let start = ContinuousClock.now
            try await body(time)
            taken.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        print("window.\(name).p50ms", taken.quantile(0.5))
        print("window.\(name).worst.ms", taken.quantile(1))
    }
    try await measure("50reads") { time in
        for id in 0..<50 { _ = try read((time * 1_777 + id * 31) % rows, cache) }
    }
    let memory = Memory.resident
    let window = WindowDataProvider<Row>(dataModelManager: manager)
    for (name, place) in [("first", WindowPlace.first), ("last", .last)] {
        try await measure("open.\(name)") { _ in
            window.open("chat", at: place)
            await manager.flush()
        }
    }
    try await measure("open.position") { time in
        window.open("chat", at: .position(time * 1_777 % rows))
        await manager.flush()
    }
    try await measure("open.around") { time in
        window.open("chat", at: .around(Row.modelIdentifier(for: time * 1_777 % rows)))
        await manager.flush()
    }
    try await measure("earlier") { _ in try await window.showEarlier() }
    window.open("chat", at: .position(rows / 2))
    await manager.flush()
    try await measure("insertAbove") { time in
        try insert(Row.sample(20_000_000 + time), cache)
        try await cache.flush()
        await manager.flush()
    }
    print("window.memory.MB", Double(Memory.resident - memory) / 1_048_576)
    let list = CollectionDataProvider<Row>(dataModelManager: manager)
    try await measure("list", 1) { _ in _ = try await list.fetchDataFromCache(withCacheKey: "chat") }
    print("list.memory.MB", Double(Memory.resident - memory) / 1_048_576)
}

private func read(_ id: Int, _ cache: SQLiteCache) throws -> Row? { try cache.model(Row.self, id: id) }

private func insert(_ row: Row, _ cache: SQLiteCache) throws {
    try cache.insert([row], at: 0, inCollection: "chat")
}
