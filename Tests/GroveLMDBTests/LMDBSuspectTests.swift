import CLMDB
import Foundation
import GroveCache
@testable import GroveLMDB
import GroveModel
import StoreTesting
import Synchronization
import Testing
import TestSupport

/// What is looked at before LMDB opens a store that the last processes did not survive for long.
@Suite("Suspect stores")
struct LMDBSuspectTests {
    @Test("Whatever was written and removed, a whole store is never taken for a damaged one", arguments: 0..<4)
    func whole(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        var store = try directory.open()
        var keys: [[UInt8]] = []
        for round in 0..<60 {
            // Some pages stay in use for a view.
            let view = round % 3 == 0 ? try store.view() : nil
            try store.write { (transaction) throws(CacheError) in
                for _ in 0..<Int.random(in: 1...200, using: &random) {
                    if keys.count > 100, random.next() % 3 == 0 {
                        let gone = keys.remove(at: .random(in: 0..<keys.count, using: &random))
                        try transaction.remove(gone)
                        continue
                    }
                    let count = Int.random(in: 1...(random.next() % 8 == 0 ? 900 : 30), using: &random)
                    keys.append((0..<count).map { _ in .random(in: 0...255, using: &random) })
                    let bytes = Int.random(in: 0...(random.next() % 16 == 0 ? 40_000 : 300), using: &random)
                    try transaction.put(keys[keys.count - 1], [UInt8](repeating: 7, count: bytes))
                }
            }
            #expect(
                try LMDBStore.hiddenDamage(in: directory.path, isSuspect: true) == nil, "seed \(seed), round \(round)")
            view?.end()
            if round % 20 == 19 {
                store.close()
                store = try directory.open()
            }
        }
        // It has all that is looked at.
        let statistics = try store.pool.environment().statistics()
        #expect(statistics.ms_branch_pages > 0 && statistics.ms_overflow_pages > 0)
        store.close()
    }

    @Test("Damage in a suspect store is `corrupted`, as often as it is opened, or told when the store is made again")
    func damaged() async throws {
        let directory = try TemporaryDirectory()
        var cache = try LMDBCache(directory: directory.path)
        try await cache.write(contentsOf: (0..<2_000).map { Item(id: $0) })
        cache.close()
        var bytes = try Data(contentsOf: directory.url("data.mdb"))
        let name = Data("Item:1000".utf8)
        for page in stride(from: 8_192, to: bytes.count, by: 4_096)
        where bytes[page + 10] == 2 && bytes[page..<page + 4_096].range(of: name) != nil {
            bytes[page + 12] = 0xFF
        }
        try bytes.write(to: directory.url("data.mdb"))
        // One process that ended is none too many.
        try setEnds(1, in: directory)
        cache = try LMDBCache(directory: directory.path, options: LMDBOptions(), policy: .fail)
        cache.close()
        try setEnds(2, in: directory)
        for _ in 0..<2 {
            #expect(
                code { _ = try LMDBCache(directory: directory.path, options: LMDBOptions(), policy: .fail) }
                    == .corrupted)
        }
        let observer = Rebuilds()
        cache = try LMDBCache(directory: directory.path, observer: observer)
        await waitUntil { observer.codes.withLock { $0 } == [.corrupted] }
        #expect(try cache.model("Item:1", as: Item.self) == nil)
        cache.close()
    }

    /// Says in the file that processes share that so many have ended soon after they opened the store.
    private func setEnds(_ count: UInt8, in directory: TemporaryDirectory) throws {
        var words = try Data(contentsOf: directory.url("grove.generation"))
        words[24] = count
        try words.write(to: directory.url("grove.generation"))
    }
}

private struct Item: CodableModel, Equatable {
    var id: Int
    var modelIdentifier: ModelIdentifier? { "Item:\(id)" }
}

/// Notes why stores were made again.
private final class Rebuilds: CacheObserver {
    let codes = Mutex<[CacheError.Code]>([])

    func cacheDidRebuild(after error: CacheError) { codes.withLock { $0.append(error.code) } }
}
