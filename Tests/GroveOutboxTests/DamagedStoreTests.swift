import Grove
@testable import GroveCache
import GroveLevelDB
import GroveLMDB
import GroveMemory
import GroveOutbox
import GroveSQLite
import Testing
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that is damaged while mutations are pending in it.
@MainActor
@Suite("What is pending in a damaged store")
struct DamagedStoreTests {
    private let directory: TemporaryDirectory
    private let clock = FakeClock()
    private var path: String { directory.path + "/cache" }

    init() throws { directory = try TemporaryDirectory() }

    /// A store with many posts and three mutations that are not sent; returns the keys of these.
    private func makeStore(_ backend: DiskBackend) async throws -> [String] {
        let scene = try DiskScene(backend, path, clock: clock, keys: "first")
        let posts = (0..<2_000).map { number in
            Post(id: number, text: "filler " + (0..<20).map { "\(number &* 7_919 &+ $0 &* 104_729)" }.joined())
        }
        try await scene.write(posts, [])
        scene.outbox.suspend()
        var keys: [String] = []
        for text in ["a", "needle", "c"] {
            keys.append(try await scene.outbox.submit(Edit(post: "Post:1", text: text)).id)
        }
        scene.close()
        // LevelDB makes a table of its log.
        try DiskScene(backend, path, clock: clock, keys: "second").close()
        // It may have begun to send, and ended with the lease.
        clock.advance(61)
        return keys
    }

    /// Overwrites the store's own record, by which opening finds that the store is damaged, and two pages with posts.
    private func damage(_ backend: DiskBackend) throws {
        switch backend {
        case .lmdb: try spoil(LMDBStore(directory: path, options: LMDBOptions()))
        case .sqlite: try spoil(SQLiteStore(directory: path, options: SQLiteOptions()))
        case .levelDB: try spoil(LevelDBStore(directory: path, options: LevelDBOptions()))
        }
        try overwritePages(backend)
    }

    private func spoil(_ store: some NodeStore) throws {
        try store.write { (transaction) throws(CacheError) in
            try unsafe StoreState.key.withUnsafeBytesTyped { (key) throws(CacheError) in
                try unsafe [UInt8](repeating: 7, count: 100).withUnsafeBytesTyped { (value) throws(CacheError) in
                    try unsafe transaction.put(key, value)
                }
            }
        }
        store.close()
    }

