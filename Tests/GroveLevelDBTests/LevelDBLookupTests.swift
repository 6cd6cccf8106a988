import GroveCache
import GroveLevelDB
import GroveModel
import StoreTesting
import Testing
import TestSupport

@Suite("LevelDB's runs of keys")
struct LevelDBLookupTests {
    private let directory: TemporaryDirectory
    private let store: LevelDBStore
    private var expected: [[UInt8]: [UInt8]] = [:]

    private static func message(_ number: Int) -> [UInt8] { [1] + Array("Message:\(number)".utf8) }
    private static func person(_ number: Int) -> [UInt8] { [1] + Array("Person:\(number)".utf8) }

    init() throws {
        directory = try TemporaryDirectory()
        // Small buffers: some records are in memory and some in tables of several levels.
        store = try directory.open(LevelDBOptions(writeBufferBytes: 64 << 10, syncsEachCommit: false))
        for round in 0..<3 {
            for start in stride(from: 0, to: 1_200, by: 100) {
                for number in start..<start + 100 where number % 7 != 0 && (number + round) % 3 != 0 {
                    expected[Self.message(number)] = [UInt8](repeating: UInt8(round), count: number % 300)
                    expected[Self.person(number)] = [UInt8(round)]
                }
                let written = expected
                try store.write { transaction throws(CacheError) in
                    for number in start..<start + 100 {
                        for key in [Self.message(number), Self.person(number)] {
                            if let value = written[key] { try transaction.put(key, value) }
                        }
                    }
                }
            }
        }
    }

    /// Keys as pages ask for them: in order with others in between, again, with gaps, backwards and at random.
    private static func program(_ random: inout SeededGenerator) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for _ in 0..<12 {
            let start = Int.random(in: 0..<1_150, using: &random)
            let step = [1, 1, 1, 2, 3, 5, -1].randomElement(using: &random) ?? 1
            for index in 0..<40 {
                keys.append(message(max(start + index * step, 0)))
                if index % 3 != 0 { keys.append(person(Int.random(in: 0..<1_200, using: &random))) }
                if index % 9 == 0 { keys.append(contentsOf: keys.suffix(2)) }
            }
        }
        return keys
    }

    @Test("A view shows what is stored, whatever the order of its look-ups", arguments: 0..<6 as Range<UInt64>)
    func view(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let view = try store.view()
        defer { view.end() }
        // Shows in later views only.
        try store.put(Self.message(100), [9])
        for (index, key) in Self.program(&random).enumerated() {
            #expect(try view.get(key) == expected[key], "\(String(decoding: key, as: UTF8.self))")
            if index % 100 == 0 { #expect(try view.keys([1]).count == expected.count) }
        }
    }

    @Test("A transaction shows its own writes in the middle of a run", arguments: 0..<6 as Range<UInt64>)
    func transaction(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var expected = expected
        let keys = Self.program(&random)
        try store.write { transaction throws(CacheError) in
            for (index, key) in keys.enumerated() {
                let ahead = keys[min(index + 3, keys.count - 1)]
                if index % 11 == 0 {
                    try transaction.put(ahead, [7, 7])
                    expected[ahead] = [7, 7]
                } else if index % 17 == 0 {
                    try transaction.remove(ahead)
                    expected[ahead] = nil
                }
                let value = try transaction.get(key)
                #expect(value == expected[key], "\(String(decoding: key, as: UTF8.self))")
            }
        }
        for key in keys { #expect(try store.get(key) == expected[key]) }
    }
}
