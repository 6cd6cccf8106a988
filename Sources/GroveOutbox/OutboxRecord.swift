import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The record that is kept of one mutation.
///
/// Its bytes: a version, 1; the number, eight bytes; then key, type, lane, body and, if there is one, refusal, each
/// behind its count of bytes, four of them. Numbers are little-endian, text is UTF-8.
struct OutboxRecord: Sendable {
    /// Its number in the order of submission by all processes; 0 before it is stored.
    var number: Int
    let key: String
    let type: String
    let lane: String
    var body: [UInt8]
    /// The reason for which the server has refused it, if it has.
    var refusal: String?

    static let prefix = "outbox.m."

    var name: String { OutboxRecord.prefix + key }

    init(number: Int, key: String, type: String, lane: String, body: [UInt8]) {
        (self.number, self.key, self.type, self.lane, self.body) = (number, key, type, lane, body)
    }

    /// - Throws: ``CacheError`` with code `corrupted`.
    init(_ bytes: [UInt8]) throws(CacheError) {
        var next = 0
        func take(_ count: Int) throws(CacheError) -> ArraySlice<UInt8> {
            guard bytes.count - next >= count else { throw OutboxRecord.damage }
            defer { next += count }
            return bytes[next..<next + count]
        }
        func number(_ width: Int) throws(CacheError) -> UInt64 {
            var (number, place) = (UInt64(0), UInt64(0))
            for byte in try take(width) {
                number |= UInt64(byte) << place
                place += 8
            }
            return number
        }
        func field() throws(CacheError) -> ArraySlice<UInt8> { try take(Int(number(4))) }
        guard try take(1).first == 1, let found = Int(exactly: try number(8)) else { throw OutboxRecord.damage }
        let (key, type, lane, body) = (try field(), try field(), try field(), try field())
        self.number = found
        self.key = String(decoding: key, as: UTF8.self)
        self.type = String(decoding: type, as: UTF8.self)
        self.lane = String(decoding: lane, as: UTF8.self)
        self.body = Array(body)
        if next < bytes.count { refusal = String(decoding: try field(), as: UTF8.self) }
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
