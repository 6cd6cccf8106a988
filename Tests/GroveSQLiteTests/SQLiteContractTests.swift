import Foundation
import GroveCache
import GroveModel
import Testing

@testable import GroveSQLite

@Suite("What SQLite promises as a store")
struct SQLiteContractTests {
    @Test("Values from no byte to 10 MB come back, and a shorter one leaves no tail")
    func roundTrip() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        for count in [0, 1, 160, 4_096, 10 << 20, 7, 0] {
            let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try store.put("key".utf8, value)
            #expect(try store.get("key".utf8) == value)
        }
        #expect(try store.get("ke".utf8) == nil)
        #expect(try store.get("key2".utf8) == nil)
    }

    @Test("Any bytes from 1 to 8,192 make a key", arguments: [1, 7, 8, 9, 16, 511, 512, 8_192])
    func keys(count: Int) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        var shared = [UInt8](repeating: 0x61, count: count)
        shared[0] = 0
        var last = shared
        last[count - 1] = 0xFF
        try store.put(shared, [1])
        try store.put(last, [2])
        #expect(try store.get(shared) == (count == 1 && shared == last ? [2] : [1]))
        #expect(try store.get(last) == [2])
        try store.remove(shared)
        #expect(try store.get(shared) == nil)
        #expect(try store.get(last) == [2])
        #expect(try store.size().entries == 1)
    }

    @Test("A key of no byte, of 8,193 bytes, and a value that is too large are refused, and the transaction goes on")
    func refusals() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.write { transaction throws(CacheError) in
            #expect(code { () throws(CacheError) in try transaction.put([], [1]) } == .emptyIdentifier)
            let long = [UInt8](repeating: 1, count: 8_193)
            #expect(code { () throws(CacheError) in try transaction.put(long, [1]) } == .tooLarge)
            #expect(try transaction.get(long) == nil)
            try transaction.put([1], [1])
        }
        #expect(try store.get([1]) == [1])
    }

    @Test("A view shows the state in which it was opened, whatever is committed since")
    func isolation() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.put([1], [1])
        let view = try store.view()
        try store.put([1], [2])
        try store.put([2], [2])
        #expect(try view.get([1]) == [1])
        #expect(try view.get([2]) == nil)
        #expect(try view.keys([]) == [[1]])
        view.end()
        view.end()
        #expect(try store.get([1]) == [2])
        #expect(try store.keys() == [[1], [2]])
    }

    @Test("A transaction sees its own writes, and one that throws leaves nothing")
    func transactions() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.put([1], [1])
        let long = [UInt8](repeating: 7, count: 600)
        let thrown = code { () throws(CacheError) in
            try store.write { transaction throws(CacheError) in
                try transaction.put([1], [2])
                try transaction.put(long, [3])
                #expect(try transaction.get([1]) == [2])
                #expect(try transaction.get(long) == [3])
                #expect(try transaction.keys([]) == [[1], long])
                try transaction.remove([1])
                #expect(try transaction.get([1]) == nil)
                throw CacheError(.cancelled, "by the test")
            }
        }
        #expect(thrown == .cancelled)
        #expect(try store.keys() == [[1]])
        #expect(try store.get([1]) == [1])
    }

    @Test("What get returned can be put under another key, and under its own, at once", arguments: [3, 200, 5_000])
    func puttingWhatWasGot(count: Int) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let long = [UInt8](repeating: 9, count: 700)
        try store.write { transaction throws(CacheError) in
            try transaction.put([0], value)
            try unsafe bytes([0]) { first throws(CacheError) in
                for index in 1...50 as ClosedRange<UInt8> {
                    try unsafe bytes([index]) { key throws(CacheError) in
                        guard let got = unsafe try transaction.get(first) else { return }
                        unsafe try transaction.put(key, got)
                    }
                    guard let got = unsafe try transaction.get(first) else { return }
                    unsafe try transaction.put(first, got)
                }
                try unsafe bytes(long) { key throws(CacheError) in
                    guard let got = unsafe try transaction.get(first) else { return }
                    unsafe try transaction.put(key, got)
                    guard let again = unsafe try transaction.get(key) else { return }
                    unsafe try transaction.put(first, UnsafeRawBufferPointer(rebasing: again.dropFirst()))
                }
            }
        }
        for index in 1...50 as ClosedRange<UInt8> { #expect(try store.get([index]) == value) }
        #expect(try store.get(long) == value)
        #expect(try store.get([0]) == Array(value.dropFirst()))
    }

    @Test("A scan visits the keys with the prefix in the order of their bytes, the long ones included")
    func scans() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        var generator = SplitMix(seed: 20_260_101)
        var keys: [[UInt8]] = [[0], [0xFF], [0xFF, 0xFF], [0xFF, 0xFF, 0], Array(repeating: 0xFF, count: 511)]
        for _ in 0..<400 {
            let count = [1, 2, 3, 494, 495, 504, 600, 8_192].randomElement(using: &generator) ?? 1
            let filler: UInt8 = [0, 0x41, 0xFE, 0xFF].randomElement(using: &generator) ?? 0
            var key = [UInt8](repeating: filler, count: count)
            key[count - 1] = UInt8.random(in: 0...255, using: &generator)
            if count > 2 { key[count / 2] = UInt8.random(in: 0...3, using: &generator) }
            keys.append(key)
        }
        keys = keys.reduce(into: []) { unique, key in if !unique.contains(key) { unique.append(key) } }
        try store.write { transaction throws(CacheError) in
            for key in keys { try transaction.put(key, Array(key.suffix(3))) }
        }
        let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
        var prefixes: [[UInt8]] = [[], [0], [0xFF], [0xFF, 0xFF], [0x41], [0xFE], [0x42]]
        for count in [2, 493, 494, 495, 504, 550, 8_192] {
            prefixes.append(Array(repeating: 0x41, count: count))
            if let key = keys.filter({ $0.count >= count }).randomElement(using: &generator) {
                prefixes.append(Array(key.prefix(count)))
            }
        }
        for prefix in prefixes {
            #expect(try store.keys(prefix) == sorted.filter { $0.starts(with: prefix) })
        }
        #expect(try store.size().entries == keys.count)
    }

    @Test("A scan stops when its visitor says so")
    func stopping() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        for index in 0..<9 as Range<UInt8> { try store.put([index], [index]) }
        let view = try store.view()
        defer { view.end() }
        var visited = 0
        try unsafe bytes([]) { prefix throws(CacheError) in
            try unsafe view.scan(prefix: prefix) { _, _ throws(CacheError) in
                visited += 1
                return visited < 3
            }
        }
        #expect(visited == 3)
    }

    @Test("Reopening finds what was written, also when nobody closed")
    func reopening() throws {
        let fixture = try StoreFixture()
        do {
            let store = try fixture.open()
            try store.put([1], [1])
            store.close()
            #expect(code { () throws(CacheError) in _ = try store.view() } == .closed)
            #expect(code { () throws(CacheError) in try store.put([2], [2]) } == .closed)
        }
        do {
            let store = try fixture.open()
            #expect(try store.get([1]) == [1])
            try store.put([2], [2])
            try store.synchronize()
        }
        let store = try fixture.open()
        #expect(try store.keys() == [[1], [2]])
    }

    @Test("After a wipe no file holds a byte of the old content, and the store goes on")
    func wiping() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.put("marker-key".utf8, "marker-value".utf8)
        try store.synchronize()
        #expect(try fixture.holds("marker-value"))
        try store.wipe()
        #expect(try !fixture.holds("marker-"))
        #expect(try store.keys().isEmpty)
        #expect(try store.size().entries == 0)
        try store.put([1], [1])
        #expect(try store.get([1]) == [1])
    }

    @Test("1,000 open and close cycles leak no descriptor")
    func descriptors() throws {
        let fixture = try StoreFixture()
        let count = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { return }
        let before = try count()
        for index in 0..<1_000 {
            let store = try fixture.open()
            if index % 100 == 0 { try store.put([UInt8(index / 100)], [1]) }
            _ = try store.get([0])
            if index % 2 == 0 { store.close() }
        }
        // Tests run at once and open files of their own; a leak would be a thousand.
        #expect(try count() - before < 200)
    }

    @Test("Readers on many threads each see whole commits while a writer commits")
    func concurrency() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.put([1], [0])
        try store.put([2], [0])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2_000 {
                        let view = try store.view()
                        let (first, second) = (try view.get([1]), try view.get([2]))
                        view.end()
                        guard first == second else { throw CacheError(.corrupted, "half a commit was seen") }
                    }
                }
            }
            group.addTask {
                for index in 0..<200 as Range<UInt8> {
                    try store.write { transaction throws(CacheError) in
                        try transaction.put([1], [index])
                        try transaction.put([2], [index])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.get([1]) == [199])
    }
}

/// A seeded generator: the same numbers in every run (Steele, Lea and Flood, 2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