    private func overwritePages(_ backend: DiskBackend) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: path).filter {
            ["data.mdb", "store.sqlite"].contains($0) || $0.hasSuffix(".ldb")
        }
        var all = 0
        for file in files.map({ URL(fileURLWithPath: path + "/" + $0) }) {
            var bytes = [UInt8](try Data(contentsOf: file))
            let pages = stride(from: 0, to: bytes.count - 4_095, by: 4_096).filter { page in
                let isLeaf =
                    switch backend {
                    case .sqlite: bytes[page] == 0x0D
                    case .lmdb: bytes[page + 10] == 2 && bytes[page + 11] == 0
                    case .levelDB: true
                    }
                return isLeaf && find("filler", in: bytes[page..<page + 4_096]) != nil
                    && find("outbox", in: bytes[page..<page + 4_096]) == nil
            }
            all += pages.count
            for page in pages.dropFirst(pages.count / 3).prefix(2) {
                for byte in 0..<4_096 { bytes[page + byte] = UInt8(truncatingIfNeeded: byte &* 131 &+ 77) }
            }
            try Data(bytes).write(to: file)
        }
        #expect(all > 10)
    }

    private func find(_ text: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let text = Array(text.utf8)
        return bytes.indices.first { bytes[$0] == text[0] && bytes[$0...].starts(with: text) }
    }

    private func holds(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    /// Opens the store, in which `keys` are pending and nothing else is, and has them sent.
    private func check(_ backend: DiskBackend, _ keys: [String]) async throws {
        var scene = try DiskScene(backend, path, clock: clock, keys: "third")
        #expect(scene.outbox.pending.map(\.id) == keys)
        #expect(try scene.kept() == Set(keys))
        #expect(try scene.post(1) == nil)
        #expect(!holds(KeptRecords.fileName))
        // The store goes on: what is submitted comes last, and all are there at the next opening too.
        scene.outbox.suspend()
        let last = try await scene.outbox.submit(Edit(post: "Post:1", text: "d")).id
        scene.close()
        // Before it was suspended it may have taken the lease.
        clock.advance(61)
        scene = try DiskScene(backend, path, clock: clock, keys: "fourth")
        #expect(scene.outbox.pending.map(\.id) == keys + [last])
        for text in ["a", "needle", "c", "d"] {
            #expect(try await scene.server.reply(Answer(Post(id: 1, text: text))) == "edit:Post:1:\(text)")
        }
        await scene.outbox.flush()
        #expect(scene.server.seen.map(\.key) == keys + [last])
        #expect(try scene.kept().isEmpty && scene.post(1)?.text == "d")
        scene.close()
    }

    @Test(
        "If opening sets a damaged store aside, what was pending is in the new one, and is sent in order, with its keys",
        arguments: DiskBackend.allCases)
    func atOpening(backend: DiskBackend) async throws {
        let keys = try await makeStore(backend)
        try damage(backend)
        try await check(backend, keys)
        #expect(holds(StoreDirectory.setAsideName))
    }

    @Test("A process that is killed when the store is set aside, and the new one not made, loses nothing")
    func killed() async throws {
        let keys = try await makeStore(.lmdb)
        try save()
        for name in ["data.mdb", "lock.mdb"] { try? FileManager.default.removeItem(atPath: path + "/" + name) }
        try await check(.lmdb, keys)
    }

    @Test("A process that is killed while it saves what is pending loses nothing")
    func killedWhileSaving() async throws {
        let keys = try await makeStore(.lmdb)
        try damage(.lmdb)
        try save()
        let file = URL(fileURLWithPath: path + "/" + KeptRecords.fileName)
        try Data(contentsOf: file).dropLast().write(to: file)
        try await check(.lmdb, keys)
    }

    /// Does what precedes setting aside.
    private func save() throws {
        let path = path
        try unsafe KeptRecords(path) { (visit) throws(CacheError) in
            try unsafe LMDBStore.salvage(
                path, prefix: [Namespace.kept], options: LMDBOptions(), visit, unreadable: { _ in })
        }.save(in: path)
        #expect(holds(KeptRecords.fileName))
    }

    @Test("A mutation whose bytes are damaged is told as one that cannot be read, and the others are there")
    func damagedMutation() async throws {
        let keys = try await makeStore(.lmdb)
        try damage(.lmdb)
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var bytes = [UInt8](try Data(contentsOf: file))
        while let place = find("needle", in: bytes[...]) { bytes[place] = UInt8(ascii: "N") }
        try Data(bytes).write(to: file)
        let scene = try DiskScene(.lmdb, path, clock: clock, keys: "third")
        #expect(Set(scene.outbox.pending.map(\.id)) == Set(keys))
        for item in scene.outbox.pending {
            if case .unreadable = item.state { #expect(item.id == keys[1]) } else { #expect(item.id != keys[1]) }
        }
        scene.close()
    }

    @Test("If a store is found damaged and set aside while it is open, what is pending stays so, and is sent")
    func whileOpen() async throws {
        let keys = try await makeStore(.sqlite)
        let scene = try DiskScene(.sqlite, path, clock: clock, keys: "third")
        let request = try await scene.server.next()
        scene.outbox.suspend()
        // The answer to a request of before would be of another store.
        request.reply(.failure(NoNetwork()))
        await scene.outbox.flush()
        try overwritePages(.sqlite)
        for number in 0..<2_000 where !holds(StoreDirectory.setAsideName) {
            // The store is opened again beside the reads.
            if (try? scene.post(number)) == nil { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(holds(StoreDirectory.setAsideName))
        await waitUntil { (try? scene.kept()) == Set(keys) }
        scene.outbox.resume()
        for text in ["a", "needle", "c"] {
            #expect(try await scene.server.reply(Answer(Post(id: 1, text: text))) == "edit:Post:1:\(text)")
        }
        await scene.outbox.flush()
        #expect(scene.server.seen.map(\.key) == [keys[0]] + keys && scene.outbox.pending.isEmpty)
        scene.close()
    }

    @Test("If the count of submissions is lost, what is submitted comes after what is pending")
    func lostCount() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let first = try Scene(cache, clock: clock, keys: "a")
        first.outbox.suspend()
        var keys: [String] = []
        for id in 0..<3 { keys.append(try await first.outbox.submit(Like(post: id)).id) }
        try await cache.write { tx in try tx.keep(nil, as: "outbox.n") }
        let second = try Scene(cache, clock: clock, keys: "b")
        second.outbox.suspend()
        for id in 3..<5 { keys.append(try await second.outbox.submit(Like(post: id)).id) }
        #expect(try Scene(cache, clock: clock, keys: "c").outbox.pending.map(\.id) == keys)
    }
}
