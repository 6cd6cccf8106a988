import GroveCache
import GroveCoding
@testable import GroveCompare
import GroveModel
import Testing

@Suite("Documents through Codable") struct CodableDocumentTests {
    /// Every kind of value, nodes in every place, one identifier with several sets of fields, and with several
    /// contents.
    private static let document = #"""
        {"posts": [
          {"id": 1, "user": {"id": 9, "n": -5, "big": 123456789012345678901234567890, "f": 1.0, "whole": 2,
            "less": -123456789012345678901234567890, "u": 18446744073709551615, "s": "日本 \u0000", "yes": true,
            "empty": [{}, [], null], "none": null}, "tags": ["a", ["b", {"user": {"id": 8}}], 1, 1.5, false, null]},
          {"id": 2, "zz": {"user": {"id": 9, "n": 1}}, "a": {"user": {"id": 9, "n": 2}}, "longer": "x"},
          {"id": "two", "user": {"x": {"id": 3, "name": "in a dictionary"}, "y": {"id": 4, "name": "too"}}},
          {"id": 3, "user": {"name": "nobody"}, "mixed": [{"posts": [{"id": 1}, [{"id": 5, "e": 1e-7}], 7]}, "t"]}
        ]}
        """#

    private static func synthetic() throws -> Document {
        try Document(
            try JSONParser.parse(document),
            rules: try IdentityRules(try JSONParser.parse(DocumentTests.users), file: "rules.json"))
    }

    private static func stored(_ document: Document, _ backend: BackendName, _ isCodable: Bool) throws -> Filled {
        let data = DocumentData(document)
        return isCodable ? try Filled(backend, data.codable) : try Filled(backend, data)
    }

    private func compare(_ document: Document, _ backend: BackendName) throws {
        let dynamic = try CodableDocumentTests.stored(document, backend, false)
        let codable = try CodableDocumentTests.stored(document, backend, true)
        let (left, right) = (try dynamic.values(), try codable.values())
        #expect(left.count >= document.nodes)
        #expect(left.map(\.name) == right.map(\.name))
        let different = zip(left, right).filter { $0.bytes != $1.bytes }.map(\.0.name)
        #expect(different.isEmpty, "\(different.count) are stored otherwise, \(different.first ?? "") first")
    }

    @Test("Both codings store the same bytes, names and projections included", arguments: BackendName.allCases)
    func sameBytes(backend: BackendName) throws { try compare(try CodableDocumentTests.synthetic(), backend) }

    @Test(
        "Both codings store the same bytes of real documents",
        .enabled(if: SharedData.isThere, "needs shared/data/models beside the checkout"),
        arguments: SharedData.samples)
    func realDataSameBytes(sample: SharedData.Sample) throws {
        try compare(try InputFile.document(sample.file, identity: sample.rules).1, .lmdb)
    }

    @Test("Each coding reads what the other stored", arguments: BackendName.allCases, [false, true])
    func reading(backend: BackendName, isCodable: Bool) throws {
        let document = try CodableDocumentTests.synthetic()
        let filled = try CodableDocumentTests.stored(document, backend, isCodable)
        let dynamic = try filled.read(DocumentData(document))
        let codable = try filled.read(DocumentData(document).codable)
        #expect(dynamic.count == 4 && codable.count == 4)
        for (left, right) in zip(dynamic, codable) {
            let (left, right) = (try #require(left), try #require(right))
            #expect(left.firstDifference(from: right) == nil)
        }
        #expect(codable[0]?["user"]?["less"]?.description == "-123456789012345678901234567890")
        #expect(codable[3]?["mixed"]?.firstDifference(from: dynamic[3]?["mixed"] ?? .null) == nil)
    }

    @Test(
        "Real documents read alike in both codings; what a circle closes reads in neither",
        .enabled(if: SharedData.isThere, "needs shared/data/models beside the checkout"),
        arguments: SharedData.samples)
    func realDataReading(sample: SharedData.Sample) throws {
        let document = try InputFile.document(sample.file, identity: sample.rules).1
        let filled = try CodableDocumentTests.stored(document, .lmdb, true)
        let dynamic = try filled.read(DocumentData(document))
        let codable = try filled.read(DocumentData(document).codable)
        #expect(dynamic.count == codable.count && (sample.isCyclic || !dynamic.contains { $0 == nil }))
        for (left, right) in zip(dynamic, codable) {
            #expect((left == nil) == (right == nil))
            guard let left, let right, let difference = left.firstDifference(from: right) else { continue }
            Issue.record("they differ at \(difference)")
            return
        }
    }

    @Test("A deleted child is null in its parent and gone from an array, in both codings")
    func deletion() throws {
        let document = try CodableDocumentTests.synthetic()
        let filled = try CodableDocumentTests.stored(document, .memory, true)
        try filled.delete(["User:9", "Post:5"])
        for trees in [try filled.read(DocumentData(document)), try filled.read(DocumentData(document).codable)] {
            #expect(trees[0]?["user"]?.kind == "null" && trees[0]?["id"]?.description == "1")
            #expect(trees[3]?["mixed"]?.description.contains("[],7") == true)
        }
    }
}
