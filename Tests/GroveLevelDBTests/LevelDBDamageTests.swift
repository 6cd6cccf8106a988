import Foundation
import GroveCache
import GroveLevelDB
import GroveModel
import StoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("Damage to LevelDB's files")
struct LevelDBDamageTests {
    /// Files of a store whose content has two generations, the second in the log alone.
    private func makeStore(in directory: TemporaryDirectory) throws {
        let store = try directory.open(LevelDBOptions(syncsEachCommit: false))
        for generation in ["old", "new"] {
            try store.write { (transaction) throws(CacheError) in
                for index in 0..<200 { try transaction.put("key \(index)", "\(generation) value of \(index)") }
            }
            if generation == "old" { try store.synchronize() }
        }
        store.close()
    }

    @Test("A flipped bit gives the right value, a whole earlier state, or a typed error", arguments: 0..<4)
    func flippedBits(part: Int) throws {
        let pristine = try TemporaryDirectory()
        try makeStore(in: pristine)
        var random = SeededGenerator(seed: UInt64(part))
        var outcomes: [String: Int] = [:]
        for _ in 0..<60 {
            let directory = try TemporaryDirectory()
            let names = try pristine.files { $0 != "LOCK" && !$0.hasPrefix("LOG") }
            for name in names {
                try FileManager.default.copyItem(at: pristine.url(name), to: directory.url(name))
            }
            let name = names[Int.random(in: 0..<names.count, using: &random)]
            var bytes = try Data(contentsOf: directory.url(name))
            guard !bytes.isEmpty else { continue }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try bytes.write(to: directory.url(name))
            do {
                let store = try directory.open()
                defer { store.close() }
                let view = try store.view()
                defer { view.end() }
                var generations: Set<String> = []
                for index in 0..<200 {
                    guard let value = try view.get("key \(index)") else {
                        generations.insert("none")
                        continue
                    }
                    #expect(value.hasSuffix(" value of \(index)"), "seed \(part), \(name), byte \(place)")
                    generations.insert(String(value.prefix(3)))
                }
                #expect(generations.count == 1, "seed \(part), \(name), byte \(place): \(generations)")
                outcomes[generations.first ?? "", default: 0] += 1
            } catch {
                #expect([.corrupted, .inputOutput, .unsupportedFormat].contains(error.code), "\(error)")
                outcomes["\(error.code)", default: 0] += 1
            }
        }
    }

