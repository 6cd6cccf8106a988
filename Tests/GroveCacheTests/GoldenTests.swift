import Foundation
import GroveCache
import GroveCoding
import GroveInspect
import GroveMemory
import GroveModel
import Testing

/// Golden records that a cache alone writes: of deletions, collections, aliases and several projections.
@Suite("Golden records of a cache") struct GoldenTests {
    typealias Cache = NormalizedCache<SharedStore>

    /// By its own name, so that the records do not say where this test keeps it.
    struct Person: CodableModel, Equatable {
        static var recordName: String { "Person" }
        static var projectionName: String { "Person" }

        var id: Int
        var name: String
        var friends: [Person] = []
        var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    }

    /// A record as `Conformance/Vectors/v1` keeps it; what it holds is stated in `values.json`, beside that.
    struct Golden: Codable, Equatable {
        struct Row: Codable, Equatable {
            var name: String
            var sequence: UInt64
            var time: UInt32
            var fields: [Int]
            var replaced: [Int]?
        }

        var name: String
        var key: String
        var record: String
        var recordName: String
        var projectionName: String
        var sequence: UInt64
        var time: UInt32
        var deletion: UInt64?
        var tombstone: Bool?
        var projections: [Row]?
        /// The shape that the record's names are in: its own key and record.
        struct Shape: Codable, Equatable {
            var key: String
            var record: String
        }

        var shape: Shape?
        /// Runs of a collection's elements: how many, and the number of the call that put them there.
        var runs: [[UInt64]]?
        /// Whether the record is the head of a collection that is in chunks.
        var chunks: Bool?
    }

    enum Item: CodableModel, Equatable {
        case person(Person)
        case note(text: String)

        var modelIdentifier: ModelIdentifier? {
            switch self {
            case .person(let person): person.modelIdentifier
            case .note: nil
            }
        }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Conformance/Vectors/v1")

    private let cache: Cache

