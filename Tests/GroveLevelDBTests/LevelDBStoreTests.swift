import Foundation
import GroveCache
import GroveLevelDB
import GroveModel
import Testing

@Suite("The store on LevelDB")
struct LevelDBStoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("Values of 0 B to 10 MB come back as they were, also after reopening")
    func valuesComeBack() throws {
        let values: [[UInt8]] = [[], [0], [UInt8](repeating: 7, count: 10 << 20)]
        var store = try directory.open()
        try store.write { (transaction) throws(CacheError) in
            for (index, value) in values.enumerated() {
                try transaction.put([UInt8(index)], value)
                #expect(try transaction.get([UInt8(index)]) == value)
            }
        }
        for _ in 0..<2 {
            for (index, value) in values.enumerated() {
                #expect(try store.read { (view) throws(CacheError) in try view.get([UInt8(index)]) } == value)
            }
            let size = try store.size()
            #expect(size.entries == 3)
            #expect(size.payloadBytes == 3 + 1 + 10 << 20)
            #expect(size.bytesOnDisk > 0)
            store.close()
            store = try directory.open()
        }
    }

    @Test("Keys with NUL, of 1 and 8,192 B, and with one long prefix stay distinct")
    func keysStayDistinct() throws {
        let store = try directory.open()
        let prefix = [UInt8](repeating: 0x61, count: 511)
        var keys: [[UInt8]] = [[0], [0, 0], [0x61], [0x61, 0], [0x61, 0, 0x62], prefix]
        keys += (0..<20).map { prefix + [UInt8](repeating: 0, count: 8_192 - 512) + [UInt8($0)] }
        for length in 1...70 { keys.append([UInt8](repeating: 0x7a, count: length)) }
        try store.write { (transaction) throws(CacheError) in
            for (index, key) in keys.enumerated() { try transaction.put(key, [UInt8(index)]) }
            for (index, key) in keys.enumerated() { #expect(try transaction.get(key) == [UInt8(index)]) }
        }
        for (index, key) in keys.enumerated() {
            #expect(try store.read { (view) throws(CacheError) in try view.get(key) } == [UInt8(index)])
        }
        #expect(try store.read { (view) throws(CacheError) in try view.get("absent") } == nil)
        #expect(try store.size().entries == keys.count)
    }

    @Test("A view opened before a commit does not show it, and does not keep the writer waiting")
    func viewsAreIsolated() throws {
        let store = try directory.open()
        try store.write { (transaction) throws(CacheError) in
            for index in 0..<1_000 { try transaction.put("key \(index)", "old") }
        }
        let before = try store.view()
        let old = try before.dictionary()
        try store.write { (transaction) throws(CacheError) in
            for index in stride(from: 0, to: 1_000, by: 7) { try transaction.put("key \(index)", "new") }
            for index in stride(from: 0, to: 1_000, by: 11) { try transaction.remove("key \(index)") }
        }
        #expect(try before.dictionary() == old)
        #expect(try before.get("key 0") == "old")
        before.end()
        #expect(try store.read { (view) throws(CacheError) in try view.get("key 7") } == "new")
        #expect(try store.read { (view) throws(CacheError) in try view.get("key 0") } == nil)
    }

    @Test("A transaction that throws leaves nothing behind")
    func abortLeavesNothing() throws {
        let store = try directory.open()
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "0") }
        let code = code {
            try store.write { (transaction) throws(CacheError) in
                try transaction.put("a", "1")
                try transaction.put("b", "1")
                throw CacheError(.cancelled, "On purpose.")
            }
        }
        #expect(code == .cancelled)
        #expect(try store.read { (view) throws(CacheError) in try view.dictionary() } == [[0x61]: [0x30]])
    }

    @Test("A transaction sees its own writes and removals, scanning too")
    func transactionsSeeThemselves() throws {
        let store = try directory.open()
        try store.write { (transaction) throws(CacheError) in
            for key in ["a", "c", "e", "g"] { try transaction.put(key, "0") }
        }
        try store.write { (transaction) throws(CacheError) in
            #expect(try transaction.get("a") == "0")
            try transaction.put("a", "1")
            #expect(try transaction.get("a") == "1")
            try transaction.remove("a")
            #expect(try transaction.get("a") == nil)
            try transaction.put("b", "2")
            try transaction.remove("e")
            try transaction.put("e", "longer than before")
            try transaction.remove("g")
            try transaction.put("h", "3")
            try transaction.remove("absent")
            #expect(try transaction.all().map(\.key) == ["b", "c", "e", "h"].map { [UInt8]($0.utf8) })
            #expect(try transaction.get("e") == "longer than before")
        }
        #expect(
            try store.read { (view) throws(CacheError) in try view.all().map(\.key) }
                == ["b", "c", "e", "h"].map { [UInt8]($0.utf8) })
    }

    @Test("Key and value may point into bytes that the transaction returned", arguments: [false, true])
    func ownBytesAreTaken(isStored: Bool) throws {
        let store = try directory.open()
        if isStored {
            try store.write { (transaction) throws(CacheError) in try transaction.put("a", "b0123456789") }
        }
        try store.write { (transaction) throws(CacheError) in
            if !isStored { try transaction.put("a", "b0123456789") }
            for key in ["a", "b", "0"] {
                try unsafe [UInt8](key.utf8).withRaw { (raw) throws(CacheError) in
                    guard let value = try unsafe transaction.get(raw) else { return }
                    try unsafe transaction.put(
                        UnsafeRawBufferPointer(rebasing: value[..<1]), UnsafeRawBufferPointer(rebasing: value[1...]))
                    guard let again = try unsafe transaction.get(raw) else { return }
                    try unsafe transaction.put(raw, UnsafeRawBufferPointer(rebasing: again[1...]))
                }
            }
            #expect(try transaction.get("a") == "0123456789")
            #expect(try transaction.get("b") == "123456789")
            #expect(try transaction.get("0") == "23456789")
        }
    }

    @Test("A scan visits what begins with the prefix in byte order and stops when told")
    func scansAreOrdered() throws {
        let store = try directory.open()
        let keys: [[UInt8]] = [
            [0x00], [0x61], [0x61, 0x00], [0x61, 0x62], [0x61, 0xff], [0x61, 0xff, 0xff], [0x62], [0xff], [0xff, 0xff],
        ]
        try store.write { (transaction) throws(CacheError) in
            for key in keys.reversed() { try transaction.put(key, key) }
            #expect(try transaction.all(prefix: [0xff]).map(\.key) == [[0xff], [0xff, 0xff]])
        }
        let view = try store.view()
        defer { view.end() }
        #expect(try view.all().map(\.key) == keys)
        #expect(try view.all(prefix: [0x61]).map(\.value) == Array(keys[1...5]))
        #expect(try view.all(prefix: [0x61, 0xff]).map(\.key) == Array(keys[4...5]))
        var visited = 0
        try unsafe [UInt8]().withRaw { (prefix) throws(CacheError) in
            try unsafe view.scan(prefix: prefix) { (_, _) throws(CacheError) in
                visited += 1
                return visited < 3
            }
        }
        #expect(visited == 3)
    }

    @Test("A value past the limit is refused, and the transaction goes on")
    func hugeValuesAreRefused() throws {
        let store = try directory.open()
        let huge = UnsafeMutableRawBufferPointer.allocate(
            byteCount: LevelDBStore.profile.maxValueBytes + 1, alignment: 1)
        defer { unsafe huge.deallocate() }
        try store.write { (transaction) throws(CacheError) in
            try transaction.put("a", "0")
            let code = code {
                try unsafe [0x62].withRaw { (key) throws(CacheError) in
                    try unsafe transaction.put(key, UnsafeRawBufferPointer(huge))
                }
            }
            #expect(code == .tooLarge)
        }
        #expect(try store.read { (view) throws(CacheError) in try view.dictionary().count } == 1)
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
