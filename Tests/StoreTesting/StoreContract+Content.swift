import GroveCache
import GroveModel
import TestSupport
import Testing

/// Keys, values and scans.
extension StoreContract {
    static var contentChecks: [Check] {
        [
            Check("Values from no byte to 10 MB come back, and a shorter one leaves no tail") { try $0.values() },
            Check("Any bytes from 1 to 8,192 make a key") { try $0.keys() },
            Check("Keys with NUL, and with one long prefix, stay distinct") { try $0.distinctKeys() },
            Check("A value past the limit is refused, and the transaction goes on") { try $0.hugeValues() },
            Check("A scan visits the keys with the prefix in the order of their bytes, the long ones included") {
                try $0.scans()
            },
        ]
    }

    private func values() throws {
        var store = try open()
        for count in [0, 1, 160, 4_096, 10 << 20, 7, 0] {
            let value = Self.bytes(count)
            try store.write { transaction throws(CacheError) in
                try transaction.put(Array("key".utf8), value)
                try transaction.put([UInt8(truncatingIfNeeded: count)], value)
                #expect(try transaction.get(Array("key".utf8)) == value)
            }
            #expect(try store.get(Array("key".utf8)) == value)
            if Store.profile.isPersistent {
                store.close()
                store = try open()
            }
            #expect(try store.get([UInt8(truncatingIfNeeded: count)]) == value)
        }
        #expect(try (store.size().bytesOnDisk > 0) == Store.profile.isPersistent)
        #expect(try store.get(Array("ke".utf8)) == nil)
        #expect(try store.get(Array("key2".utf8)) == nil)
    }

    /// Bytes that repeat every 251, so that no two pages of them are alike; doubled, since 10 MB one by one take
    /// seconds.
    private static func bytes(_ count: Int) -> [UInt8] {
        var bytes = Array(0..<251 as Range<UInt8>)
        while bytes.count < count { bytes += bytes }
        return Array(bytes[..<count])
    }

    // The lengths about which an engine's own limits, and the steps of the hash, may change something.
    private func keys() throws {
        let store = try open()
        for count in [1, 7, 8, 9, 16, 493, 494, 495, 503, 504, 511, 512, 8_192] {
            var shared = [UInt8](repeating: 0x61, count: count)
            shared[0] = 0
            var last = shared
            last[count - 1] = 0xFF
            try store.put(shared, [1])
            try store.put(last, [2])
            #expect(try store.get(shared) == [1], "\(count) bytes")
            #expect(try store.get(last) == [2], "\(count) bytes")
            try store.remove(shared)
            #expect(try store.get(shared) == nil, "\(count) bytes")
            #expect(try store.get(last) == [2], "\(count) bytes")
            #expect(try store.size().entries == 1, "\(count) bytes")
            try store.remove(last)
        }
    }

    private func distinctKeys() throws {
        let store = try open()
        let prefix = [UInt8](repeating: 0x61, count: 511)
        var keys: [[UInt8]] = [[0], [0, 0], [0x61], [0x61, 0], [0x61, 0, 0x62], prefix]
        keys += (0..<20).map { prefix + [UInt8](repeating: 0, count: 8_192 - 512) + [UInt8($0)] }
        for length in 1...70 { keys.append([UInt8](repeating: 0x7a, count: length)) }
        try store.write { transaction throws(CacheError) in
            for (index, key) in keys.enumerated() { try transaction.put(key, [UInt8(index)]) }
            for (index, key) in keys.enumerated() { #expect(try transaction.get(key) == [UInt8(index)]) }
        }
        for (index, key) in keys.enumerated() { #expect(try store.get(key) == [UInt8(index)]) }
        #expect(try store.get(Array("absent".utf8)) == nil)
        #expect(try store.size().entries == keys.count)
    }

    private func hugeValues() throws {
        let store = try open()
        // Memory that is never touched takes no room.
        let huge = UnsafeMutableRawBufferPointer.allocate(byteCount: Store.profile.maxValueBytes + 1, alignment: 1)
        defer { unsafe huge.deallocate() }
        try store.write { transaction throws(CacheError) in
            try transaction.put([1], [1])
            let code = code {
                try unsafe [2].withRaw { key throws(CacheError) in
                    try unsafe transaction.put(key, UnsafeRawBufferPointer(huge))
                }
            }
            #expect(code == .tooLarge)
            try transaction.put([3], [3])
        }
        #expect(try store.dictionary() == [[1]: [1], [3]: [3]])
    }

    private func scans() throws {
        let store = try open()
        var generator = SeededGenerator(seed: 20_260_101)
        var keys: Set<[UInt8]> = [
            [0], [0x61], [0x61, 0], [0x61, 0x62], [0x61, 0xFF], [0x61, 0xFF, 0xFF], [0x62],
            [0xFF], [0xFF, 0xFF], [0xFF, 0xFF, 0], Array(repeating: 0xFF, count: 511),
        ]
        for _ in 0..<400 {
            let count = [1, 2, 3, 494, 495, 504, 600, 8_192].randomElement(using: &generator) ?? 1
            let filler: UInt8 = [0, 0x41, 0xFE, 0xFF].randomElement(using: &generator) ?? 0
            var key = [UInt8](repeating: filler, count: count)
            key[count - 1] = UInt8.random(in: 0...255, using: &generator)
            if count > 2 { key[count / 2] = UInt8.random(in: 0...3, using: &generator) }
            keys.insert(key)
        }
        let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
        var prefixes: [[UInt8]] = [[], [0], [0xFF], [0xFF, 0xFF], [0x41], [0xFE], [0x42], [0x61], [0x61, 0xFF]]
        for count in [2, 493, 494, 495, 504, 550, 8_192] {
            prefixes.append(Array(repeating: 0x41, count: count))
            if let key = sorted.filter({ $0.count >= count }).randomElement(using: &generator) {
                prefixes.append(Array(key.prefix(count)))
            }
        }
        let written = sorted.shuffled(using: &generator)
        try store.write { transaction throws(CacheError) in
            for key in written { try transaction.put(key, Array(key.suffix(3))) }
            for prefix in prefixes {
                #expect(try transaction.keys(prefix) == sorted.filter { $0.starts(with: prefix) })
            }
            try expectPages(transaction, [0x41])
        }
        func expectPages(_ view: some NodeView, _ prefix: [UInt8]) throws(CacheError) {
            let all = sorted.filter { $0.starts(with: prefix) }
            let starts = [[], prefix, [0x41, 0x41]] + all.shuffled(using: &generator).prefix(3)
            for start in starts + starts.suffix(1).map({ $0.dropLast() + [1] }) {
                let first = all.firstIndex { start.lexicographicallyPrecedes($0) } ?? all.count
                #expect(try view.keys(prefix, after: start, limit: 7) == Array(all[first...].prefix(7)))
            }
        }
        for prefix: [UInt8] in [[], [0x41], Array(repeating: 0x41, count: 504)] {
            try store.read { view throws(CacheError) in try expectPages(view, prefix) }
        }
        for prefix in prefixes {
            let found = try store.read { view throws(CacheError) in try view.all(prefix: prefix) }
            #expect(found.map(\.key) == sorted.filter { $0.starts(with: prefix) })
            #expect(found.allSatisfy { $0.value == Array($0.key.suffix(3)) })
        }
        #expect(try store.size().entries == keys.count)
    }
}
