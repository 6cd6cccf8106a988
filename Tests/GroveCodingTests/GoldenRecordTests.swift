// All of Foundation, for the process that it starts.
import Foundation
import GroveCoding
import GroveModel
import Testing

/// One record as it is stored, byte for byte.
///
/// `Conformance/Vectors/v1` keeps one file for each; `Docs/Internals/RecordFormat.md` explains every byte.
struct GoldenRecord: Codable, Equatable {
    var name: String
    /// The store's key: a byte of namespace, and the identifier.
    var key: String
    var record: String
    var recordName: String
    var projectionName: String
    var sequence: UInt64
    var time: UInt64
    /// The body in diagnostic notation (RFC 8949 §8).
    var body: String
}

/// The envelope of a record that one projection wrote, put together here from the document and nothing else.
enum GoldenEnvelope {
    /// When the records were confirmed.
    static let time: UInt64 = 1_000_000_000

    static func key(_ identifier: String) -> [UInt8] { [0x01] + Array(identifier.utf8) }

    static func record(
        key: [UInt8], body: [UInt8], recordName: String, projectionName: String, sequence: UInt64, references: Bool
    ) -> [UInt8] {
        let names =
            [UInt8(recordName.utf8.count)] + Array(recordName.utf8)
            + (recordName == projectionName ? [0] : [UInt8(projectionName.utf8.count)] + Array(projectionName.utf8))
        let head: [UInt8] = [0x01, references ? 0x02 : 0x00]
        precondition(sequence < 128, "a number of one byte")
        let rest = [UInt8(sequence)] + littleEndian(GoldenEnvelope.time).prefix(4) + names + body
        let word = UInt64(head[0]) | UInt64(head[1]) << 8
        let sum = hash(rest, seed: hash(key, seed: word &* 0x9E37_79B9_7F4A_7C15))
        return head + littleEndian(sum) + rest
    }

    /// The body of a record that ``record(key:body:recordName:projectionName:sequence:references:)`` put together.
    static func body(of record: [UInt8]) -> [UInt8] {
        let projection = 16 + Int(record[15])
        return Array(record[(projection + 1 + Int(record[projection]))...])
    }

    static func littleEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    static func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe hash64($0, seed: seed) }
    }
}

/// Values at which an encoding may go wrong.
struct GoldenLeaves: SimpleModel, Codable, Equatable {
    var big = Decimal(string: "123456789012345678901234567890")
    var day = Date(timeIntervalSince1970: 1_363_896_240)
    var odd = Double.nan
    var base = URL(string: "b/c?d#e", relativeTo: URL(string: "https://example.org/a/"))
    var debt = Decimal(string: "-98765432109876543210.5")
    var half = Date(timeIntervalSince1970: 1_363_896_240.5)
    var zero = -0.0
    var before = Date(timeIntervalSince1970: -86_400)
    var lowest = Int64.min
    var number: Float = 3
    var highest = UInt64.max
    var nothing = Decimal(0)
    var infinity = -Float.infinity
    var smallest = Double.leastNonzeroMagnitude
    var thousand = Decimal(1_000)
    var modelIdentifier: ModelIdentifier? { "Leaves" }
    static let recordName = "Leaves"
    static let projectionName = "Leaves"
}

/// `Conformance/Vectors/check.py`, under the first Python that has what it needs.
enum VectorChecker {
    static let script = GoldenRecordTests.folder.deletingLastPathComponent().appending(path: "check.py")

    /// The first Python of the path may be one without the system's packages.
    static let python = ["python3", "/usr/bin/python3"].first { python in
        (try? run([python, "-c", "import cbor2"]).status) == 0
    }

    /// Checks `files`; says how that ended and what was said.
    static func check(_ files: [URL]) throws -> (status: Int32, said: String) {
        try run([python ?? "python3", script.path] + files.map(\.path))
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, said: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = try String(decoding: output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, said)
    }
}