    init() throws {
        cache = try Cache(
            directory: nil, options: SharedStore.Options(disk: try SharedStore.Disk()),
            now: { Date(timeIntervalSince1970: 1_000_000_000) })
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The record of `name` as it is stored, which the golden one must be.
    private func check(_ golden: String, _ kind: StoredRecord.Kind, _ name: ModelIdentifier) throws {
        var today: Golden?
        var shapes = ShapeTable()
        var records: [UInt64: Golden.Shape] = [:]
        try unsafe cache.forEachStoredValue(.shape) { key, value in
            guard let header = unsafe try? RecordHeader(value, key: key),
                let shape = unsafe try? RecordShape(header.body)
            else { return true }
            shapes.add(shape)
            records[shape.hash] = unsafe Golden.Shape(key: hex(key), record: hex(value))
            return true
        }
        try unsafe cache.visitStoredValues(kind, [name]) { key, value in
            today = unsafe self.golden(golden, key, value, shapes, records)
        }
        try check(today)
    }

    /// What is stored under `key`, as a golden record.
    private func golden(
        _ name: String, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        _ shapes: ShapeTable = ShapeTable(), _ records: [UInt64: Golden.Shape] = [:]
    ) -> Golden? {
        guard var header = unsafe try? RecordHeader(value, key: key), header.findShape(shapes) else { return nil }
        let table = try? ProjectionTable(header, fieldCount: header.fieldCount)
        func indices(_ flags: [Bool]) -> [Int] { flags.indices.filter { flags[$0] } }
        let isReplaced = table?.rows.contains { !$0.replaced.isEmpty } ?? false
        let rows = table?.rows.map { row in
            Golden.Row(
                name: String(decoding: row.name, as: UTF8.self), sequence: row.sequence.rawValue, time: row.time,
                fields: indices(row.fields),
                replaced: isReplaced ? indices(row.replaced) : nil)
        }
        let numbers = (try? StoredElements(header).numbers.map(\.rawValue)) ?? []
        let runs = numbers.reduce(into: [[UInt64]]()) { runs, number in
            if runs.last?[1] == number { runs[runs.count - 1][0] += 1 } else { runs.append([1, number]) }
        }
        return unsafe Golden(
            name: name, key: hex(key), record: hex(value),
            recordName: String(decoding: header.recordName, as: UTF8.self),
            projectionName: String(decoding: header.projection, as: UTF8.self), sequence: header.sequence.rawValue,
            time: header.time,
            deletion: header.deletion > 0 ? header.deletion.rawValue : nil,
            tombstone: header.flags.contains(.tombstone) ? true : nil,
            projections: header.flags.contains(.projections) ? rows : nil, shape: records[header.shapeHash],
            runs: header.flags.contains(.runs) ? runs : nil,
            chunks: header.flags.contains(.chunks) ? true : nil)
    }

    /// Checks that `today` is the golden record of its name.
    private func check(_ today: Golden?) throws {
        let written = try #require(today)
        let file = GoldenTests.folder.appending(path: "\(written.name).json")
        if ProcessInfo.processInfo.environment["GROVE_WRITE_VECTORS"] != nil,
            !FileManager.default.fileExists(atPath: file.path)
        {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try (encoder.encode(written) + Data([0x0A])).write(to: file)
        }
        #expect(try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file)) == written)
    }

    @Test("The golden record of two projections is what is written today") func shared() throws {
        let left = ForkStub(id: "l")
        try cache.write(ForkLink(id: "a", left: left, right: ForkStub(id: "b")), confirmed: true)
        try cache.write(ForkHalf(id: "a", left: left), confirmed: true)
        try check("shared-Fork-a", .node, "Fork:a")
    }

    @Test("So is that of one of whose values another projection has written over") func replaced() throws {
        typealias Tests = SharedValueTests
        try cache.write(
            Tests.Holder<Tests.Address, Tests.Whole>(value: Tests.Address(city: "Bern", street: "X")), confirmed: true)
        try cache.write(
            Tests.Holder<Tests.ShortAddress, Tests.Part>(value: Tests.ShortAddress(city: "Basel")), confirmed: true)
        try check("replaced-Place-1", .node, "Place:1")
    }

    @Test("So are those of deletions") func deletions() throws {
        try cache.write(Person(id: 2, name: "two"), confirmed: true)
        try cache.delete("Person:2")
        try cache.write(Person(id: 2, name: "two again"), confirmed: true)
        try cache.delete("Person:3")
        try check("deletion-Person-2", .node, "Person:2")
        try check("tombstone-Person-3", .node, "Person:3")
    }

    @Test("So are those of collections and aliases, with cases and without") func keys() throws {
        let person = Person(id: 1, name: "one")
        try cache.writeCollection([Person(id: 3, name: "three"), person], as: "people", confirmed: true)
        try cache.writeCollection(
            [Item.person(person), .note(text: "hello"), .person(person)], as: "feed", confirmed: true)
        try cache.writeCollection([Person](), as: "empty", confirmed: true)
        try cache.write(person, forKey: "me", confirmed: true)
        try cache.write(Item.person(person), forKey: "favourite", confirmed: true)
        try cache.flush()
        try check("collection-people", .collection, "people")
        try check("collection-feed", .collection, "feed")
        try check("collection-empty", .collection, "empty")
        try check("alias-me", .alias, "me")
        try check("alias-favourite", .alias, "favourite")
    }

    @Test("So are those of collections that were edited, short and long") func edits() throws {
        func people(_ range: ClosedRange<Int>) -> [Person] { range.map { Person(id: $0, name: "\($0)") } }
        try cache.writeCollection(people(1...3), as: "edited", confirmed: true)
        try cache.insert(people(4...5), at: 1, inCollection: "edited")
        try check("collection-edited", .collection, "edited")
        try cache.writeCollection(people(1...130), as: "long", confirmed: true)
        try cache.insert(people(131...131), at: 129, inCollection: "long")
        try check("collection-long", .collection, "long")
        var last: Golden?
        try unsafe cache.forEachStoredValue(.chunk) { key, value in
            last = unsafe golden("chunk-long", key, value)
            return true
        }
        try check(last)
    }
}
