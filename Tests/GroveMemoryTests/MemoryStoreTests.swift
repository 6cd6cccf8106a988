import GroveCache
import GroveModel
import Testing

@testable import GroveMemory

@Suite("The store in memory")
struct MemoryStoreTests {
    /// The usual hash, one that collides always, and one that collides often and in its low bits.
    static let hashes = [ByteHash(), ByteHash(seed: 1, mask: 0), ByteHash(seed: 2, mask: 0x8000_0000_0000_0041)]

    @Test("Values of 0 B to 10 MB come back as they were")
    func valuesComeBack() throws {
        let store = try MemoryStore()
        let values: [[UInt8]] = [[], [0], [UInt8](repeating: 7, count: 10 << 20)]
        try store.write { (transaction) throws(CacheError) in
            for (index, value) in values.enumerated() { try transaction.put([UInt8(index)], value) }
        }
        for (index, value) in values.enumerated() {
            #expect(try store.read { (view) throws(CacheError) in try view.get([UInt8(index)]) } == value)
        }
        #expect(try store.size().entries == 3)
        #expect(try store.size().payloadBytes == 3 + 1 + 10 << 20)
    }

    @Test("Keys with NUL, of 1 and 8,192 B, and with one long prefix stay distinct", arguments: hashes)
    func keysStayDistinct(hash: ByteHash) throws {
        let store = MemoryStore(hash: hash)
        let prefix = [UInt8](repeating: 0x61, count: 511)
        var keys: [[UInt8]] = [[0], [0, 0], [0x61], [0x61, 0], [0x61, 0, 0x62], prefix]
        keys += (0..<20).map { prefix + [UInt8](repeating: 0, count: 8_192 - 512) + [UInt8($0)] }
        for length in 1...70 { keys.append([UInt8](repeating: 0x7a, count: length)) }
        try store.write { (transaction) throws(CacheError) in
            for (index, key) in keys.enumerated() { try transaction.put(key, [UInt8(index)]) }
        }
        for (index, key) in keys.enumerated() {
            #expect(try store.read { (view) throws(CacheError) in try view.get(key) } == [UInt8(index)])
        }
        #expect(try store.read { (view) throws(CacheError) in try view.get("absent") } == nil)
        #expect(try store.size().entries == keys.count)
    }

    @Test("A view opened before a commit does not show it, whatever is written, removed or wiped")
    func viewsAreIsolated() throws {
        let store = try MemoryStore()
        try store.write { (transaction) throws(CacheError) in
            for index in 0..<1_000 { try transaction.put("key \(index)", "old") }
        }
        let before = try store.view()
        let old = try before.dictionary()
        for round in 0..<10 {
            try store.write { (transaction) throws(CacheError) in
                for index in stride(from: round, to: 1_000, by: 7) { try transaction.put("key \(index)", "new") }
                for index in stride(from: round, to: 1_000, by: 11) { try transaction.remove("key \(index)") }
            }
        }
        #expect(try before.dictionary() == old)
        try store.wipe()
        #expect(try before.dictionary() == old)
        store.close()
        #expect(try before.get("key 5") == "old")
        before.end()
    }

    @Test("A transaction that throws leaves nothing behind", arguments: hashes)
    func abortLeavesNothing(hash: ByteHash) throws {
        let store = MemoryStore(hash: hash)
        try store.write { (transaction) throws(CacheError) in
            for index in 0..<300 { try transaction.put("key \(index)", "old") }
        }
        let before = try store.read { (view) throws(CacheError) in try view.dictionary() }
        let size = try store.size()
        #expect(throws: CacheError.self) {
            try store.write { (transaction) throws(CacheError) in
                for index in 0..<600 { try transaction.put("key \(index)", "new") }
                for index in 0..<100 { try transaction.remove("key \(index)") }
                throw CacheError(.cancelled, "On purpose.")
            }
        }
        #expect(try store.read { (view) throws(CacheError) in try view.dictionary() } == before)
        #expect(try store.size() == size)
    }

    @Test("A transaction sees its own writes and removals")
    func transactionsSeeThemselves() throws {
        let store = try MemoryStore()
        try store.write { (transaction) throws(CacheError) in try transaction.put("a", "0") }
        try store.write { (transaction) throws(CacheError) in
            #expect(try transaction.get("a") == "0")
            try transaction.put("a", "1")
            #expect(try transaction.get("a") == "1")
            try transaction.remove("a")
            #expect(try transaction.get("a") == nil)
            try transaction.put("b", "2")
            #expect(try transaction.all().map(\.key) == [[0x62]])
        }
        #expect(try store.size() == StoreSize(bytesOnDisk: 0, payloadBytes: 2, entries: 1))
    }

    @Test("Key and value may point into bytes that the transaction returned")
    func ownBytesAreTaken() throws {
        let store = try MemoryStore()
        try store.write { (transaction) throws(CacheError) in
            try transaction.put("a", "b0123456789")
            for key in ["a", "b", "a"] {
                try unsafe [UInt8](key.utf8).withRaw { (key) throws(CacheError) in
                    guard let value = try unsafe transaction.get(key) else { return }
                    try unsafe transaction.put(
                        UnsafeRawBufferPointer(rebasing: value[..<1]), UnsafeRawBufferPointer(rebasing: value[1...]))
                }
            }
            #expect(try transaction.get("b") == "0123456789")
            #expect(try transaction.get("0") == "123456789")
        }
    }

    @Test("A scan visits what begins with the prefix in byte order and stops when told", arguments: hashes)
    func scansAreOrdered(hash: ByteHash) throws {
        let store = MemoryStore(hash: hash)
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

    @Test("After close every call but end throws `closed`")
    func closedStoresRefuse() throws {
        let store = try MemoryStore(directory: "/nonexistent")
        store.close()
        #expect(throws: CacheError.self) { try store.view() }
        #expect(throws: CacheError.self) { try store.write { (_) throws(CacheError) in } }
        #expect(throws: CacheError.self) { try store.size() }
    }
}
