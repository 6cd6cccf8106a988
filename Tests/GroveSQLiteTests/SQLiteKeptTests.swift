import CSQLite
import GroveCache
import GroveModel
@testable import GroveSQLite
import StoreTesting
import Testing
import TestSupport

@Suite("The index of what is kept")
struct SQLiteKeptTests {
    private let kept: [[UInt8]] = ["a-7", "b", "c-12", "d"].map { [0x05] + Array($0.utf8) }

    @Test("What is kept is found in order without a look at other keys, and without a sort")
    func plan() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.open()
        let connection = try SQLiteConnection(
            try SQLiteFiles.directory(directory.path), SQLiteOptions(), isReader: true)
        let text = "EXPLAIN QUERY PLAN " + SQLiteConnection.order(isKept: true)
        let statement = try SQLiteStatement(text, connection)
        var plan: [String] = []
        while try statement.step("explain") { plan.append(unsafe String(decoding: statement.bytes(3), as: UTF8.self)) }
        #expect(
            plan.count == 1 && plan.allSatisfy { $0.contains("SEARCH") && $0.contains("INDEX named_kept") }, "\(plan)")
    }

    @Test("No other record is in the index, and none of what is kept has a number, however its key ends")
    func content() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        let others: [[UInt8]] = [[0x04, 1], [0x06], [0x06, 2], [0x05]]
        try store.write { transaction throws(CacheError) in
            for key in kept + others { try transaction.put(key, key + [1]) }
            for key in kept { try transaction.put(key, key) }
            #expect(try transaction.keys([0x05]) == [[0x05]] + kept)
            try transaction.remove(kept[1])
        }
        #expect(try store.keys([0x05]) == [[0x05], kept[0], kept[2], kept[3]])
        #expect(try store.keys([0x05] + Array("c".utf8)) == [kept[2]])
        #expect(try store.get(kept[2]) == kept[2])
        let connection = try SQLiteConnection(
            try SQLiteFiles.directory(directory.path), SQLiteOptions(), isReader: true)
        #expect(try connection.number("SELECT count(*) FROM prefix") == 0)
        #expect(
            try connection.number("SELECT count(*) FROM named INDEXED BY named_kept WHERE \(SQLiteLayout.isKept)") == 4)
        #expect(try connection.answer("PRAGMA integrity_check") == "ok")
    }

    @Test("A file of before the index gets it when it is opened, and what it kept under numbers is found")
    func older() throws {
        let directory = try TemporaryDirectory()
        var store = try directory.open()
        try store.write { transaction throws(CacheError) in for key in kept { try transaction.put(key, key) } }
        store.close()
        let files = try SQLiteFiles.directory(directory.path)
        do {
            let connection = try SQLiteConnection(files, SQLiteOptions(), isReader: false)
            try connection.run("DROP INDEX named_kept")
            try connection.run("DELETE FROM named WHERE key = x'05632d3132'")
            try connection.run("INSERT INTO prefix VALUES(1, x'05632d')")
            try connection.run("INSERT INTO numbered VALUES(\(SQLiteNumberedKey.row(1, 12)), x'05632d3132')")
        }
        store = try directory.open()
        #expect(try store.keys([0x05]) == kept)
        #expect(try store.get(kept[2]) == kept[2])
        try store.write { transaction throws(CacheError) in for key in kept { try transaction.remove(key) } }
        #expect(try store.keys().isEmpty)
    }
}
