import Foundation
import GroveCache
import StoreTesting
import TestSupport
import Testing

@testable import GroveLMDB

@Suite("Where a damaged pointer of LMDB's leads to")
struct LMDBPointerTests {
    @Test("No flipped bit of a pointer mixes commits, though a replaced page has older records whole", arguments: 0..<3)
    func flippedPointers(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let states = try Self.fill(directory, seed)
        let file = try LMDBFile(Data(contentsOf: directory.url("data.mdb")))
        let newest = try #require(states.last)
        // Before: one such flip in an hour of random ones, of a record's pointer by a page's length.
        var refused: [LMDBFile.Kind: Int] = [:]
        for flip in file.flips {
            try Data(file.flipped(flip)).write(to: directory.url("data.mdb"))
            // The store's stamp may be where nothing is found; that is told when it is opened.
            guard let store = try? directory.open() else { continue }
            defer { store.close() }
            var answers: [Int: UInt8] = [:]
            for number in newest.indices {
                do throws(CacheError) {
                    answers[number] = try store.get(Self.key(number)).flatMap { Self.version(of: number, $0) }
                } catch {
                    #expect(error.code == .corrupted)
                    refused[flip.kind, default: 0] += 1
                }
            }
            let isOneState = states.contains { state in answers.allSatisfy { state[$0.key] == $0.value } }
            #expect(isOneState, "\(flip): got \(answers)")
            // Whoever goes through them all meets no other state.
            if let all = try? store.dictionary() {
                let versions = newest.indices.map { number in
                    all[Self.key(number)].flatMap { Self.version(of: number, $0) }
                }
                #expect(
                    states.contains { state in zip(state, versions).allSatisfy { $1 == nil || $0 == $1 } },
                    "\(flip): going through all got \(versions)")
            }
        }
        // What could have lied: of each kind there was some.
        for kind in LMDBFile.Kind.allCases where kind != .root { #expect(refused[kind, default: 0] > 0, "\(kind)") }
    }

    private static func key(_ number: Int) -> [UInt8] { Array("record \(number + 100)".utf8) }

    /// The version in a record's value; `nil` where it is another record's, as a record's checksum would tell.
    private static func version(of number: Int, _ value: [UInt8]) -> UInt8? {
        value.count > 1 && value[1] == UInt8(number) ? value[0] : nil
    }

    /// Writes commit after commit; returns which version each record has in each.
    private static func fill(_ directory: TemporaryDirectory, _ seed: UInt64) throws -> [[UInt8?]] {
        var random = SeededGenerator(seed: seed)
        let store = try directory.open()
        defer { store.close() }
        var state = [UInt8?](repeating: nil, count: 60)
        var states = [state]
        for version in 1...40 as ClosedRange<UInt8> {
            try store.write { transaction throws(CacheError) in
                for number in state.indices where version == 1 || random.next() % 8 == 0 {
                    // Some have pages of their own.
                    let count = number % 10 == 0 ? 5_000 : 260
                    try transaction.put(
                        key(number), [version, UInt8(number)] + [UInt8](repeating: version, count: count))
                    state[number] = version
                }
            }
            states.append(state)
        }
        return states
    }
}

/// A file of LMDB's, taken apart.
struct LMDBFile {
    enum Kind: CaseIterable {
        case record, page, large, root
    }

    /// One bit whose flip leads to another place of the same kind, and of the same key where it is a record's.
    struct Flip {
        let kind: Kind
        let byte: Int
        let bit: Int
    }

    private static let pageBytes = 4_096
    private let bytes: [UInt8]
    private(set) var flips: [Flip] = []

    init(_ data: Data) {
        bytes = [UInt8](data)
        for page in 0..<(bytes.count / Self.pageBytes) {
            let start = page * Self.pageBytes
            switch flags(page) {
            case 0x01, 0x02: collectNodes(start, isLeaf: flags(page) == 0x02)
            case 0x08: collectNumber(at: start + 128, .root, bytes: 8)
            default: break
            }
        }
    }

    func flipped(_ flip: Flip) -> [UInt8] {
        var bytes = bytes
        bytes[flip.byte] ^= 1 << UInt8(flip.bit)
        return bytes
    }

    private mutating func collectNodes(_ start: Int, isLeaf: Bool) {
        for pointer in stride(from: start + 16, to: start + number(start + 12, 2), by: 2) {
            let node = start + number(pointer, 2)
            if !isLeaf {
                collectNumber(at: node, .page, bytes: 6)
            } else if number(node + 4, 2) & 1 != 0 {
                collectNumber(at: node + 8 + number(node + 6, 2), .large, bytes: 8)
            }
            guard isLeaf else { continue }
            for bit in 0..<16 {
                let other = start + (number(pointer, 2) ^ (1 << bit))
                guard other != node, let key = key(node), key == self.key(other) else { continue }
                flips.append(Flip(kind: .record, byte: pointer + bit / 8, bit: bit % 8))
            }
        }
    }

    /// A page's number: to flip it leads to another page of its kind.
    private mutating func collectNumber(at place: Int, _ kind: Kind, bytes count: Int) {
        // In a branch the last two bytes lie where a leaf's flags do.
        let page = number(place, count)
        guard page >= 2, page < bytes.count / Self.pageBytes else { return }
        for bit in 0..<16 {
            let other = page ^ (1 << bit)
            guard other >= 2, other < bytes.count / Self.pageBytes, flags(other) == flags(page) else { continue }
            flips.append(Flip(kind: kind, byte: place + bit / 8, bit: bit % 8))
        }
    }

    private func flags(_ page: Int) -> Int { number(page * Self.pageBytes + 10, 2) }

    private func key(_ node: Int) -> ArraySlice<UInt8>? {
        guard node + 8 < bytes.count else { return nil }
        let count = number(node + 6, 2)
        return count > 0 && node + 8 + count <= bytes.count ? bytes[(node + 8)..<(node + 8 + count)] : nil
    }

    private func number(_ place: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
}
