import GroveCoding
@testable import GroveCompare
import GroveModel
import Testing

@Suite("Documents as nodes")
struct DocumentTests {
    static let users =
        #"{"rules":[{"field":"user","type":"User","id":"id"},{"field":"posts","type":"Post","id":"id"}]}"#

    private func document(_ text: String, _ rules: String = users) throws -> Document {
        try Document(
            try JSONParser.parse(text), rules: try IdentityRules(try JSONParser.parse(rules), file: "rules.json"))
    }

    private func identifiers(_ text: String, _ rules: String = users) throws -> [String] {
        try document(text, rules).identifiers.map(\.description)
    }

    @Test("An object is identified directly, in an array, and in a dictionary under its field")
    func places() throws {
        #expect(try identifiers(#"{"user":{"id":1}}"#) == ["User:1"])
        #expect(try identifiers(#"{"posts":[{"id":1},{"id":2},3]}"#) == ["Post:1", "Post:2"])
        #expect(try identifiers(#"{"posts":{"x":{"id":1},"y":{"id":"b"}}}"#) == ["Post:1", "Post:b"])
    }

    @Test("An object with a value that is no object, or a key that is a rule's field, is no dictionary")
    func notDictionaries() throws {
        #expect(try identifiers(#"{"posts":{"x":{"id":1},"y":2}}"#) == [])
        #expect(try identifiers(#"{"posts":{"x":{"id":1},"user":{"id":2}}}"#) == ["User:2"])
    }

    @Test("An id that is neither string nor number identifies nothing, and neither does one elsewhere")
    func noIdentity() throws {
        #expect(
            try identifiers(#"{"user":{"id":null},"posts":[{"id":true},{"id":[1]}],"other":{"id":1},"id":7}"#) == [])
    }

    @Test("The first rule that fits wins, * is any property, and null is no type")
    func rules() throws {
        let rules =
            #"{"rules":[{"field":"a","type":"A","id":"x"},{"field":"a","type":"B","id":"y"},{"field":"*","type":null,"id":"z"}]}"#
        #expect(
            try identifiers(
                #"{"a":[{"x":1,"y":2},{"y":2,"z":3},{"z":4.5}],"b":{"z":"free"}}"#, rules) == [
                    "A:1", "B:2", "4.5", "free",
                ])
    }

