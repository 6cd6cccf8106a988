import CSQLite
import Foundation
import GroveCache
import GroveModel
@testable import GroveSQLite
import StoreTesting
import Testing
import TestSupport

@Suite("Where SQLite needs care")
struct SQLiteEngineTests {
    @Test("Keys of one hash live beside each other, and removing one keeps the others", arguments: [0, 3] as [UInt64])
    func collisions(mask: UInt64) throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(hashMask: mask)
        let keys = (0..<40 as Range<UInt8>).map { [0x61, $0 / 7, $0] }
        try store.write { transaction throws(CacheError) in
            for (index, key) in keys.enumerated() { try transaction.put(key, [UInt8(index)]) }
            for index in stride(from: 0, to: 40, by: 3) {
                _ = try transaction.get(keys[index])
                try transaction.remove(keys[index])
            }
            for index in stride(from: 0, to: 40, by: 6) {
                _ = try transaction.get(keys[index])
                try transaction.put(keys[index], [UInt8(index), 1])
            }
        }
        var expected: [[UInt8]] = []
        for (index, key) in keys.enumerated() {
            let isThere = index % 3 != 0 || index % 6 == 0
            if isThere { expected.append(key) }
            #expect(try store.get(key) == (isThere ? [UInt8(index)] + (index % 6 == 0 ? [1] : []) : nil))
        }
        #expect(try store.keys() == expected)
        #expect(try store.size().entries == expected.count)
    }

    @Test("A write after a read of the same key, of another, and after a write goes where it should")
    func rememberedRows() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.write { transaction throws(CacheError) in
            #expect(try transaction.get([1]) == nil)
            try transaction.put([1], [1])
            try transaction.put([1], [2])
            #expect(try transaction.get([1]) == [2])
            try transaction.put([2], [3])
            #expect(try transaction.get([2]) == [3])
            try transaction.put([1], [4])
            try transaction.remove([1])
            try transaction.remove([1])
            try transaction.put([1], [5])
            #expect(try transaction.get([2]) == [3])
            #expect(try transaction.keys([]) == [[1], [2]])
            try transaction.put([2], [6])
        }
        #expect(try store.get([1]) == [5])
        #expect(try store.get([2]) == [6])
        #expect(try store.keys() == [[1], [2]])
    }

    @Test("Garbage and a foreign database are not a store, and are left as they are")
    func strangers() throws {
        for count in [16, 600, 50_000] {
            let garbage = try TemporaryDirectory()
            let bytes = Data(repeating: 0x5A, count: count)
            try bytes.write(to: garbage.url("store.sqlite"))
            #expect(code { _ = try garbage.open() } == .notAStore)
            #expect(try Data(contentsOf: garbage.url("store.sqlite")) == bytes)
        }
        let foreign = try TemporaryDirectory()
        try run("CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)", foreign)
        let bytes = try Data(contentsOf: foreign.url("store.sqlite"))
        #expect(code { _ = try foreign.open() } == .notAStore)
        #expect(try Data(contentsOf: foreign.url("store.sqlite")) == bytes)
    }

    @Test("A store of a later layout is refused and left as it is")
    func laterLayout() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        store.close()
        try run("PRAGMA user_version = \(0x0202_0202)", directory)
        let bytes = try Data(contentsOf: directory.url("store.sqlite"))
        #expect(code { _ = try directory.open() } == .unsupportedFormat)
        #expect(try Data(contentsOf: directory.url("store.sqlite")) == bytes)
    }

    @Test("A byte of the layout's number that is changed is damage, and no later layout")
    func damagedLayout() throws {
        let directory = try TemporaryDirectory()
        try directory.open().close()
        let bytes = try Data(contentsOf: directory.url("store.sqlite"))
        for place in 60..<64 {
            for change: UInt8 in [1, 3, 0x80, 166, 0xFF] {
                var damaged = bytes
                damaged[place] ^= change
                try damaged.write(to: directory.url("store.sqlite"))
                #expect(code { _ = try directory.open() } == .corrupted)
            }
        }
    }

    @Test("A store without its tables is damaged")
    func lostTables() throws {
        let directory = try TemporaryDirectory()
        try directory.open().close()
        try run("DROP TABLE named", directory)
        #expect(code { _ = try directory.open() } == .corrupted)
    }

    @Test("A file that was cut off gives values, misses or typed errors, and ends nothing")
    func truncation() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.write { transaction throws(CacheError) in
            for index in 0..<200 as Range<UInt8> { try transaction.put([index], Array(repeating: index, count: 500)) }
        }
        store.close()
        let whole = try Data(contentsOf: directory.url("store.sqlite"))
        for length in stride(from: whole.count - 1, to: 0, by: -3_001) {
            let cut = try TemporaryDirectory()
            try whole.prefix(length).write(to: cut.url("store.sqlite"))
            let thrown = code {
                let store = try cut.open()
                for index in 0..<200 as Range<UInt8> {
                    guard let value = try store.get([index]) else { continue }
                    // SQLite reads the missing end of a page as zeros, which the record's own checksum finds out.
                    #expect(value.count == 500)
                }
            }
            #expect(thrown == nil || thrown == .corrupted || thrown == .notAStore, "cut at \(length)")
        }
    }

    @Test("The last page is not read in place, as nothing is behind it when a damaged one is read past its end")
    func lastPage() throws {
        let directory = try TemporaryDirectory()
        let first = try directory.open()
        try first.write { transaction throws(CacheError) in
            for index in 0..<200 as Range<UInt8> { try transaction.put([index], Array(repeating: index, count: 500)) }
        }
        first.close()
        let store = try directory.open()
        let connection = try SQLiteConnection(store.pool.directory, SQLiteOptions(), isReader: true)
        let pages = try connection.number("PRAGMA page_count")
        #expect(pages > 10)
        var opened: UnsafeMutablePointer<sqlite3_file>?
        let status = unsafe sqlite3_file_control(connection.pointer, "main", SQLITE_FCNTL_FILE_POINTER, &opened)
        #expect(status == SQLITE_OK)
        let file = try unsafe #require(unsafe opened)
        let methods = try unsafe #require(unsafe file.pointee.pMethods).pointee
        let inPlace = (0..<pages).map { page in
            var place: UnsafeMutableRawPointer?
            _ = unsafe methods.xFetch(file, page * 4_096, 4_096, &place)
            let isThere = unsafe place != nil
            _ = unsafe methods.xUnfetch(file, page * 4_096, place)
            return isThere
        }
        #expect(inPlace == (0..<pages).map { $0 < pages - 1 })
    }

    @Test("The store's files are its owner's alone")
    func permissions() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.url(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("A store that was closed keeps its log, without content, and the log's index")
    func keptLog() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        store.close()
        let files = try StoreFiles(directory.path)
        #expect(files.file(SQLiteFiles.log)?.length == 0)
        #expect(files.file(SQLiteFiles.logIndex)?.length == 32_768)
    }

    @Test("A write waits no longer than the options say for another connection's")
    func lockedOut() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(SQLiteOptions(lockTimeout: .milliseconds(20)))
        try store.put([1], [1])
        let other = try SQLiteConnection(try SQLiteFiles.directory(directory.path), SQLiteOptions(), isReader: false)
        try other.run("BEGIN IMMEDIATE")
        #expect(code { try store.put([2], [2]) } == .locked)
        #expect(try store.get([1]) == [1])
        try other.run("COMMIT")
        try store.put([2], [2])
        #expect(try store.keys() == [[1], [2]])
    }

    @Test("A path that is longer than SQLite takes is told as that")
    func longPath() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + String(repeating: "/" + String(repeating: "d", count: 100), count: 5)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect {
            _ = try SQLiteStore(directory: path, options: SQLiteOptions())
        } throws: {
            ($0 as? CacheError)?.code == .unsupported && "\($0)".contains("511 bytes")
        }
    }

    @Test("A full database is reported as `full`, undoes the transaction, and the store goes on")
    func fullDatabase() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        try store.limitPages(20)
        let large = [UInt8](repeating: 7, count: 30_000)
        for isSwallowed in [false, true, false] {
            let thrown = code {
                try store.write { transaction throws(CacheError) in
                    for index in 2..<9 as Range<UInt8> {
                        do throws(CacheError) { try transaction.put([index], large) } catch {
                            guard isSwallowed else { throw error }
                        }
                    }
                }
            }
            #expect(thrown == .full)
            #expect(try store.keys() == [[1]])
        }
        try store.put([2], [UInt8](repeating: 7, count: 10_000))
        #expect(try store.keys() == [[1], [2]])
    }

    @Test("A view that is open during close and wipe goes on reading, and harms nothing")
    func lateViews() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        let first = try store.view()
        try store.wipe()
        try store.put([2], [2])
        let second = try store.view()
        #expect(try first.get([1]) == [1])
        #expect(try second.get([1]) == nil)
        first.end()
        store.close()
        #expect(try second.get([2]) == [2])
        second.end()
        #expect(try directory.open().keys() == [[2]])
    }

    /// Runs `text` on the file, outside of any store.
    private func run(_ text: String, _ directory: TemporaryDirectory) throws {
        var connection: OpaquePointer?
        defer { unsafe sqlite3_close_v2(connection) }
        let status = unsafe sqlite3_open(directory.url("store.sqlite").path, &connection)
        #expect(status == SQLITE_OK)
        #expect(unsafe sqlite3_exec(connection, text, nil, nil, nil) == SQLITE_OK)
    }
}
