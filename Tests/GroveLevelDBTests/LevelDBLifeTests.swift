import Foundation
import GroveCache
import GroveLevelDB
import GroveModel
import Testing

@Suite("Opening, wiping and closing LevelDB", .serialized)
struct LevelDBLifeTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("A second opening is refused with `locked`, through a symbolic link too, and leaves the first alone")
    func secondOpeningIsRefused() throws {
        let store = try directory.open()
        let link = directory.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        for path in [directory.path, link] {
            #expect(code { _ = try LevelDBStore(directory: path, options: LevelDBOptions()) } == .locked)
        }
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "1") }
        store.close()
        #expect(try directory.open().size().entries == 1)
    }

    @Test("A store that was released without close can be opened again")
    func releasedStoresLetGo() throws {
        for _ in 0..<3 {
            let store = try directory.open()
            try store.write { (transaction) throws(CacheError) in try transaction.put("a", "1") }
            _ = try store.view()
        }
        #expect(try directory.open().size().entries == 1)
    }

    @Test("A file, a missing directory and another's directory are typed errors, and nothing is written there")
    func wrongPathsAreTyped() throws {
        let file = directory.url("file")
        try Data([1]).write(to: file)
        #expect(code { _ = try LevelDBStore(directory: file.path, options: LevelDBOptions()) } == .notAStore)
        #expect(
            code { _ = try LevelDBStore(directory: directory.path + "/no", options: LevelDBOptions()) } == .inputOutput)
        #expect(code { _ = try LevelDBStore(directory: nil, options: LevelDBOptions()) } == .unsupported)
        for name in ["data.mdb", "store.sqlite", "holiday.jpeg"] {
            let other = try TemporaryDirectory()
            try Data([1]).write(to: other.url(name))
            #expect(code { _ = try other.open() } == .notAStore)
            #expect(try other.files() == [name])
        }
    }

    @Test("LevelDB's files without CURRENT are `corrupted`, not an empty store")
    func lostCurrentIsNoticed() throws {
        let store = try directory.open()
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "1") }
        store.close()
        let files = try directory.files()
        try FileManager.default.removeItem(at: directory.url("CURRENT"))
        #expect(code { _ = try directory.open() } == .corrupted)
        #expect(try directory.files() == files.filter { $0 != "CURRENT" })
    }

    @Test("A directory with a name in Unicode works")
    func unicodeNames() throws {
        let path = directory.path + "/größe 📦"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let store = try LevelDBStore(directory: path, options: LevelDBOptions())
        #expect(try store.size().entries == 0)
    }

    @Test("After a wipe no file holds a byte of the old content, and the store goes on")
    func wipeLeavesNothing() throws {
        let store = try directory.open(LevelDBOptions(writeBufferBytes: 64 << 10, isCompressed: false))
        let marker = "marker-of-old-content"
        for round in 0..<30 {
            try store.write { (transaction) throws(CacheError) in
                for index in 0..<200 { try transaction.put("\(marker) \(round) \(index)", marker) }
            }
        }
        #expect(try holders(of: marker).isEmpty == false)
        try store.wipe()
        #expect(try holders(of: marker) == [])
        #expect(try store.size().entries == 0)
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "1") }
        store.close()
        #expect(try directory.open().size().entries == 1)
    }

    @Test("A wipe that was cut short is finished at the next opening")
    func wipesAreFinished() throws {
        let store = try directory.open()
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "1") }
        store.close()
        try FileManager.default.removeItem(at: directory.url("CURRENT"))
        try Data().write(to: directory.url("grove-leveldb.wiping"))
        #expect(try directory.open().size().entries == 0)
        #expect(try directory.files { $0.hasPrefix("grove") } == [])
    }

    @Test("200 cycles of opening and closing leak no descriptor and no thread")
    func cyclesLeakNothing() throws {
        func cycle() throws {
            let store = try directory.open()
            try store.write { (transaction) throws(CacheError) in try transaction.put("a", "1") }
            _ = try store.read { (view) throws(CacheError) in try view.get("a") }
            store.close()
        }
        for _ in 0..<5 { try cycle() }
        let before = try held()
        let threads = try threadCount()
        for _ in 0..<200 { try cycle() }
        #expect(try held() == before)
        // Other tests come and go at the same time; a thread lost per cycle would still show.
        #expect(try threadCount() < threads + 100)
    }

    @Test("After close every call throws `closed`, and a second close does nothing")
    func closedStoresRefuse() throws {
        let store = try directory.open()
        store.close()
        store.close()
        #expect(code { _ = try store.view() } == .closed)
        #expect(code { try store.write { (_) throws(CacheError) in } } == .closed)
        #expect(code { _ = try store.size() } == .closed)
        #expect(code { try store.wipe() } == .closed)
        #expect(code { try store.synchronize() } == .closed)
    }

    /// Descriptors of this test's directory that are open, of which other tests know nothing.
    private func held() throws -> [String] {
        #if os(Linux)
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }.filter { $0.contains(directory.path) }
        #else
            []
        #endif
    }

    private func threadCount() throws -> Int {
        #if os(Linux)
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        #else
            0
        #endif
    }

    // `LOCK` is left alone: closing it would let go of the lock. A compaction may remove a file meanwhile.
    private func holders(of marker: String) throws -> [String] {
        try directory.files { $0 != "LOCK" }.filter {
            guard let content = try? Data(contentsOf: directory.url($0)) else { return false }
            return content.range(of: Data(marker.utf8)) != nil
        }
    }
}
