import GroveCache
@testable import GroveLevelDB
import GroveModel
import GrovePlatform
import StoreTesting
import Synchronization
import Testing
import TestSupport

/// A budget under LevelDB, by the bytes that its files take.
@Suite("LevelDB within a budget")
struct LevelDBBudgetTests {
    private static let budget = 6 << 20

    /// A store that holds the most that it may, in records of some 300 bytes that do not pack.
    private struct Full {
        let directory: TemporaryDirectory
        let store: LevelDBStore
        let records: Int
        private(set) var writes = 0
        private var random = SeededGenerator(seed: 1)

        init() throws {
            directory = try TemporaryDirectory()
            store = try LevelDBStore(directory: directory.path, options: LevelDBOptions(syncsEachCommit: false))
            records = try store.setBudget(LevelDBBudgetTests.budget) / 310
        }

        /// Writes 20 records that are there already, once all are, after asking for room; returns whether there was
        /// any.
        mutating func write() throws -> Bool {
            guard try store.makeRoom(for: .replacing(20, bytes: 20 * 310)) else { return false }
            let first = writes * 20
            let values = (0..<20).map { _ in (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) } }
            try store.write { (transaction) throws(CacheError) in
                for (index, value) in zip(first..., values) {
                    // In no order, as records of identifiers come.
                    let key = (0..<8).map { UInt8(truncatingIfNeeded: (index % records) >> ($0 * 8)) }
                    try transaction.put(key, value)
                }
            }
            writes += 1
            return true
        }
    }

    @Test("What LevelDB notes for itself stays small, however long it is open")
    func notes() throws {
        var full = try Full()
        let files = try StoreFiles(full.directory.path)
        var (events, manifest, peak) = (0, 0, 0)
        for _ in 0..<2_000 {
            #expect(try full.write())
            peak = max(peak, try files.allocatedBytes())
            try files.forEachFile { name, file in
                if name == "LOG" { events = max(events, file.allocatedBytes) }
                if name.hasPrefix("MANIFEST-") { manifest = max(manifest, file.allocatedBytes) }
            }
        }
        full.store.close()
        #expect(peak <= Self.budget)
        #expect(events < 96 << 10 && manifest < 96 << 10, "the log of events took \(events), the manifest \(manifest)")
    }

    @Test("The files are looked at once in many small writes, and before what is left would be used up")
    func looks() throws {
        var full = try Full()
        func room() -> Int { full.store.connection.state.withLock { $0.room.bytes } }
        /// Whether the files are looked at before so much is written: what was known is forgotten then.
        func looks(_ entries: Int, _ bytes: Int) throws -> Bool {
            full.store.connection.state.withLock { $0.room.bytes -= 1 }
            let before = room()
            #expect(try full.store.makeRoom(for: .replacing(entries, bytes: bytes)))
            return room() != before
        }
        var count = 0
        for _ in 0..<3_000 {
            count += try looks(1, 100) ? 1 : 0
            try full.store.write { (transaction) throws(CacheError) in
                try transaction.put([UInt8](repeating: 1, count: 8), [UInt8](repeating: 2, count: 92))
            }
        }
        #expect(count > 1 && count < 100, "\(count)")
        // Each write is taken off as it is, with what it was not asked room for.
        let before = room()
        try full.store.write { (transaction) throws(CacheError) in
            try transaction.put([UInt8](repeating: 1, count: 8), [UInt8](repeating: 2, count: 9_000))
        }
        #expect(room() < before - 9_000)
        _ = try looks(1, 100)
        // Evictions alone, and what is larger than what is left, are looked at whatever was.
        #expect(try looks(0, 0))
        #expect(try looks(1, room()))
        // Where there was none, less is not taken for granted.
        for _ in 0..<600 { #expect(try full.write()) }
        #expect(try !full.store.makeRoom(for: .replacing(1, bytes: Self.budget)))
        #expect(room() == 0)
        full.store.close()
    }

    @Test(
        "A read that does not end is waited for, and then refused for, and the files stay within the budget",
        arguments: [200, 600])
    func heldUp(before: Int) throws {
        var full = try Full()
        let files = try StoreFiles(full.directory.path)
        for _ in 0..<before { #expect(try full.write()) }
        var peak = 0
        var refusal: CacheError?
        let view = try full.store.view()
        try unsafe view.scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) { (_, _) throws(CacheError) in
            // The tables that the scan began with are kept while this runs.
            for _ in 0..<2_000 where refusal == nil {
                do {
                    guard try full.write() else { break }
                } catch {
                    refusal = error as? CacheError
                }
                peak = max(peak, try files.allocatedBytes())
            }
            return false
        }
        view.end()
        #expect(refusal?.code == .full)
        #expect(peak <= Self.budget, "the files took \(peak)")
        // For a second no compaction is tried again, whichever write asks for one.
        let deadline = ContinuousClock.now + .seconds(30)
        var written = 0
        while written < 200, ContinuousClock.now < deadline { written += (try? full.write()) == true ? 1 : 0 }
        #expect(written == 200)
        #expect(try files.allocatedBytes() <= Self.budget)
        full.store.close()
    }

    @Test("A large batch for which the files leave no room is refused, and nothing of it is stored")
    func largeBatch() throws {
        var full = try Full()
        for _ in 0..<600 { #expect(try full.write()) }
        let write = { (count: Int) throws(CacheError) in
            try full.store.write { (transaction) throws(CacheError) in
                try transaction.put([UInt8](repeating: 9, count: 8), [UInt8](repeating: 1, count: count))
            }
        }
        #expect(code { try write(Self.budget / 10 * 4) } == .full)
        #expect(try full.store.get([UInt8](repeating: 9, count: 8)) == nil)
        // It is no failure of the engine's: the next write finds it as it was.
        try write(Self.budget / 20)
        #expect(try full.store.get([UInt8](repeating: 9, count: 8))?.count == Self.budget / 20)
        try full.store.wipe()
        try write(Self.budget / 10 * 4)
        full.store.close()
    }

    @Test("A compaction that fails says what failed, and not that there is no room; afterwards everything goes on")
    func failedCompaction() throws {
        var full = try Full()
        for _ in 0..<600 { #expect(try full.write()) }
        let files = try StoreFiles(full.directory.path)
        var newest = 0
        try files.forEachFile { name, _ in newest = max(newest, Int(name.prefix { $0.isNumber }) ?? 0) }
        // Where the next tables would be, there are directories.
        let obstacles = (newest + 1...newest + 64).map {
            files.path(of: String(repeating: "0", count: 6 - String($0).count) + "\($0).ldb")
        }
        for path in obstacles { #expect(unsafe mkdir(path, 0o700) == 0) }
        do {
            _ = try full.store.makeRoom(for: .replacing(1, bytes: Self.budget))
            Issue.record("a compaction went past directories")
        } catch {
            #expect(error.code == .inputOutput, "\(error)")
        }
        for path in obstacles { #expect(unsafe rmdir(path) == 0) }
        for _ in 0..<600 { #expect(try full.write()) }
        let view = try full.store.view()
        #expect(try view.count().entries == full.records)
        view.end()
        #expect(try files.allocatedBytes() <= Self.budget)
        full.store.close()
    }

    @Test("Every budget leaves room for the records that it promises, and for two compactions of what is new")
    func shares() {
        for megabytes in 5...400 {
            let budget = megabytes << 20
            let shares = LevelDBShares(budget)
            #expect(shares.payload >= budget / 100 * 42 && shares.mark > shares.payload * 103 / 100)
            #expect(shares.mark - shares.payload > budget / 25 && shares.mark < budget / 100 * 66)
        }
    }
}