    @Test("Occurrences, nodes and edges are counted; edges from the document itself are not")
    func counts() throws {
        let counted = try document(
            #"{"posts":[{"id":1,"user":{"id":9}},{"id":2,"meta":{"user":{"id":9}}},{"id":1,"user":{"id":9}}]}"#)
        #expect(counted.occurrences == 6 && counted.nodes == 3)
        let stored = try Stored(.memory, counted)
        #expect(try stored.cache.edges(of: counted.identifiers) == 2)
    }

    @Test("An edge that a later occurrence took away is not counted")
    func edgesAsStored() throws {
        let merged = try document(#"{"posts":[{"id":1,"by":{"user":{"id":9}}},{"id":1,"by":null}]}"#)
        let stored = try Stored(.memory, merged)
        #expect(try merged.nodes == 2 && stored.cache.edges(of: merged.identifiers) == 0)
    }

    @Test("A field of null is the document itself, an object or an array of them, and nothing else is")
    func rootRule() throws {
        let rules = #"{"rules":[{"field":null,"type":"Post","id":"id"},{"field":"*","type":"Other","id":"key"}]}"#
        #expect(try identifiers(#"[{"id":1},[{"id":2}],{"key":3},4,{"in":{"id":5}}]"#, rules) == ["Post:1", "Post:2"])
        #expect(try identifiers(#"{"id":1,"in":{"id":2,"key":3}}"#, rules) == ["Post:1", "Other:3"])
        #expect(try identifiers(#"{"a":{"id":1},"b":{"id":2}}"#, rules) == [])
        for text in [#"[{"id":1,"a":[{"key":2,"b":3}]},{"id":4}]"#, #"{"id":1}"#, #"{"id":1,"in":{"key":2}}"#] {
            #expect(
                try Stored(.memory, try document(text, rules)).rebuilt().firstDifference(from: JSONParser.parse(text))
                    == nil)
        }
    }

    @Test("An identifier with 255 sets of fields is stored; one with more is refused with its name")
    func setsOfFields() throws {
        func text(_ count: Int) -> String {
            "{\"posts\":[" + (0..<count).map { #"{"id":7,"f\#($0)":1}"# }.joined(separator: ",") + "]}"
        }
        let stored = try Stored(.memory, try document(text(255)))
        #expect(try stored.rebuilt()["posts"] != nil)
        #expect { try document(text(256)) } throws: { "\($0)".contains("\"Post:7\"") && "\($0)".contains("255") }
    }

    @Test("A document of as many occurrences as a write takes comes back, and one of more is refused")
    func slowMostOccurrences() throws {
        let node = DocumentValue.node(DocumentNode(identity: nil, content: .plain(.object([]))))
        func root(_ count: Int) -> DocumentNode {
            let document = DocumentValue.array(Array(repeating: node, count: count))
            return DocumentNode(identity: nil, content: .object([DocumentMember(Document.rootField, document)]))
        }
        guard case .array(let elements) = try Document.rebuilt(from: root(NodeTree.maxPaths)) else {
            Issue.record("the document is no array")
            return
        }
        #expect(elements.count == NodeTree.maxPaths)
        #expect { try Document.rebuilt(from: root(NodeTree.maxPaths + 1)) } throws: {
            ($0 as? CacheError)?.code == .tooManyPaths
        }
    }

    @Test("Identity is by bytes")
    func identityByBytes() throws {
        #expect(try identifiers("{\"posts\":[{\"id\":\"e\u{301}\"},{\"id\":\"\u{E9}\"}]}").count == 2)
    }

    @Test("A document comes back from its nodes", arguments: BackendName.allCases)
    func roundTrip(backend: BackendName) throws {
        let text =
            #"{"posts":[{"id":1,"user":{"id":9,"n":-5,"big":123456789012345678901234567890,"f":1.0,"u":18446744073709551615,"#
            + #""s":"日本 \u0000","empty":[{},[],null]},"tags":["a",["b",{"user":{"id":8}}]]},"#
            + #"{"id":2,"user":{"id":9,"n":-5,"big":123456789012345678901234567890,"f":1.0,"u":18446744073709551615,"#
            + #""s":"日本 \u0000","empty":[{},[],null]}}],"n":-123456789012345678901234567890,"e":1e-7}"#
        let rebuilt = try Stored(backend, try document(text)).rebuilt()
        #expect(try JSONParser.parse(text).firstDifference(from: rebuilt) == nil)
    }

    @Test("A document need not be an object", arguments: ["[{\"user\":{\"id\":1}}]", "{\"user\":{\"id\":1}}"])
    func roots(text: String) throws {
        #expect(try Stored(.memory, try document(text)).rebuilt().description == text)
    }

    @Test("Occurrences of one identifier merge field by field, the later one winning", arguments: BackendName.allCases)
    func merging(backend: BackendName) throws {
        let stored = try Stored(
            backend,
            try document(
                #"{"z":{"user":{"id":1,"a":1,"b":1}},"a":{"user":{"id":1,"b":2,"c":2}},"posts":[{"id":5,"user":{"id":1,"c":3}}]}"#
            ))
        let merged = try JSONParser.parse(#"{"id":1,"a":1,"b":2,"c":3}"#)
        let rebuilt = try stored.rebuilt()
        #expect(rebuilt["z"]?["user"]?.firstDifference(from: merged) == nil)
        #expect(rebuilt["a"]?["user"]?.firstDifference(from: merged) == nil)
    }

    @Test("The same fields written again replace what they held, in the order of the document")
    func laterWins() throws {
        let stored = try Stored(
            .memory, try document(#"{"zz":{"user":{"id":1,"v":"first"}},"a":{"user":{"id":1,"v":"last"}}}"#))
        #expect(try stored.rebuilt()["zz"]?["user"]?["v"]?.text == "last")
    }

    @Test("A circle of nodes ends in the typed error", arguments: BackendName.allCases)
    func cycle(backend: BackendName) throws {
        let stored = try Stored(
            backend, try document(#"{"user":{"id":1,"user":{"id":2,"user":{"id":1}}}}"#))
        #expect { try stored.rebuilt() } throws: { "\($0)".contains("cycle") }
    }

    @Test("A tree of 2^40 paths is refused rather than printed")
    func tooManyPaths() throws {
        var text = #"{"posts":[{"id":0}"#
        for level in 1...40 {
            text += #",{"id":\#(level),"l":{"posts":[{"id":\#(level - 1)}]},"r":{"posts":[{"id":\#(level - 1)}]}}"#
        }
        // The stub of the last occurrence must not win: stubs stand in records of other fields.
        let stored = try Stored(.memory, try document(text + "]}"))
        #expect { try stored.rebuilt() } throws: { "\($0)".contains("tooManyPaths") }
    }

    @Test(
        "Rules that are none are refused with what is wrong",
        arguments: [
            ("[]", "rules"), ("{}", "rules"), (#"{"rules":[]}"#, "empty"), (#"{"rules":[{"field":"a"}]}"#, "\"id\""),
            (#"{"rules":[{"id":"a"}]}"#, "\"field\""), (#"{"rules":[{"field":"a","id":"b","type":3}]}"#, "type"),
            (#"{"rules":[{"field":"a","id":"b","type":""}]}"#, "type"),
            (#"{"rules":[{"field":"","id":"b"}]}"#, "\"field\""), (#"{"rules":[1]}"#, "rule 1 is no object"),
            (#"{"rules":[{"field":"a","id":"b"},{"feild":"a","id":"b"}]}"#, #"rule 2 has an unknown member "feild""#),
            (#"{"rule":[]}"#, #"unknown member "rule""#),
        ])
    func malformedRules(text: String, reason: String) throws {
        let json = try JSONParser.parse(text)
        #expect { try IdentityRules(json, file: "rules.json") } throws: { "\($0)".contains(reason) }
    }
}
