import GroveCache
@testable import GroveCompare
import GroveInspect
import GroveMemory
import GroveModel
import Testing

@Suite("Documents that are taken apart while they are read")
struct DocumentStreamTests {
    private static let rules = [
        DocumentTests.users,
        #"{"rules":[{"field":"*","type":null,"id":"id"}]}"#,
        #"{"rules":[{"field":null,"type":"Root","id":"id"},{"field":"b","type":"B","id":"id"}]}"#,
        #"{"rules":[{"field":"a","type":"A","id":"b"},{"field":"posts","type":"Post","id":"id"}]}"#,
    ]

    /// Every key and value that `write` leaves in an empty cache, and what it threw.
    private func stored(_ write: (MemoryCache) throws -> Void) throws -> [String] {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        defer { cache.close() }
        var found: [String] = []
        do { try write(cache) } catch { found.append("\(error)") }
        for kind in [StoredRecord.Kind.node, .collection, .chunk, .shape] {
            try unsafe cache.forEachStoredValue(kind) { key, value in
                unsafe found.append("\(Array(key)) \(Array(value))")
                return true
            }
        }
        return found
    }

    @Test("What is stored is the same as of the whole document, of random documents", arguments: 0..<40)
    func same(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var identified = 0
        for _ in 0..<25 {
            let text = DocumentStreamTests.json(&random, depth: 0)
            for rules in Self.rules {
                let rules = try IdentityRules(try JSONParser.parse(rules), file: "rules.json")
                let whole = try stored { cache in
                    let document = try Document(try JSONParser.parse(text), rules: rules)
                    identified += document.occurrences
                    _ = try cache.write(document)
                }
                let streamed = try stored { cache in
                    _ = try cache.write(try DocumentStream(Array(text.utf8), rules: rules))
                }
                #expect(streamed == whole, "\(text)")
            }
        }
        #expect(identified > 0)
    }

    /// A value that has the rules' fields in many places.
    private static func json(_ random: inout SplitMix, depth: Int) -> String {
        let keys = ["user", "posts", "a", "b", "id", "c"]
        switch Int.random(in: depth > 4 ? 4..<8 : 0..<8, using: &random) {
        case 0, 1:
            let elements = (0..<Int.random(in: 0..<4, using: &random)).map { _ in json(&random, depth: depth + 1) }
            return "[\(elements.joined(separator: ","))]"
        case 2, 3, 4:
            var members = keys.shuffled(using: &random).prefix(Int.random(in: 0..<5, using: &random))
                .map { #""\#($0)":\#(json(&random, depth: depth + 1))"# }
            if Bool.random(using: &random) {
                members.removeAll { $0.hasPrefix(#""id""#) }
                members.append(#""id":\#(Int.random(in: 0..<4, using: &random))"#)
            }
            return "{\(members.joined(separator: " , "))}"
        case 5: return #""text \#(Int.random(in: 0..<9, using: &random))""#
        case 6: return "null"
        default: return "\(Int.random(in: 0..<5, using: &random))"
        }
    }

    @Test(
        "What is wrong with a text is said with its place, as of the whole",
        arguments: [
            #"{"a":[1,]}"#, #"{"a":1,"a":2}"#, #"{"c":[{"user":{"id":1}},{"user" {"id":1}}]}"#, "[1] 2", #"{"c":[1"#,
            "{", "", "[1 2]",
            "{\"c\":\n {\"x\":1,}}", String(repeating: "[", count: 1_100),
        ])
    func failures(text: String) throws {
        let rules = try IdentityRules(try JSONParser.parse(DocumentTests.users), file: "rules.json")
        var (whole, streamed) = ("", "")
        do { _ = try JSONParser.parse(text) } catch { whole = "\(error)" }
        do { _ = try DocumentStream(Array(text.utf8), rules: rules) } catch { streamed = "\(error)" }
        #expect(!whole.isEmpty && streamed == whole)
    }
}