@Suite("Golden records") struct GoldenRecordTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Conformance/Vectors/v1")

    /// The records of `model`'s tree, as a cache stores them at sequence 7.
    private func records(_ name: String, _ model: some CacheableModel) throws -> [GoldenRecord] {
        let tree = try Encoded(model).tree
        return try tree.entries.enumerated().map { index, entry in
            let identifier = tree.modelIdentifier(of: entry).rawValue
            let names = tree.types[entry.type]
            let recordName = names.name
            let projectionName = unsafe String(decoding: names.projection, as: UTF8.self)
            let body = try tree.namedBody(index)
            let record = GoldenEnvelope.record(
                key: GoldenEnvelope.key(identifier), body: body, recordName: recordName,
                projectionName: projectionName, sequence: 7, references: entry.holdsReferences)
            return GoldenRecord(
                name: "\(name)-\(identifier.replacing(":", with: "-"))", key: hex(GoldenEnvelope.key(identifier)),
                record: hex(record), recordName: recordName, projectionName: projectionName, sequence: 7,
                time: GoldenEnvelope.time, body: Diagnostic.text(body))
        }
    }

    private func all() throws -> [GoldenRecord] {
        var message = HandMessage.sample(8)
        message.date = Date(timeIntervalSinceReferenceDate: 0.1)
        message.data = Data([0xDE, 0xAD, 0xBE, 0xEF])
        message.price = Decimal(sign: .minus, exponent: -2, significand: 12_345)
        message.badge = Badge(name: "gold", level: 3)
        message.badges = [Badge(name: "b", level: nil), Badge(name: "a", level: 1)]
        message.unique = [Badge(name: "one", level: nil), Badge(name: "two", level: -1)]
        message.byNumber = [3: Badge(name: "three", level: 3), -1: Badge(name: "minus", level: nil)]
        message.mood = .calm
        message.text = "gr\u{FC}\u{DF}e \u{1F44B}\u{0}"
        message.alpha = nil
        let person = PlainPerson(id: 9, name: "Nine")
        return try records("message", message)
            + records(
                "feed",
                CodableNode(CodableNodeTests.Feed(items: [.person(person), .note(text: "n", count: 2), .separator])))
            + records("leaves", CodableNode(GoldenLeaves()))
    }

    @Test("Each golden record is what is written today, and says so in diagnostic notation")
    func verify() throws {
        let records = try all()
        #expect(records.count > 8)
        if ProcessInfo.processInfo.environment["GROVE_WRITE_VECTORS"] != nil { try write(records) }
        for record in records {
            let file = GoldenRecordTests.folder.appending(path: "\(record.name).json")
            let stored = try JSONDecoder().decode(GoldenRecord.self, from: Data(contentsOf: file))
            #expect(stored == record)
        }
    }

    @Test("Each golden record is read, and written again as the same bytes") func reencode() throws {
        var bodies: [(identifier: String, body: [UInt8], recordName: String)] = []
        for golden in try all() {
            let file = GoldenRecordTests.folder.appending(path: "\(golden.name).json")
            let stored = try JSONDecoder().decode(GoldenRecord.self, from: Data(contentsOf: file))
            let record = bytes(stored.record)
            let body = GoldenEnvelope.body(of: record)
            let identifier = String(decoding: bytes(stored.key).dropFirst(), as: UTF8.self)
            #expect(Diagnostic.text(body) == stored.body)
            bodies.append((identifier, body, stored.recordName))
        }
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        for (identifier, body, recordName) in bodies {
            encoder.beginRoot()
            try encoder.encodeNode(
                identifier: ModelIdentifier(identifier), recordName: recordName, projectionName: recordName
            ) { encoder in encoder.writeEncoded(body) }
        }
        for (identifier, body, recordName) in bodies {
            let again: [UInt8]?
            switch recordName {
            case "Message": again = try rewritten(HandMessage.self, identifier, tree)
            case "Leaves": again = try rewritten(CodableNode<GoldenLeaves>.self, identifier, tree)
            case "Person": again = try rewritten(CodableNode<PlainPerson>.self, identifier, tree)
            default: again = try rewritten(CodableNode<CodableNodeTests.Feed>.self, identifier, tree)
            }
            #expect(again == body, "\(identifier)")
        }
    }

    @Test(
        "Another decoder of CBOR, another encoder and another hash agree",
        .enabled(if: VectorChecker.python != nil, "needs python3 with cbor2"))
    func independent() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: GoldenRecordTests.folder.path).sorted()
            .map { GoldenRecordTests.folder.appending(path: $0) }
        #expect(files.count > 17)
        let (status, said) = try VectorChecker.check(files)
        #expect(status == 0, "\(said)")
    }

    /// What may be wrong with the body of the golden message, every sum being right.
    static let damages = [
        ("nothing", "", ""),
        ("another reference", "647a657461d9e74e68506572736f6e3a31", "647a657461d9e74e68506572736f6e3a33"),
        ("a sign", "c48221393038", "c48221193038"),
        ("a nested map out of order", "a2646e616d6564676f6c64656c6576656c03", "a2656c6576656c03646e616d6564676f6c64"),
        ("a float for an integer", "65736d616c6c387f", "65736d616c6cf9d800"),
        ("a float too wide", "657769647468f93e00", "657769647468fa3fc00000"),
        ("a number too wide", "64676f6c64656c6576656c03", "64676f6c64656c6576656c1803"),
        ("another tag", "6464617465d9e74f", "6464617465d9e750"),
        ("null for a number", "64676f6c64656c6576656c03", "64676f6c64656c6576656cf6"),
    ]

    @Test(
        "The check of the golden records finds one that is damaged",
        .enabled(if: VectorChecker.python != nil, "needs python3 with cbor2"), arguments: damages)
    func damaged(what: String, from: String, to: String) throws {
        let file = GoldenRecordTests.folder.appending(path: "message-Message-m8.json")
        var golden = try JSONDecoder().decode(GoldenRecord.self, from: Data(contentsOf: file))
        let record = bytes(golden.record)
        var body = hex(GoldenEnvelope.body(of: record))
        if !from.isEmpty {
            #expect(body.ranges(of: from).count == 1)
            body = body.replacing(from, with: to)
        }
        golden.record = hex(
            GoldenEnvelope.record(
                key: bytes(golden.key), body: bytes(body), recordName: golden.recordName,
                projectionName: golden.projectionName, sequence: golden.sequence, references: true))
        let copy = FileManager.default.temporaryDirectory.appending(path: "grove-vector-\(UUID().uuidString).json")
        try JSONEncoder().encode(golden).write(to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        let (status, said) = try VectorChecker.check([copy])
        #expect(status == (from.isEmpty ? 0 : 1), "\(said)")
    }

    private func rewritten<M: CacheableModel>(
        _ type: M.Type, _ identifier: String, _ tree: NodeTree
    ) throws -> [UInt8]? {
        var reference = ByteBuffer(capacity: 64)
        defer { reference.deallocate() }
        reference.appendHead(CBORMajor.tag, CBORTag.reference)
        reference.appendText(identifier)
        let model = try decode(type, unsafe Array(reference.bytes), source: TreeSource(tree))
        return try Encoded(model).bodies[ModelIdentifier(identifier)]
    }

    private func write(_ records: [GoldenRecord]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        for record in records {
            let file = GoldenRecordTests.folder.appending(path: "\(record.name).json")
            try (encoder.encode(record) + Data([0x0A])).write(to: file)
        }
    }
}
