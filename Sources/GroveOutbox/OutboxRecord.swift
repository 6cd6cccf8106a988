import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is kept of one mutation.
///
/// Its bytes: a version, 1; the number, eight bytes; then key, type, lane, body and, if there is one, refusal, each behind
/// its count of bytes, four of them.
/// Numbers are little-endian, text is UTF-8.
struct OutboxRecord: Sendable {
    /// In which order it was submitted, among those of all processes; 0 before it is stored.
    var number: Int
    let key: String
    let type: String
    let lane: String
    var body: [UInt8]
    /// Why the server has refused it, if it has.
    var refusal: String?

    static let prefix = "outbox.m."

    var name: String { OutboxRecord.prefix + key }

    init(number: Int, key: String, type: String, lane: String, body: [UInt8]) {
        (self.number, self.key, self.type, self.lane, self.body) = (number, key, type, lane, body)
    }

    /// - Throws: ``CacheError`` with code `corrupted`.
    init(_ bytes: [UInt8]) throws(CacheError) {
        var left = bytes[...]
        func take(_ count: Int) throws(CacheError) -> ArraySlice<UInt8> {
            guard left.count >= count else { throw OutboxRecord.damage }
            defer { left = left.dropFirst(count) }
            return left.prefix(count)
        }
        func number(_ width: Int) throws(CacheError) -> UInt64 {
            try take(width).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func field() throws(CacheError) -> ArraySlice<UInt8> { try take(Int(number(4))) }
        guard try take(1).first == 1, let found = Int(exactly: try number(8)) else { throw OutboxRecord.damage }
        let (key, type, lane, body) = (try field(), try field(), try field(), try field())
        self.number = found
        self.key = String(decoding: key, as: UTF8.self)
        self.type = String(decoding: type, as: UTF8.self)
        self.lane = String(decoding: lane, as: UTF8.self)
        self.body = Array(body)
        if !left.isEmpty { refusal = String(decoding: try field(), as: UTF8.self) }
    }

    func encoded() -> [UInt8] {
        var out: [UInt8] = [1]
        func append(_ number: Int, _ width: Int) {
            for byte in 0..<width { out.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
        }
        append(number, 8)
        for case let field? in [
            Array(key.utf8), Array(type.utf8), Array(lane.utf8), body, refusal.map { Array($0.utf8) },
        ] {
            append(field.count, 4)
            out += field
        }
        return out
    }

    static let damage = CacheError(.corrupted, "A pending mutation is damaged.")
}