    @Test("A scan over a damaged table throws before it shows an older value")
    func damagedScans() throws {
        let directory = try TemporaryDirectory()
        var store = try directory.open(LevelDBOptions(isCompressed: false, syncsEachCommit: false))
        for generation in ["old", "new"] {
            try store.write { (transaction) throws(CacheError) in
                for index in 0..<2_000 { try transaction.put("key \(index)", generation) }
            }
            try store.synchronize()
        }
        store.close()
        let newest = try #require(try directory.files { $0.hasSuffix(".ldb") }.last)
        var bytes = try Data(contentsOf: directory.url(newest))
        bytes[bytes.count / 3] ^= 0x10
        try bytes.write(to: directory.url(newest))
        store = try directory.open()
        var values: Set<[UInt8]> = []
        #expect(
            code {
                try store.read { (view) throws(CacheError) in
                    try unsafe [UInt8]().withRaw { (prefix) throws(CacheError) in
                        try unsafe view.scan(prefix: prefix) { (_, value) throws(CacheError) in
                            unsafe values.insert([UInt8](value))
                            return true
                        }
                    }
                }
            } == .corrupted)
        #expect(values == [[UInt8]("new".utf8)])
        #expect(code { _ = try store.size() } == .corrupted)
    }

    @Test("A log cut short gives an earlier state, whole, or a typed error")
    func truncatedLogs() throws {
        let pristine = try TemporaryDirectory()
        try makeStore(in: pristine)
        let log = try #require(try pristine.files { $0.hasSuffix(".log") }.last)
        let whole = try Data(contentsOf: pristine.url(log))
        for length in stride(from: 0, through: whole.count, by: max(1, whole.count / 40)) {
            let directory = try TemporaryDirectory()
            for name in try pristine.files(where: { $0 != "LOCK" }) {
                try FileManager.default.copyItem(at: pristine.url(name), to: directory.url(name))
            }
            try whole.prefix(length).write(to: directory.url(log))
            do {
                let store = try directory.open()
                let content = try store.read { (view) throws(CacheError) in try view.dictionary() }
                #expect(content.count == 200)
                #expect(Set(content.values.map { $0.prefix(3) }).count == 1)
            } catch { #expect(error.code == .corrupted) }
        }
    }

    @Test("Garbage in the place of a file is a typed error, and in that of the log at most the loss of the log")
    func garbageIsTyped() throws {
        let pristine = try TemporaryDirectory()
        try makeStore(in: pristine)
        for name in try pristine.files(where: { $0 != "LOCK" && !$0.hasPrefix("LOG") }) {
            let directory = try TemporaryDirectory()
            for other in try pristine.files(where: { $0 != "LOCK" }) {
                try FileManager.default.copyItem(at: pristine.url(other), to: directory.url(other))
            }
            try Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: directory.url(name))
            var values: Set<String> = []
            let code = code {
                let store = try directory.open()
                let content = try store.read { (view) throws(CacheError) in try view.dictionary() }
                values = Set(content.values.map { String(decoding: $0.prefix(3), as: UTF8.self) })
            }
            // A log whose first record seems longer than the file is taken for one that was being written.
            if name.hasSuffix(".log") {
                #expect(code == .corrupted || values == ["old"])
            } else {
                #expect(code == .corrupted, "\(name)")
            }
        }
    }

    @Test("A manifest cut short anywhere is damage, or loses nothing")
    func truncatedManifests() throws {
        let pristine = try TemporaryDirectory()
        var store = try pristine.open(LevelDBOptions(syncsEachCommit: false))
        // Two tables, and a log.
        for part in 0..<3 {
            try store.write { (transaction) throws(CacheError) in
                for index in 0..<50 { try transaction.put("key \(part) \(index)", "value \(part) \(index)") }
            }
            if part < 2 { try store.synchronize() }
        }
        store.close()
        let name = try #require(try pristine.files { $0.hasPrefix("MANIFEST-") }.last)
        let whole = try Data(contentsOf: pristine.url(name))
        var damaged = 0
        for length in 0..<whole.count {
            let directory = try TemporaryDirectory()
            for file in try pristine.files(where: { $0 != "LOCK" }) {
                try FileManager.default.copyItem(at: pristine.url(file), to: directory.url(file))
            }
            try whole.prefix(length).write(to: directory.url(name))
            do {
                store = try directory.open()
                let content = try store.read { (view) throws(CacheError) in try view.dictionary() }
                #expect(content.count == 150, "\(length) of \(whole.count) bytes")
                store.close()
            } catch {
                #expect(error.code == .corrupted, "\(length) of \(whole.count) bytes")
                damaged += 1
            }
        }
        #expect(damaged == whole.count)
        store = try pristine.open()
        #expect(try store.read { (view) throws(CacheError) in try view.dictionary().count } == 150)
    }

    @Test("A cache whose manifest was cut short says that it was made again")
    func toldOfTruncatedManifests() async throws {
        let directory = try TemporaryDirectory()
        let options = LevelDBOptions(syncsEachCommit: false)
        let cache = try LevelDBCache(directory: directory.path, options: options)
        try await cache.write(Item(id: 1))
        try await cache.flush(.durable)
        cache.close()
        let name = try #require(try directory.files { $0.hasPrefix("MANIFEST-") }.last)
        let whole = try Data(contentsOf: directory.url(name))
        try whole.dropLast().write(to: directory.url(name))
        #expect(code { _ = try LevelDBCache(directory: directory.path, options: options, policy: .fail) } == .corrupted)
        let observer = Rebuilds()
        let again = try LevelDBCache(directory: directory.path, options: options, observer: observer)
        await waitUntil { observer.codes.withLock { $0 } == [.corrupted] }
        #expect(try again.model("Item:1", as: Item.self) == nil)
        again.close()
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
