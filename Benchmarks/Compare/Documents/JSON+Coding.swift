import GroveCoding
package import GroveModel

extension JSON {
    /// Writes the value into a record.
    func encode(to encoder: inout NodeEncoder) throws(CacheError) {
        switch self {
        case .null: encoder.writeNull()
        case .bool(let value): encoder.write(value)
        case .integer(let value): encoder.write(value)
        case .unsigned(let value): encoder.write(value)
        case .double(let value): encoder.write(value)
        case .string(let value): encoder.write(value)
        case .big(let value): try value.encodeValue(to: &encoder)
        case .array(let elements):
            encoder.writeArrayHead(count: elements.count)
            for element in elements { try element.encode(to: &encoder) }
        case .object(let members):
            let entries = try encoder.sortedEncodings(count: members.count) { (index, encoder) throws(CacheError) in
                encoder.write(members[index].key)
                try members[index].value.encode(to: &encoder)
            }
            encoder.writeMapHead(count: members.count)
            for entry in entries { encoder.writeEncoded(entry.bytes) }
        }
    }

    /// How a reference to a node is spelled where the node itself is not fetched.
    package static let referenceKey = "$ref"

    /// The deepest nesting inside a record: what encoding accepts.
    static let maxStoredDepth = LargeStack.maxNesting

    /// Reads any value of a record, as near to it as JSON comes.
    ///
    /// References become `{"$ref": identifier}`, bytes `{"$bytes": hexadecimal}`, and values under a tag that JSON has
    /// no like of `{"$tag": number, "value": …}`.
    init(from decoder: inout NodeDecoder, depth: Int = 0) throws(NodeReadFailure) {
        guard depth <= JSON.maxStoredDepth else { throw .corrupted }
        if let reference = try decoder.readReference() {
            var members = [JSONMember(JSON.referenceKey, .string(reference.identifier.rawValue))]
            if let name = reference.caseName { members.append(JSONMember("case", .string(name))) }
            self = .object(members)
            return
        }
        var ahead = decoder
        let (major, argument) = try ahead.readHead()
        switch major {
        case CBORMajor.unsigned:
            decoder = ahead
            self = Int64(exactly: argument).map { .integer($0) } ?? .unsigned(argument)
        case CBORMajor.negative:
            decoder = ahead
            self =
                Int64(exactly: argument).map { .integer(~$0) }
                ?? .big(BigInteger(isNegative: true, encoded: argument.bigEndianBytes))
        case CBORMajor.text: self = .string(try decoder.readString())
        case CBORMajor.bytes:
            let bytes = try unsafe decoder.readBytes { unsafe Array($0) }
            self = .object([JSONMember("$bytes", .string(bytes.hexadecimal))])
        case CBORMajor.array:
            var elements: [JSON] = []
            for _ in 0..<(try decoder.readArrayHead()) { elements.append(try JSON(from: &decoder, depth: depth + 1)) }
            self = .array(elements)
        case CBORMajor.map:
            var members: [JSONMember] = []
            for _ in 0..<(try decoder.readMapHead()) {
                let key = try JSON(from: &decoder, depth: depth + 1)
                members.append(JSONMember(key.text ?? key.description, try JSON(from: &decoder, depth: depth + 1)))
            }
            self = .object(members)
        case CBORMajor.tag:
            decoder = ahead
            self = try JSON(tag: argument, from: &decoder, depth: depth + 1)
        default:
            if try decoder.readNull() {
                self = .null
            } else if argument == 20 || argument == 21, unsafe ahead.cursor == decoder.cursor + 1 {
                self = .bool(try decoder.readBool())
            } else {
                self = .double(try decoder.readDouble())
            }
        }
    }

    private init(tag: UInt64, from decoder: inout NodeDecoder, depth: Int) throws(NodeReadFailure) {
        var ahead = decoder
        let isBytes = try ahead.readHead().major == CBORMajor.bytes
        switch tag {
        case CBORTag.unsignedBignum where isBytes, CBORTag.negativeBignum where isBytes:
            let bytes = try unsafe decoder.readBytes { unsafe Array($0) }
            self = .big(BigInteger(isNegative: tag == CBORTag.negativeBignum, encoded: bytes))
        case CBORTag.uri: self = try JSON(from: &decoder, depth: depth)
        case CBORTag.uuid where isBytes:
            let digits = unsafe Array(try decoder.readBytes { unsafe Array($0) }.hexadecimal.uppercased())
            let ends = [8, 12, 16, 20, digits.count]
            var parts: [String] = []
            var start = 0
            for end in ends where end <= digits.count && end > start {
                parts.append(String(digits[start..<end]))
                start = end
            }
            self = .string(parts.joined(separator: "-"))
        default:
            self = .object([
                JSONMember("$tag", Int64(exactly: tag).map { .integer($0) } ?? .unsigned(tag)),
                JSONMember("value", try JSON(from: &decoder, depth: depth)),
            ])
        }
    }

    /// A record's body as JSON.
    ///
    /// - Throws: ``CacheError`` with code `corrupted` if it is none.
    package init(body: [UInt8]) throws(CacheError) {
        let outcome: Result<JSON, NodeReadFailure> = unsafe body.withUnsafeBytes { bytes in
            var decoder = unsafe NodeDecoder(bytes, source: NoSource.shared, isStable: true)
            do throws(NodeReadFailure) {
                return .success(try JSON(from: &decoder))
            } catch {
                return .failure(error)
            }
        }
        guard case .success(let value) = outcome else {
            throw CacheError(.corrupted, "The stored body is damaged.")
        }
        self = value
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) }
    }
}

extension [UInt8] {
    /// Two hexadecimal digits for each byte.
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
