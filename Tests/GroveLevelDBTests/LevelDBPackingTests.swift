import GroveCache
import GroveCoding
import GroveModel
import StoreTesting
import TestSupport
import Testing

@testable import GroveLevelDB

/// A budget under LevelDB, whose tables hold more of what packs well.
@Suite("LevelDB's packed tables within a budget")
struct LevelDBPackingTests {
    private static let budget = 8 << 20
    /// What fits of records that do not pack.
    private static let plain = LevelDBShares(budget).payload

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> LevelDBCache {
        try LevelDBCache(
            directory: directory.path, options: LevelDBOptions(syncsEachCommit: false),
            budget: CacheBudget(bytes: Self.budget))
    }

    /// Writes `count` notes of 300 bytes, a hundred to a call; the files keep within the budget all the while.
    private func write(_ count: Int, to cache: LevelDBCache, _ text: () -> String) throws {
        for start in stride(from: 0, to: count, by: 100) {
            try cache.write(contentsOf: (start..<start + 100).map { Note(number: $0, text: text()) })
            let bytes = try cache.usage().bytesOnDisk
            try #require(bytes <= Self.budget, "the files took \(bytes)")
        }
    }

    @Test("What packs well has more room, keeps it at the next opening, and gives it back to what does not")
    func packing() throws {
        var random = SeededGenerator(seed: 3)
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/")
        let word = String((0..<10).map { _ in letters[Int.random(in: 0..<64, using: &random)] })
        func packed() -> String { String(repeating: word, count: 30) }
        func plain() -> String { String((0..<300).map { _ in letters[Int.random(in: 0..<64, using: &random)] }) }

        var cache = try open()
        try write(30_000, to: cache, packed)
        var usage = try cache.usage()
        #expect(try #require(usage.payloadBytes) > Self.plain / 10 * 16)
        let limit = try #require(usage.payloadLimit)
        #expect(limit > Self.plain / 10 * 16)
        // What is pinned has room whether it packs or not.
        #expect(try #require(usage.pinnedLimit) <= Self.plain / 2)
        cache.close()

        cache = try open()
        try write(300, to: cache, packed)
        #expect(try #require(try cache.usage().payloadBytes) > Self.plain / 10 * 15)

        try write(40_000, to: cache, plain)
        usage = try cache.usage()
        #expect(try #require(usage.payloadLimit) < Self.plain / 10 * 12)
        #expect(try #require(usage.payloadBytes) < Self.plain / 10 * 12)
        cache.close()
    }

    @Test(
        "A write that would stand in the log with more than fits is refused, however well it packs, and the rest stays")
    func large() throws {
        let cache = try open()
        try write(1_000, to: cache) { "a note" }
        let large = Note(number: 0, text: String(repeating: "n", count: Self.budget / 10 * 6))
        #expect(code { try cache.write(large) } == .overBudget)
        #expect(try cache.read("Note:0", as: Note.self).value?.text == "a note")
        #expect(try cache.usage().evictions == 0)
        cache.close()
    }
}

private struct Note: CodableModel, Equatable {
    let number: Int
    let text: String
    var modelIdentifier: ModelIdentifier? { "Note:\(number)" }
}
