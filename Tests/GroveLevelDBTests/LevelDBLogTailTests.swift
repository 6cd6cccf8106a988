import Foundation
import GroveCache
import GroveLevelDB
import GroveModel
import StoreTesting
import TestSupport
import Testing

/// What the power leaves of the batch that was being written when it went.
@Suite("Torn ends of LevelDB's log")
struct LevelDBLogTailTests {
    /// Opens a store with two small batches and, last, one of several blocks, and damages its log.
    private func reopened(damaging range: (_ log: Data) -> Range<Int>) throws -> (TemporaryDirectory, LevelDBStore) {
        let directory = try TemporaryDirectory()
        let store = try directory.open(LevelDBOptions())
        for name in ["first", "second"] {
            try store.write { (transaction) throws(CacheError) in try transaction.put(name, name) }
        }
        try store.write { (transaction) throws(CacheError) in
            for index in 0..<200 { try transaction.put("last \(index)", String(repeating: "v", count: 600)) }
        }
        store.close()
        let name = try #require(try directory.files { $0.hasSuffix(".log") }.first)
        var log = try Data(contentsOf: directory.url(name))
        let damaged = range(log)
        log.replaceSubrange(damaged, with: Data(count: damaged.count))
        try log.write(to: directory.url(name))
        return (directory, try directory.open(LevelDBOptions()))
    }

    @Test("A last batch that lost a block is gone whole, and what was committed before it is there", arguments: 1..<4)
    func tornBatch(block: Int) throws {
        let (directory, store) = try reopened { _ in block * 32_768 - 4_096..<block * 32_768 }
        defer { store.close() }
        let view = try store.view()
        #expect(try view.get("first") == "first")
        #expect(try view.get("second") == "second")
        for index in 0..<200 { #expect(try view.get("last \(index)") == nil) }
        view.end()
        try store.write { (transaction) throws(CacheError) in try transaction.put("third", "third") }
        let after = try store.view()
        defer { after.end() }
        #expect(try after.get("third") == "third")
        _ = directory
    }

    @Test("Damage before the last batch is an error, not an older state", arguments: [19, 30])
    func damageBefore(place: Int) throws {
        #expect(throws: CacheError.self) { _ = try reopened { _ in place..<place + 1 } }
    }
}
