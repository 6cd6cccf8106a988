import Foundation
import GroveCache
@testable import GroveLevelDB
import GroveModel
import StoreTesting
import Testing
import TestSupport

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

    @Test("LevelDB's files without CURRENT are `corrupted`, not an empty store")
    func lostCurrentIsNoticed() throws {
        let store = try directory.open()
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "1") }
        store.close()
        let files = try directory.files()
        try FileManager.default.removeItem(at: directory.url("CURRENT"))
        #expect(code { _ = try directory.open() } == .corrupted)
        #expect(try directory.files() == files.filter { $0 != "CURRENT" })
        // LevelDB takes a link that leads nowhere for none.
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/CURRENT", withDestinationPath: "nowhere")
        #expect(code { _ = try directory.open() } == .corrupted)
        #expect(try directory.files() == files)
        try FileManager.default.removeItem(at: directory.url("CURRENT"))
        try FileManager.default.createDirectory(at: directory.url("CURRENT"), withIntermediateDirectories: false)
        #expect(code { _ = try directory.open() } == .corrupted)
        #expect(try directory.files() == files)
    }

    @Test("A CURRENT with any byte changed is damage, after which a cache makes a new store")
    func damagedCurrent() throws {
        try LevelDBCache(directory: directory.path).close()
        let whole = try Data(contentsOf: directory.url("CURRENT"))
        for index in whole.indices {
            for byte: UInt8 in [0, 0x2F, whole[index] ^ 1] where byte != whole[index] {
                var damaged = whole
                damaged[index] = byte
                try damaged.write(to: directory.url("CURRENT"))
                #expect(code { _ = try directory.open() } == .corrupted, "byte \(index) is \(byte)")
            }
        }
        let cache = try LevelDBCache(directory: directory.path)
        #expect(try cache.count(ofCollection: "none") == nil)
        cache.close()
    }

    @Test("A store whose directory was moved opens, removes and cuts nothing in the one that has its name since")
    func moved() throws {
        let files = FileManager.default
        let (path, moved) = (directory.path + "/store", directory.path + "/moved")
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        let store = try LevelDBStore(directory: path, options: LevelDBOptions())
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "first") }
        try files.moveItem(atPath: path, toPath: moved)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("another's".utf8).write(to: URL(fileURLWithPath: path + "/000009.log"))
        #expect(code { try store.wipe() } == .inputOutput)
        #expect(code { _ = try store.setBudget(8 << 20) } == .inputOutput)
        store.connection.failed(CacheError(.inputOutput, "as a sync that fails"))
        #expect(code { try store.write { (transaction) throws(CacheError) in try transaction.put("a", "2") } } != nil)
        store.close()
        #expect(try files.contentsOfDirectory(atPath: path) == ["000009.log"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/000009.log")) == Data("another's".utf8))
        let again = try LevelDBStore(directory: moved, options: LevelDBOptions())
        #expect(try again.size().entries == 1)
        again.close()
    }

    @Test("What is tried and emptied in the directory leaves another alone that has its path since")
    func movedProbes() throws {
        let files = FileManager.default
        let (path, moved) = (directory.path + "/store", directory.path + "/moved")
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        let held = try LevelDBDirectory(try StoreFiles(path))
        try files.moveItem(atPath: path, toPath: moved)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        let others = ["LOG": "another's events", "grove-leveldb.room": "another's probe"]
        for (name, text) in others { try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name)) }
        held.emptyEvents()
        #expect(code { try held.tryRoom() } == .inputOutput)
        for (name, text) in others {
            #expect(try String(contentsOfFile: path + "/" + name, encoding: .utf8) == text)
        }
        for name in others.keys { try files.moveItem(atPath: path + "/" + name, toPath: moved + "/" + name) }
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: moved, toPath: path)
        held.emptyEvents()
        try held.tryRoom()
        #expect(try files.contentsOfDirectory(atPath: path) == ["LOG"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/LOG")).isEmpty)
    }

    @Test("Under a budget LevelDB is opened once, and anew where the budget is another one")
    func openings() throws {
        let path = directory.path + "/store"
        func open(_ bytes: Int) throws -> LevelDBCache {
            try LevelDBCache(directory: path, options: LevelDBOptions(), budget: CacheBudget(bytes: bytes))
        }
        // Each opening keeps the last one's log of events under another name.
        func wasOpened() -> Bool { FileManager.default.fileExists(atPath: path + "/LOG.old") }
        for bytes in [20_000_000, 400_000_000, 10_000_000] {
            try open(bytes).close()
            #expect(!wasOpened())
            try FileManager.default.removeItem(atPath: path)
        }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let store = try LevelDBStore(directory: path, options: LevelDBOptions(), budget: 40_000_000)
        let payload = try store.setBudget(40_000_000)
        #expect(!wasOpened())
        #expect(try store.setBudget(30_000_000) < payload)
        #expect(wasOpened())
        store.close()
    }

    @Test("After a wipe no table holds a byte of the old content, and the store goes on")
    func wipeLeavesNothing() throws {
        let store = try directory.open(LevelDBOptions(writeBufferBytes: 64 << 10, isCompressed: false))
        let marker = "marker-of-old-content"
        for round in 0..<30 {
            try store.write { (transaction) throws(CacheError) in
                for index in 0..<200 { try transaction.put("\(marker) \(round) \(index)", marker) }
            }
        }
        #expect(try directory.files(holding: marker).isEmpty == false)
        try store.wipe()
        #expect(try directory.files(holding: marker) == [])
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

    @Test("After close `synchronize` throws `closed`")
    func closedStoresRefuse() throws {
        let store = try directory.open()
        store.close()
        #expect(code { try store.synchronize() } == .closed)
    }

    @Test("Unsynchronised commits are there after synchronize, and the store goes on")
    func unsynchronisedCommits() throws {
        var store = try directory.open(LevelDBOptions(syncsEachCommit: false))
        for index in 0..<100 {
            try store.write { (transaction) throws(CacheError) in try transaction.put("key \(index)", "value") }
        }
        try store.synchronize()
        #expect(try directory.files { $0.hasSuffix(".ldb") }.isEmpty == false)
        store.close()
        store = try directory.open()
        try store.synchronize()
        #expect(try store.size().entries == 100)
    }
}
