import Foundation
import GroveCache
@testable import GroveLMDB
import GroveModel
import StoreTesting
import Testing
import TestSupport

@Suite("A budget that has become smaller")
struct LMDBShrinkTests {
    /// Fills a store of 16 MB, and reads some of it again and again.
    private func fill(_ directory: TemporaryDirectory) throws {
        let cache = try open(directory, 16_000_000)
        for start in stride(from: 0, to: 40_000, by: 100) {
            _ = try cache.write(contentsOf: (start..<start + 100).map(Leaf.init))
            for number in stride(from: 0, to: start, by: max(start / 50, 1)) where number % 20 == 0 {
                _ = try cache.model(ModelIdentifier("Leaf:\(number)"), as: Leaf.self)
            }
            for number in 4_000..<4_200 { _ = try cache.model(ModelIdentifier("Leaf:\(number)"), as: Leaf.self) }
        }
        #expect(try cache.usage().evictions > 1_000)
        cache.close()
    }

    private func open(_ directory: TemporaryDirectory, _ bytes: Int) throws(CacheError) -> LMDBCache {
        try LMDBCache(
            directory: directory.path, options: LMDBOptions(), budget: CacheBudget(bytes: bytes))
    }

    @Test("Within a budget the environment is opened once, and anew where the budget is another one or the file larger")
    func openings() throws {
        let directory = try TemporaryDirectory()
        let budget = 16_000_000
        var store = try LMDBStore(directory: directory.path, options: LMDBOptions(), budget: budget)
        func mapBytes() throws -> Int {
            let environment = try store.pool.environment()
            return try environment.pages().map * environment.pageBytes
        }
        // A reference to an environment keeps its file open.
        func isKept(_ budget: Int) throws -> Bool {
            let environment = try store.pool.environment()
            #expect(try mapBytes() <= budget)
            _ = try store.setBudget(budget)
            return try store.pool.environment() === environment
        }
        #expect(try isKept(budget))
        for batch in 0..<20 {
            try store.write { (transaction) throws(CacheError) in
                for index in 0..<100 {
                    try transaction.put("\(batch) \(index)", String(repeating: "n", count: 1_000))
                }
            }
        }
        _ = try store.setBudget(budget / 2)
        #expect(try mapBytes() <= budget / 2)
        store.close()
        // More is stored than this has room for: it can be read all the same.
        store = try LMDBStore(directory: directory.path, options: LMDBOptions(), budget: 1_000_000)
        #expect(code { _ = try store.setBudget(1_000_000) } == .overBudget)
        #expect(try store.size().entries == 2_000)
        _ = try store.setBudget(budget)
        #expect(try mapBytes() <= budget)
        store.close()
        // What LMDB cannot take is refused whatever the budget makes of it.
        for size in [0, Int.max] {
            let options = LMDBOptions(mapSize: size)
            #expect(
                code { _ = try LMDBStore(directory: directory.path, options: options, budget: budget) } == .unsupported)
        }
        // Too little for any map: opened as without, and refused by name.
        store = try LMDBStore(directory: directory.path, options: LMDBOptions(), budget: 1_000)
        #expect(code { _ = try store.setBudget(1_000) } == .unsupported)
        store.close()
    }

    @Test("At half of it what is read most and what is pinned stays, as it was, and the files are within it at once")
    func half() throws {
        let directory = try TemporaryDirectory()
        try fill(directory)
        let files = try StoreFiles(directory.path)
        let budget = 8_000_000
        #expect(try files.allocatedBytes() > budget)
        let cache = try open(directory, budget)
        #expect(try files.allocatedBytes() <= budget)
        let usage = try cache.usage()
        let share = Double(usage.payloadBytes ?? 0) / Double(budget)
        #expect(share > LMDBStore.profile.livePayloadShare * 0.75)
        let often = try (4_000..<4_200).filter {
            try cache.model(ModelIdentifier("Leaf:\($0)"), as: Leaf.self) != nil
        }
        #expect(often.count > 190)
        var count = 0
        for number in 0..<40_000 {
            guard let leaf = try cache.model(ModelIdentifier("Leaf:\(number)"), as: Leaf.self) else { continue }
            count += 1
            #expect(leaf == Leaf(number))
        }
        #expect(count > 5_000)
        // The account is that of a recount, and the budget goes on to hold.
        for start in stride(from: 40_000, to: 60_000, by: 100) {
            _ = try cache.write(contentsOf: (start..<start + 100).map(Leaf.init))
            #expect(try files.allocatedBytes() <= budget)
        }
        let after = try cache.usage()
        cache.close()
        let store = try LMDBStore(directory: directory.path, options: LMDBOptions())
        let keys = try store.keys()
        #expect(keys.count == after.entries)
        #expect(try keys.reduce(0) { $0 + $1.count + (try store.get($1)?.count ?? 0) } == after.payloadBytes)
    }

    @Test("Whoever is killed while the file is copied leaves the old one, or the copy")
    func killed() throws {
        for step in ["unfinished", "finished", "both gone", "locks left"] {
            let directory = try TemporaryDirectory()
            var store = try directory.open()
            let records = (0..<3_000).map { (Array("key-\($0)".utf8), [UInt8](repeating: UInt8($0 % 251), count: 200)) }
            try store.write { transaction throws(CacheError) in
                for (key, value) in records { try transaction.put(key, value) }
            }
            for start in stride(from: 0, to: 2_900, by: 100) {
                try store.write { transaction throws(CacheError) in
                    for (key, _) in records[start..<start + 100] { try transaction.remove(key) }
                }
            }
            let before = try #require(store.directory.file(LMDBFiles.names[0])?.length)
            store.close()
            let files = try StoreFiles(directory.path)
            let (data, locks) = (LMDBFiles.names[0], LMDBFiles.names[1])
            let old = try Data(contentsOf: directory.url(data))
            let oldLocks = try Data(contentsOf: directory.url(locks))
            store = try directory.open()
            var calls = 0
            try store.shrink { calls += 1 }
            #expect(calls == 1)
            let after = try #require(store.directory.file(data)?.length)
            #expect(after < before / 4)
            store.close()
            switch step {
            case "unfinished":
                try Data(contentsOf: directory.url(data)).prefix(8_192).write(to: directory.url(LMDBCopy.names[0]))
                try old.write(to: directory.url(data))
            case "finished":
                try files.move(data, to: LMDBCopy.names[1])
                try old.write(to: directory.url(data))
            default:
                try files.move(data, to: LMDBCopy.names[1])
                try files.remove(locks)
                if step == "locks left" { try oldLocks.write(to: directory.url(locks)) }
            }
            store = try directory.open()
            #expect(try store.keys() == records[2_900...].map(\.0))
            for (key, value) in records[2_900...] { #expect(try store.get(key) == value) }
            #expect(Set(try directory.files()) == Set(LMDBFiles.names), "\(step)")
            let isOld = step == "unfinished" || step == "finished"
            #expect(store.directory.file(data)?.length == (isOld ? before : after))
            store.close()
        }
    }
}

/// Some 250 bytes.
private struct Leaf: CodableModel, Equatable {
    var number: Int
    var text: String

    init(_ number: Int) {
        self.number = number
        text = String(repeating: "x", count: 150 + number * 37 % 200)
    }

    var modelIdentifier: ModelIdentifier? { "Leaf:\(number)" }
}
