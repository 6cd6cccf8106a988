import Dispatch
import GroveCache
import GroveMemory
import GroveModel
import StoreTesting
import Testing

@Suite("The store in memory")
struct MemoryStoreTests {
    @Test("A view that is open during wipe and close goes on showing its state")
    func lateViews() throws {
        let store = try MemoryStore()
        try store.write { transaction throws(CacheError) in
            for index in 0..<1_000 { try transaction.put("key \(index)", "old") }
        }
        let before = try store.view()
        let old = try before.dictionary()
        for round in 0..<10 {
            try store.write { transaction throws(CacheError) in
                for index in stride(from: round, to: 1_000, by: 7) { try transaction.put("key \(index)", "new") }
                for index in stride(from: round, to: 1_000, by: 11) { try transaction.remove("key \(index)") }
            }
        }
        let later = try store.view()
        let new = try later.dictionary()
        try store.wipe()
        try store.put([1], [1])
        #expect(try before.dictionary() == old)
        #expect(try later.dictionary() == new)
        before.end()
        store.close()
        #expect(try later.dictionary() == new)
        #expect(try later.get("key 999") == new[Array("key 999".utf8)].map { String(decoding: $0, as: UTF8.self) })
        later.end()
    }

    @Test("Readers on other threads see whole commits while a writer replaces and frees what they read")
    func readers() throws {
        let store = try MemoryStore()
        @Sendable func write(_ round: Int) throws(CacheError) {
            try store.write { transaction throws(CacheError) in
                for index in 0..<100 { try transaction.put("key \(index)", "\(round)") }
            }
        }
        try write(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            #expect(throws: Never.self) {
                for round in 1...300 {
                    guard thread > 0 else {
                        try write(round)
                        continue
                    }
                    let values = try store.dictionary().values
                    #expect(values.count == 100 && Set(values).count == 1)
                }
            }
        }
        #expect(try store.read { view throws(CacheError) in try view.get("key 99") } == "300")
    }

    @Test("A path is taken and not used, and nothing is counted as on disk")
    func paths() throws {
        let store = try MemoryStore(directory: "/nonexistent")
        try store.put([1], [1])
        #expect(try store.size() == StoreSize(bytesOnDisk: 0, payloadBytes: 2, entries: 1))
        #expect(try MemoryStore(directory: "/nonexistent").keys() == [])
    }
}
