import Foundation
import GroveCache
import GroveModel
import StoreTesting
import TestSupport
import Testing

@testable import GroveMemory

@Suite("The tree in memory")
struct ByteTreeTests {
    /// Content that is kept in the order of its keys' bytes.
    typealias Content = [(key: [UInt8], value: [UInt8])]

    @Test("Every copy keeps agreeing with a sorted list, whatever later copies change", arguments: 0..<6)
    func snapshots(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = ByteTree()
        var model: [[UInt8]: [UInt8]] = [:]
        var snapshots: [(tree: ByteTree, content: Content)] = []
        for step in 0..<3_000 {
            let key = Self.key(seed, &random)
            // Grows for two thirds of the program and shrinks for the rest.
            if Int.random(in: 0..<10, using: &random) < (step < 2_000 ? 7 : 2) {
                let value = random.value()
                tree.put(key, value)
                model[key] = value
            } else {
                let doomed = Bool.random(using: &random) ? model.keys.randomElement(using: &random) ?? key : key
                tree.remove(doomed)
                model[doomed] = nil
            }
            if Int.random(in: 0..<40, using: &random) == 0 { snapshots.append((tree, Self.sorted(model))) }
            guard snapshots.count > 8 else { continue }
            let (tree, content) = snapshots.remove(at: Int.random(in: 0..<8, using: &random))
            try Self.check(tree, content, &random)
        }
        for (tree, content) in snapshots { try Self.check(tree, content, &random) }
        for key in model.keys { tree.remove(key) }
        try Self.check(tree, [], &random)
    }

    @Test("A copy that is changed leaves the one that it was made from alone, and so the other way round")
    func twoWriters() throws {
        var random = SeededGenerator(seed: 1)
        var one = ByteTree()
        for index in 0..<500 { one.put(Array("key \(index)".utf8), [0]) }
        var other = one
        for index in 0..<500 where index % 2 == 0 { one.put(Array("key \(index)".utf8), [1]) }
        for index in 0..<500 where index % 3 == 0 { other.remove(Array("key \(index)".utf8)) }
        let keys = (0..<500).map { (index: $0, key: Array("key \($0)".utf8)) }
        let ones = keys.map { (key: $0.key, value: [$0.index % 2 == 0 ? 1 : 0] as [UInt8]) }
        let others = keys.filter { $0.index % 3 != 0 }.map { (key: $0.key, value: [0] as [UInt8]) }
        try Self.check(one, ones.sorted { $0.key.lexicographicallyPrecedes($1.key) }, &random)
        try Self.check(other, others.sorted { $0.key.lexicographicallyPrecedes($1.key) }, &random)
    }

    @Test("Keys that each begin the next are kept, found, visited in order and freed on a stack of 512 KB")
    func depth() {
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            #expect(throws: Never.self) { try Self.fillAndEmpty(depth: 4_000) }
            isDone.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        isDone.wait()
    }

    private static func fillAndEmpty(depth: Int) throws {
        let keys = (1...depth).map { [UInt8](repeating: 0x61, count: $0) }
        var tree = ByteTree()
        for key in keys.reversed() { tree.put(key, [1]) }
        let snapshot = tree
        tree.remove(keys[depth / 2])
        #expect(tree.value(keys[depth / 2]) == nil && tree.value(keys[depth - 1]) == [1])
        #expect(try snapshot.content().map(\.key) == keys)
    }

    /// A key of a kind that the seed picks: few letters, numbered, or random bytes.
    private static func key(_ seed: UInt64, _ random: inout SeededGenerator) -> [UInt8] {
        switch seed % 3 {
        case 0: random.key()
        case 1: Array("\u{1}Message:\(Int.random(in: 0..<2_000, using: &random))".utf8)
        default: (0..<Int.random(in: 1...9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }

    private static func sorted(_ model: [[UInt8]: [UInt8]]) -> Content {
        model.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value) }
    }

    /// Checks everything that `tree` answers against `content`.
    private static func check(_ tree: ByteTree, _ content: Content, _ random: inout SeededGenerator) throws {
        #expect(tree.entries == content.count)
        #expect(tree.payloadBytes == content.reduce(0) { $0 + $1.key.count + $1.value.count })
        let all = try tree.content()
        #expect(all.map(\.key) == content.map(\.key) && all.map(\.value) == content.map(\.value))
        let keys = Set(content.map(\.key))
        for (key, value) in content {
            #expect(tree.value(key) == value)
            if !keys.contains(key + [0]) { #expect(tree.value(key + [0]) == nil) }
        }
        guard let some = content.randomElement(using: &random)?.key else { return }
        for prefix in [Array(some.prefix(Int.random(in: 0...some.count, using: &random))), some + [0], [0x5a, 0x5a]] {
            #expect(try tree.content(prefix).map(\.key) == content.map(\.key).filter { $0.starts(with: prefix) })
        }
        #expect(try tree.content(limit: 3).map(\.key) == content.prefix(3).map(\.key))
    }
}

/// Arrays of bytes in and out.
extension ByteTree {
    fileprivate mutating func put(_ key: [UInt8], _ value: [UInt8]) {
        put(unsafe key.withUnsafeBytes { key in unsafe value.withUnsafeBytes { unsafe TreeEntry.make(key, $0) } })
    }

    fileprivate mutating func remove(_ key: [UInt8]) { unsafe key.withUnsafeBytes { unsafe remove(KeyBytes($0)) } }

    fileprivate func value(_ key: [UInt8]) -> [UInt8]? {
        unsafe key.withUnsafeBytes { unsafe value(KeyBytes($0)).map { unsafe [UInt8]($0) } }
    }

    /// What a scan of `prefix` visits until it has visited `limit` entries.
    fileprivate func content(_ prefix: [UInt8] = [], limit: Int = .max) throws(CacheError) -> ByteTreeTests.Content {
        var found: ByteTreeTests.Content = []
        try unsafe prefix.withRaw { prefix throws(CacheError) in
            try unsafe scan(prefix: KeyBytes(prefix)) { entry throws(CacheError) in
                unsafe found.append(([UInt8](entry.key.bytes), [UInt8](entry.value)))
                return found.count < limit
            }
        }
        return found
    }
}
