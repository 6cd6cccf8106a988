import GroveCache
import GroveCoding
import GroveModel
@testable import GroveSQLite
import StoreTesting
import Testing
import TestSupport

@Suite("Keys that end in numbers")
struct SQLiteNumberedKeyTests {
    @Test("A number is taken off, and prefix and number make the same key again")
    func forms() {
        let numbered: [(key: String, prefix: String, number: Int64)] = [
            ("\u{1}Message:34", "\u{1}Message:", 34), ("\u{1}Person-7", "\u{1}Person-", 7), ("\u{1}0", "\u{1}", 0),
            ("a b 10", "a b ", 10), ("Post:999999999999999", "Post:", 999_999_999_999_999),
            ("Post:1212092628029698048", "Post:1212", 92_628_029_698_048),
            ("Post:1000000000000000", "Post:1", 0), ("Post:0000000000000005", "Post:0", 5),
        ]
        for (key, prefix, number) in numbered {
            let form = parse(key)
            #expect(form?.prefixCount == prefix.utf8.count, "\(key)")
            #expect(form?.number == number, "\(key)")
            #expect(written(prefix, number) == Array(key.utf8))
        }
        let long = String(repeating: "p", count: 80)
        let named = [
            "", "7", "abc", "abc7", "Post:01", "Post:00", "Post:12345678901234567890", "Post:é7", "\(long):7",
            "Post:550e8400-e29b-41d4-a716-44665544000a", "Post:9f86d081884c7d65",
        ]
        for key in named { #expect(parse(key) == nil, "\(key)") }
    }

    @Test("No key has two forms, and no form two keys")
    func oneForm() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let digits = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                Character("\(Int.random(in: 0...9, using: &random))")
            }
            let key = ["a:", "\u{1}", "Post:1:", "x-"].randomElement(using: &random)! + String(digits)
            guard let form = parse(key) else { continue }
            let prefix = Array(key.utf8)[..<form.prefixCount]
            #expect(written(String(decoding: prefix, as: UTF8.self), form.number) == Array(key.utf8))
            #expect(form.number < SQLiteNumberedKey.limit)
        }
    }

    @Test("A store of all kinds of keys holds what a dictionary holds, in the order of bytes", arguments: 0..<6)
    func program(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        var store = try directory.open()
        var expected: [[UInt8]: [UInt8]] = [:]
        for round in 0..<40 {
            let undo = round % 5 == 4
            var changed = expected
            let thrown = code {
                try store.write { transaction throws(CacheError) in
                    for _ in 0..<30 {
                        let key = key(&random)
                        let count =
                            Int.random(in: 0..<8, using: &random) == 0 ? 9_000 : Int.random(in: 0..<90, using: &random)
                        let value = [UInt8](repeating: UInt8.random(in: .min ... .max, using: &random), count: count)
                        if Bool.random(using: &random) {
                            let stored = try transaction.get(key)
                            #expect(stored == changed[key])
                        }
                        if Int.random(in: 0..<4, using: &random) == 0 {
                            try transaction.remove(key)
                            changed[key] = nil
                        } else {
                            try transaction.put(key, value)
                            changed[key] = value
                        }
                    }
                    if undo { throw CacheError(.other, "undo") }
                }
            }
            #expect(thrown == (undo ? .other : nil))
            if !undo { expected = changed }
            if round % 7 == 3 {
                store.close()
                store = try directory.open()
            }
            let view = try store.view()
            defer { view.end() }
            // One after the other in one view, what is there and what is not.
            for _ in 0..<60 {
                let key = Bool.random(using: &random) ? key(&random) : expected.keys.randomElement(using: &random)!
                let found = try view.get(key)
                #expect(found == expected[key])
            }
            for start in ["", "a:", "a:1", "a:12345", "z"] {
                let bytes = Array(start.utf8)
                let found = try view.keys(bytes)
                let sorted = expected.keys.filter { $0.starts(with: bytes) }
                    .sorted { $0.lexicographicallyPrecedes($1) }
                #expect(found == sorted)
            }
        }
        #expect(try store.size().entries == expected.count)
    }

    @Test("A number that another process gave a prefix is known, and one that was given in vain is given again")
    func sharedPrefixes() throws {
        let directory = try TemporaryDirectory()
        let (one, other) = (try directory.open(), try directory.open())
        let (first, second, third) = (Array("first:1".utf8), Array("second:1".utf8), Array("third:1".utf8))
        #expect(try other.get(first) == nil)
        try one.put(first, [1])
        #expect(try other.get(first) == [1])
        let thrown = code {
            try one.write { transaction throws(CacheError) in
                try transaction.put(second, [2])
                throw CacheError(.other, "undo")
            }
        }
        #expect(thrown == .other)
        try other.put(third, [3])
        #expect(try one.get(second) == nil)
        try one.put(second, [4])
        for store in [one, other] {
            #expect(try [first, second, third].map { try store.get($0) } == [[1], [4], [3]])
            #expect(try store.keys() == [first, second, third])
        }
    }

    @Test("Of more prefixes than have numbers the rest is stored by name")
    func manyPrefixes() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        let keys = (0..<4_200).map { Array("p\($0)x:7".utf8) }
        try store.write { transaction throws(CacheError) in
            for (index, key) in keys.enumerated() { try transaction.put(key, [UInt8(index % 251)]) }
        }
        let view = try store.view()
        defer { view.end() }
        for (index, key) in keys.enumerated() {
            let found = try view.get(key)
            #expect(found == [UInt8(index % 251)])
        }
        #expect(try view.connection.number("SELECT count(*) FROM named") == 4_200 - 4_095)
        #expect(try store.keys() == keys.sorted { $0.lexicographicallyPrecedes($1) })
    }

    private func key(_ random: inout SeededGenerator) -> [UInt8] {
        let number = Int.random(in: 0..<40, using: &random)
        let text =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: "a:\(number)"
            case 1: "a:0\(number)"
            case 2: "a:12345\(1_000_000_000_000_00 + number)"
            case 3: "a:123456789012345678901\(number)"
            case 4: "b\(number)"
            case 5: "a:\(number):é"
            case 6: "a:\(number * 37_000)"
            default: "a:\(number)-\(number)"
            }
        return Array(text.utf8)
    }

    private func parse(_ key: String) -> SQLiteNumberedKey? {
        unsafe Array(key.utf8).withUnsafeBytes { unsafe SQLiteNumberedKey($0) }
    }

    private func written(_ prefix: String, _ number: Int64) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 64)
        defer { buffer.deallocate() }
        SQLiteNumberedKey.write(Array(prefix.utf8), number, to: &buffer)
        return unsafe Array(buffer.bytes)
    }
}
