@testable import GroveCompare
import Testing

@Suite("JSON text")
struct JSONTests {
    @Test(
        "What is parsed is printed as it was",
        arguments: [
            "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
            "123456789012345678901234567890", "-123456789012345678901234567890", "18446744073709551616",
            "-9223372036854775809", "0.1", "1.0", "-0.0", "0.0", "5e-324", "1.7976931348623157e+308", "\"\"",
            "\"a\\\"b\\\\c\"",
            "\"\\n\\r\\t\\u0000\"", "\"grün 日本 😀\"", "[]", "[1,[2,[]],{}]", "{}",
            "{\"a\":1,\"b\":{\"c\":[null]}}",
        ])
    func roundTrip(text: String) throws { #expect(try JSONParser.parse(text).description == text) }

    @Test("What is 0 whatever its exponent is read", arguments: ["0e-400", "0.000e400", "-0E0"])
    func zeros(text: String) throws { #expect(try JSONParser.parse(text).firstDifference(from: 0) == nil) }

    @Test(
        "Doubles keep their bits", arguments: [0.1 + 0.2, 1e23, .pi, .leastNonzeroMagnitude, -0.0, 1e22, 123456789.125])
    func doubles(value: Double) throws {
        guard case .double(let read) = try JSONParser.parse(JSON.double(value).description) else {
            Issue.record("no double was read")
            return
        }
        #expect(read.bitPattern == value.bitPattern)
    }

    @Test("Escapes stand for their characters")
    func escapes() throws {
        #expect(try JSONParser.parse(#""\u00e9\ud83d\ude00\/\b\f""#).text == "\u{E9}😀/\u{8}\u{C}")
    }

    @Test(
        "A failure says where",
        arguments: [
            ("", 1, 1), ("{\"a\": [1, 2,]}", 1, 13), ("[1\n, 2\n, x]", 3, 3), ("[1] 2", 1, 5), ("{\"ä\": tru}", 1, 10),
            ("\"abc", 1, 1), ("[01]", 1, 3), ("[1.]", 1, 4), ("[1e400]", 1, 2), ("[1e-400]", 1, 2),
            ("[0, -0.001E-330]", 1, 5), ("[-]", 1, 3),
            ("{\"a\":1,\"a\":2}", 1, 8),
            ("\"\\ud800\"", 1, 2), ("\"\\ud800\\u0041\"", 1, 2), ("\"a\u{1}\"", 1, 3), ("\"\\x\"", 1, 2),
            ("[1,\n", 2, 1),
            ("{1:2}", 1, 2), ("nul", 1, 4), ("{\"a\" 1}", 1, 6), ("\u{0}", 1, 1),
        ])
    func failures(text: String, line: Int, column: Int) {
        do throws(JSONParser.Failure) {
            let value = try JSONParser.parse(text)
            Issue.record("\(text.debugDescription) was read as \(value)")
        } catch {
            #expect(error.line == line && error.column == column, "\(text.debugDescription): \(error)")
        }
    }

    @Test("Bytes that are not UTF-8 are refused")
    func notUTF8() {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test("A byte order mark is passed over")
    func byteOrderMark() throws { #expect(try JSONParser.parse([0xEF, 0xBB, 0xBF, 0x31]).description == "1") }

    @Test("Nesting is bounded, and a thousand levels are not too many")
    func depth() throws {
        func nest(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(try JSONParser.parse(nest(1_000)).description == nest(1_000))
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(nest(100_000)) }
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(String(repeating: "[", count: 1_000_000)) }
    }

    @Test("Names that differ in their bytes alone are two members")
    func canonicallyEquivalentNames() throws {
        let text = "{\"e\u{301}\":1,\"\u{E9}\":2}"
        let value = try JSONParser.parse(text)
        #expect(value["e\u{301}"]?.description == "1" && value["\u{E9}"]?.description == "2")
    }

    @Test(
        "Values are equal as JSON whatever the order of members and the spelling of numbers",
        arguments: [("{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1e0}"), ("[1]", "[1.0]"), ("-0.0", "0")])
    func equality(left: String, right: String) throws {
        #expect(try JSONParser.parse(left).firstDifference(from: JSONParser.parse(right)) == nil)
    }

    @Test(
        "A difference is found where it is",
        arguments: [
            ("{\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":3}]}", "$.a[1].b"), ("[1]", "[1,2]", "$[1]"),
            ("{\"a\":1}", "{\"a\":1,\"b\":2}", "$.b"), ("9007199254740993", "9007199254740992.0", "$"),
            ("1", "true", "$"),
            ("\"e\u{301}\"", "\"\u{E9}\"", "$"), ("null", "{}", "$"),
        ])
    func difference(left: String, right: String, path: String) throws {
        #expect(try JSONParser.parse(left).firstDifference(from: JSONParser.parse(right)) == path)
    }

    @Test("Printing with indentation reads back")
    func pretty() throws {
        let value = try JSONParser.parse("{\"a\":[1,{\"b\":[]}],\"c\":{}}")
        #expect(try JSONParser.parse(value.pretty).firstDifference(from: value) == nil)
        #expect(value.pretty.contains("\n    1,\n"))
    }

    @Test(
        "Big integers survive their encoding",
        arguments: ["18446744073709551616", "340282366920938463463374607431768211456"])
    func bigIntegers(digits: String) {
        for isNegative in [false, true] {
            let value = BigInteger(isNegative: isNegative, digits: digits.utf8)
            #expect(BigInteger(isNegative: isNegative, encoded: value.encoded) == value)
            #expect(value.description == (isNegative ? "-" : "") + digits)
        }
    }
}
