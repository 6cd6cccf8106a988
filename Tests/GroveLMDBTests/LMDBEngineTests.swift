import Foundation
import GroveCache
@testable import GroveLMDB
import GroveModel
import StoreTesting
import Testing
import TestSupport

@Suite("Where LMDB needs care")
struct LMDBEngineTests {
    @Test("Long keys of one hash live beside each other, and removing one keeps the others")
    func collisions() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(hashMask: 0)
        let head = [UInt8](repeating: 0x61, count: 600)
        let keys = (0..<40 as Range<UInt8>).map { head + [$0 / 7, $0] }
        for (index, key) in keys.enumerated() { try store.put(key, [UInt8(index)]) }
        for index in stride(from: 0, to: 40, by: 3) { try store.remove(keys[index]) }
        for index in stride(from: 0, to: 40, by: 6) { try store.put(keys[index], [UInt8(index), 1]) }
        try store.put(keys[1], [UInt8](repeating: 1, count: 5_000))
        var expected: [[UInt8]] = []
        for (index, key) in keys.enumerated() {
            let isThere = index % 3 != 0 || index % 6 == 0
            if isThere { expected.append(key) }
            let value = index == 1 ? [UInt8](repeating: 1, count: 5_000) : [UInt8(index)] + (index % 6 == 0 ? [1] : [])
            #expect(try store.get(key) == (isThere ? value : nil))
        }
        #expect(try store.keys() == expected)
    }

    @Test("A full map is reported as `full`, undoes the transaction, and the store goes on")
    func fullMap() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(LMDBOptions(mapSize: 1 << 20))
        try store.put([1], [1])
        let megabyte = [UInt8](repeating: 7, count: 300_000)
        for _ in 0..<5 {
            let thrown = code {
                try store.write { transaction throws(CacheError) in
                    for index in 2..<9 as Range<UInt8> { try transaction.put([index], megabyte) }
                }
            }
            #expect(thrown == .full)
        }
        let swallowed = code {
            try store.write { transaction throws(CacheError) in
                for index in 2..<9 as Range<UInt8> {
                    do throws(CacheError) { try transaction.put([index], megabyte) } catch {}
                }
            }
        }
        #expect(swallowed == .full)
        #expect(try store.keys() == [[1]])
        try store.put([2], [UInt8](repeating: 7, count: 100_000))
        #expect(try store.keys() == [[1], [2]])
        store.close()
        #expect(try directory.open().keys() == [[1], [2]])
    }

    @Test("A file that was cut off is refused as damaged, wherever it was cut")
    func truncation() throws {
        let directory = try TemporaryDirectory()
        var store = try directory.open()
        try store.write { transaction throws(CacheError) in
            for index in 0..<200 as Range<UInt8> { try transaction.put([index], Array(repeating: index, count: 500)) }
        }
        store.close()
        let whole = try Data(contentsOf: directory.url("data.mdb"))
        for length in stride(from: whole.count - 1, to: 0, by: -3_001) {
            try whole.prefix(length).write(to: directory.url("data.mdb"))
            let thrown = code { _ = try directory.open() }
            #expect(thrown == .corrupted || (length < 8_192 && thrown == .notAStore), "cut at \(length)")
        }
        try whole.write(to: directory.url("data.mdb"))
        store = try directory.open()
        #expect(try store.keys().count == 200)
    }

    @Test("A value put and removed in one transaction leaves a file that opens again")
    func unwrittenPages() throws {
        let directory = try TemporaryDirectory()
        for round in 0..<3 as Range<UInt8> {
            let store = try directory.open()
            try store.write { transaction throws(CacheError) in
                try transaction.put([round], [round])
                try transaction.put([99], [UInt8](repeating: 7, count: 1_000_000))
                try transaction.remove([99])
            }
            store.close()
        }
        #expect(try directory.open().keys() == [[0], [1], [2]])
    }

    @Test("Garbage is not a store, and is left as it is", arguments: [16, 4_096, 50_000])
    func strangers(count: Int) throws {
        let garbage = try TemporaryDirectory()
        try Data(repeating: 0x5A, count: count).write(to: garbage.url("data.mdb"))
        #expect(code { _ = try garbage.open() } == .notAStore)
        #expect(try Data(contentsOf: garbage.url("data.mdb")) == Data(repeating: 0x5A, count: count))
    }

    @Test("A store of a later layout is refused and left as it is")
    func laterLayout() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        store.close()
        var bytes = try Data(contentsOf: directory.url("data.mdb"))
        var from = bytes.startIndex
        while let stamp = bytes.range(of: Data("GroveLMD".utf8) + Data([1, 1, 1, 1]), in: from..<bytes.endIndex) {
            bytes.replaceSubrange(stamp.upperBound - 4..<stamp.upperBound, with: [2, 2, 2, 2])
            from = stamp.upperBound
        }
        try bytes.write(to: directory.url("data.mdb"))
        #expect(code { _ = try directory.open() } == .unsupportedFormat)
        #expect(try Data(contentsOf: directory.url("data.mdb")) == bytes)
    }

    @Test("The store's files are its owner's alone")
    func permissions() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        for name in ["data.mdb", "lock.mdb"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.url(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("Views that are dropped without an end give their reader slots back")
    func droppedViews() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(LMDBOptions(maxReaders: 8))
        try store.put([1], [1])
        for _ in 0..<100 { #expect(try store.view().get([1]) == [1]) }
        var views: [LMDBView] = []
        let thrown = code {
            for _ in 0..<1_000 { views.append(try store.view()) }
        }
        #expect(thrown == .locked)
        views.removeAll()
        #expect(try store.get([1]) == [1])
        try store.wipe()
        #expect(try store.get([1]) == nil)
    }

    @Test("Pages that a view holds are free later and not now, whoever the reader is")
    func heldPages() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        for round in 0..<4 as Range<UInt8> {
            for number in 0..<200 as Range<UInt8> { try store.put([1, number], [UInt8](repeating: round, count: 900)) }
        }
        func free() throws -> (now: Int, later: Int) {
            try store.pool.withEnvironment { (environment) throws(CacheError) in try environment.freePages() }
        }
        let view = try store.view()
        for number in 0..<200 as Range<UInt8> { try store.put([1, number], [UInt8](repeating: 9, count: 900)) }
        let held = try free()
        #expect(held.later >= held.now + 40, "\(held)")
        view.end()
        store.pool.releaseResting()
        let ended = try free()
        #expect(ended.now == ended.later && ended.now >= held.now + 40, "\(ended)")
        #expect(unsafe LMDBEnvironment.commit(ofReader: "    pid     thread     txnid\n") == nil)
        #expect(unsafe LMDBEnvironment.commit(ofReader: "      4711 7f00c0ffee12 -\n") == nil)
        #expect(unsafe LMDBEnvironment.commit(ofReader: "      4711 70012 1290\n") == 1_290)
        #expect(unsafe LMDBEnvironment.commit(ofReader: "      4711 70012 18446744073709551615\n") == .max)
        #expect(unsafe LMDBEnvironment.commit(ofReader: "(no active readers)\n") == nil)
    }

    @Test("Locks that a wipe left behind are not taken for those of the new file")
    func orphanedLocks() throws {
        let directory = try TemporaryDirectory()
        var store = try directory.open()
        for round in 0..<40 as Range<UInt8> { try store.put([round], [round]) }
        let locks = try Data(contentsOf: directory.url("lock.mdb"))
        store.close()
        try FileManager.default.removeItem(at: directory.url("data.mdb"))
        try locks.write(to: directory.url("lock.mdb"))
        store = try directory.open()
        #expect(try store.keys() == [])
        try store.put([1], [2])
        #expect(try store.get([1]) == [2])
    }

    @Test("A view that is open during close and wipe goes on reading, and nothing crashes")
    func lateViews() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        try store.put([1], [1])
        let first = try store.view()
        try store.wipe()
        let second = try store.view()
        #expect(try first.get([1]) == [1])
        #expect(try second.get([1]) == nil)
        first.end()
        store.close()
        #expect(try second.get([1]) == nil)
        second.end()
    }
}
