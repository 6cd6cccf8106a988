import Foundation
import GroveCache
@testable import GroveMemory
import GroveModel
import StoreTesting
import Testing
import TestSupport

@Suite("The tree in memory")
struct ByteTreeTests {
    /// Content that is kept in the order of its keys' bytes.
    typealias Content = [(key: [UInt8], value: [UInt8])]

    @Test("Every version keeps agreeing with a sorted list, and what none reaches is freed at once", arguments: 0..<6)
    func versions(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var last = TreeVersion()
        let history = last.history
        var model: [[UInt8]: [UInt8]] = [:]
        var open: [(version: TreeVersion, content: Content)] = []
        for step in 0..<400 {
            let before = (model, history.nodes)
            var tree = history.tree(after: last.tree)
            for _ in 0..<Int.random(in: 1...9, using: &random) {
                let key = Self.key(seed, &random)
                // Grows for two thirds of the program and shrinks for the rest.
                if Int.random(in: 0..<10, using: &random) < (step < 270 ? 7 : 2) {
                    let value = random.value()
                    tree.put(key, value)
                    model[key] = value
                } else {
                    let doomed = Bool.random(using: &random) ? model.keys.randomElement(using: &random) ?? key : key
                    tree.remove(doomed)
                    model[doomed] = nil
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                history.abort(tree)
                model = before.0
                #expect(history.nodes == before.1)
            } else {
                last = TreeVersion(committing: &tree, to: history)
            }
            if step % 5 == 0 { #expect(history.nodes == Self.reachable(open.map(\.version) + [last])) }
            if Int.random(in: 0..<8, using: &random) == 0 { open.append((last, Self.sorted(model))) }
            guard open.count > 8 else { continue }
            let (version, content) = open.remove(at: Int.random(in: 0..<8, using: &random))
            try Self.check(version.tree, content, &random)
        }
        while let (version, content) = open.popLast() {
            try Self.check(version.tree, content, &random)
            #expect(history.nodes == Self.reachable(open.map(\.version) + [version, last]))
        }
        #expect(history.nodes == Self.reachable([last]))
        last = history.committing(after: last) { tree in
            for key in model.keys { tree.remove(key) }
        }
        try Self.check(last.tree, [], &random)
        #expect(history.nodes == 0)
    }

    @Test("An old version keeps what it reaches and no more, for as long as it is there")
    func longView() throws {
        let keys = (0..<500).map { Array("key \($0)".utf8) }
        let first = TreeVersion()
        let history = first.history
        var old: TreeVersion? = history.committing(after: first) { tree in
            for key in keys { tree.put(key, [0]) }
        }
        var last = try #require(old)
        let size = history.nodes
        for round in 0..<300 {
            last = history.committing(after: last) { tree in
                for step in 0..<7 { tree.put(keys[(round * 7 + step) % 500], [1]) }
            }
            #expect(history.nodes <= 2 * size)
        }
        #expect(history.nodes == 2 * size)
        #expect(try old?.tree.content().allSatisfy { $0.value == [0] } == true)
        old = nil
        #expect(history.nodes == size)
        #expect(try last.tree.content().allSatisfy { $0.value == [1] })
    }

    @Test(
        "Versions without a later one are freed in any order, as after a wipe",
        arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func withoutNext(order: [Int]) {
        var versions: [TreeVersion?] = [TreeVersion()]
        let history = versions[0]?.history
        for round in 0..<3 {
            versions.append(
                versions[round].map { last in
                    last.history.committing(after: last) { tree in
                        for index in 0..<100 where index % (round + 1) == 0 { tree.put([UInt8(index)], [UInt8(round)]) }
                    }
                })
        }
        versions.removeFirst()
        for index in order {
            versions[index] = nil
            #expect(history?.nodes == Self.reachable(versions.compactMap { $0 }))
        }
        #expect(history?.nodes == 0)
    }

    @Test("Versions without a later one are freed by several threads at once")
    func withoutNextTogether() {
        for _ in 0..<50 {
            var last = TreeVersion()
            let history = last.history
            let versions = (0..<4).map { round in
                last = history.committing(after: last) { tree in
                    for index in stride(from: round, to: 400, by: round + 1) {
                        tree.put([UInt8(index / 200), UInt8(index % 200)], [UInt8(round)])
                    }
                }
                return Lock<TreeVersion?>(last)
            }
            last = TreeVersion()
            DispatchQueue.concurrentPerform(iterations: versions.count) { index in
                versions[index].withLock { $0 = nil }
            }
            #expect(history.nodes == 0)
        }
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
        let history = TreeHistory()
        try fillAndEmpty(keys, of: history)
        #expect(history.nodes == 0)
    }

    private static func fillAndEmpty(_ keys: [[UInt8]], of history: TreeHistory) throws {
        var tree = ByteTree()
        for key in keys.reversed() { tree.put(key, [1]) }
        let full = TreeVersion(committing: &tree, to: history)
        let middle = keys.count / 2
        let later = history.committing(after: full) { $0.remove(keys[middle]) }
        #expect(later.tree.value(keys[middle]) == nil && later.tree.value(keys[middle + 1]) == [1])
        #expect(try full.tree.content().map(\.key) == keys)
        #expect(history.nodes == reachable([full, later]))
    }

    /// How many nodes these versions reach together.
    private static func reachable(_ versions: [TreeVersion]) -> Int {
        var found: Set<UInt> = []
        var rest = versions.compactMap(\.tree.root)
        while let node = rest.popLast() {
            guard found.insert(unsafe unsafeBitCast(node, to: UInt.self)).inserted, !node.isEntry else { continue }
            for symbol in 0..<KeyBytes.symbols {
                if let below = node[symbol] { rest.append(below) }
            }
        }
        return found.count
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
        unsafe key.withUnsafeBytes { key in unsafe value.withUnsafeBytes { unsafe put(KeyBytes(key), $0) } }
    }

    fileprivate mutating func remove(_ key: [UInt8]) { unsafe key.withUnsafeBytes { unsafe remove(KeyBytes($0)) } }

    fileprivate func value(_ key: [UInt8]) -> [UInt8]? {
        unsafe key.withUnsafeBytes { unsafe root?.value(KeyBytes($0)).map { unsafe [UInt8]($0) } }
    }

    /// What a scan of `prefix` visits until it has visited `limit` entries.
    fileprivate func content(_ prefix: [UInt8] = [], limit: Int = .max) throws(CacheError) -> ByteTreeTests.Content {
        var found: ByteTreeTests.Content = []
        try unsafe prefix.withRaw { prefix throws(CacheError) in
            try unsafe root?.scan(prefix: KeyBytes(prefix)) { entry throws(CacheError) in
                unsafe found.append(([UInt8](entry.key.bytes), [UInt8](entry.value)))
                return found.count < limit
            }
        }
        return found
    }
}

extension TreeHistory {
    /// The version after `last`, with what `change` did.
    fileprivate func committing(after last: TreeVersion, _ change: (inout ByteTree) -> Void) -> TreeVersion {
        var tree = tree(after: last.tree)
        change(&tree)
        return TreeVersion(committing: &tree, to: self)
    }
}
