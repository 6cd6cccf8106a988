import Foundation
import GroveCache
@testable import GroveSQLite
import StoreTesting
import Testing
import TestSupport

@Suite("Where a damaged pointer of SQLite's leads to")
struct SQLitePointerTests {
    @Test("No flipped bit of a pointer mixes commits: what was removed is gone from the file", arguments: 0..<8)
    func flippedPointers(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let states = try Self.fill(directory, seed)
        let newest = try #require(states.last)
        let file = SQLiteFile(try Data(contentsOf: directory.url(SQLiteFiles.names[0])))
        #expect(file.flips.count > 50)
        for flip in file.flips {
            try Data(file.flipped(flip)).write(to: directory.url(SQLiteFiles.names[0]))
            guard let store = try? directory.open() else { continue }
            defer { store.close() }
            var answers: [Int: UInt8] = [:]
            for number in newest.indices {
                do throws(CacheError) {
                    answers[number] = try store.get(Self.key(number)).flatMap { Self.version(of: number, $0) }
                } catch {
                    #expect(error.code == .corrupted)
                }
            }
            #expect(
                states.contains { state in answers.allSatisfy { state[$0.key] == $0.value } },
                "\(flip): got \(answers)")
        }
    }

    private static func key(_ number: Int) -> [UInt8] { Array("record \(number + 100)".utf8) }

    /// The version in a record's value; `nil` if it is not whole or another record's, as its checksum would tell.
    private static func version(of number: Int, _ value: [UInt8]) -> UInt8? {
        guard value.count > 2, value[1] == UInt8(number), value[2...].allSatisfy({ $0 == value[0] }) else { return nil }
        return value[0]
    }

    /// Writes commit after commit; returns which version each record has in each.
    private static func fill(_ directory: TemporaryDirectory, _ seed: UInt64) throws -> [[UInt8?]] {
        var random = SeededGenerator(seed: seed)
        let store = try directory.open()
        defer { store.close() }
        var state = [UInt8?](repeating: nil, count: 120)
        var states = [state]
        for version in 1...60 as ClosedRange<UInt8> {
            try store.write { transaction throws(CacheError) in
                let start = Int(random.next() % 120)
                for number in state.indices {
                    if version % 4 == 0, (start..<(start + 24)).contains(number) {
                        // Neighbours go, so that pages are given up.
                        try transaction.remove(key(number))
                        state[number] = nil
                    } else if version == 1 || random.next() % 6 == 0 {
                        let count = number % 20 == 0 ? 5_000 : Int.random(in: 100...500, using: &random)
                        _ = try transaction.get(key(number))
                        try transaction.put(
                            key(number), [version, UInt8(number)] + [UInt8](repeating: version, count: count))
                        state[number] = version
                    }
                }
            }
            states.append(state)
        }
        return states
    }
}

/// A file of SQLite's, taken apart.
struct SQLiteFile {
    /// One bit whose flip leads to another page, or to another record of the same number in its page.
    struct Flip {
        let what: String
        let byte: Int
        let bit: Int
    }

    private static let pageBytes = 4_096
    private let bytes: [UInt8]
    private(set) var flips: [Flip] = []

    init(_ data: Data) {
        bytes = [UInt8](data)
        for page in 1...(bytes.count / Self.pageBytes) { collect(page) }
    }

    func flipped(_ flip: Flip) -> [UInt8] {
        var bytes = bytes
        bytes[flip.byte] ^= 1 << UInt8(flip.bit)
        return bytes
    }

    private mutating func collect(_ page: Int) {
        let start = (page - 1) * Self.pageBytes
        let header = start + (page == 1 ? 100 : 0)
        let kind = bytes[header]
        guard [2, 5, 10, 13].contains(kind) else { return }
        let isLeaf = kind >= 10
        let cells = number(header + 3, 2)
        let pointers = header + (isLeaf ? 8 : 12)
        guard pointers + 2 * cells <= start + Self.pageBytes else { return }
        if !isLeaf { collectPage(at: header + 8) }
        for pointer in stride(from: pointers, to: pointers + 2 * cells, by: 2) {
            let cell = start + number(pointer, 2)
            guard cell < start + Self.pageBytes - 4 else { continue }
            if !isLeaf { collectPage(at: cell) }
            guard kind == 13 else { continue }
            for bit in 0..<12 {
                let other = start + (number(pointer, 2) ^ (1 << bit))
                guard other < start + Self.pageBytes - 8, rowNumber(other) == rowNumber(cell) else { continue }
                flips.append(Flip(what: "a record's place", byte: pointer + 1 - bit / 8, bit: bit % 8))
            }
        }
    }

    /// The number of a page.
    private mutating func collectPage(at place: Int) {
        for bit in 0..<16 {
            let other = number(place, 4) ^ (1 << bit)
            guard other >= 1, other <= bytes.count / Self.pageBytes else { continue }
            flips.append(Flip(what: "a page's number", byte: place + 3 - bit / 8, bit: bit % 8))
        }
    }

    /// The number of the row at `place`, behind its size.
    private func rowNumber(_ place: Int) -> Int {
        var place = place
        while bytes[place] & 0x80 != 0, place < bytes.count - 10 { place += 1 }
        var result = 0
        repeat {
            place += 1
            result = result << 7 | Int(bytes[place] & 0x7F)
        } while bytes[place] & 0x80 != 0 && place < bytes.count - 10
        return result
    }

    private func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
    }
}
