import GroveModel

/// The end of a LevelDB log that lost a part of its last record when the power failed.
///
/// A batch that was being written then may be on the disk in part, later blocks without earlier ones. Under
/// `paranoid_checks` LevelDB refuses such a log, and with it all earlier commits. So the rest of the last record is cut
/// off. If any record begins after the damage, the damage is no such tail, and the log is left alone.
///
/// The format is that of LevelDB's `doc/log_format.md`: blocks of 32 KB, and in them fragments of records, each with a
/// masked CRC-32C of its type and bytes, its length, and its type.
struct LevelDBLogTail {
    private static let blockLength = 32_768
    private static let headerLength = 7

    private enum Kind: UInt8 {
        case full = 1, first, middle, last

        var begins: Bool { self == .full || self == .first }
    }

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Visits the records from the beginning up to the first that is not whole.
    func forEachRecord(_ visit: ([UInt8]) -> Void) {
        var (position, record) = (0, [UInt8]())
        while position < bytes.count {
            let left = Self.blockLength - position % Self.blockLength
            guard left >= Self.headerLength else {
                position += left
                continue
            }
            guard let (kind, end) = fragment(at: position) else { return }
            if kind.begins { record = [] }
            record += bytes[(position + Self.headerLength)..<end]
            position = end
            if kind == .full || kind == .last { visit(record) }
        }
    }

    /// The length of the log without the torn record at its end; `nil` if there is none, or if more than that is
    /// damaged.
    ///
    /// - Complexity: O(*n*) for a log that is whole; after damage, a checksum for each place that looks like a header.
    func wholeLength() -> Int? {
        var position = 0
        var whole = 0
        var isInRecord = false
        while position < bytes.count {
            let left = Self.blockLength - position % Self.blockLength
            guard left >= Self.headerLength else {
                position += left
                continue
            }
            guard let (kind, end) = fragment(at: position), kind.begins != isInRecord else {
                return isTail(from: whole) ? whole : nil
            }
            isInRecord = kind == .first || kind == .middle
            position = end
            if !isInRecord { whole = end }
        }
        return nil
    }

    /// Whether no record begins after the one that begins at `start`.
    private func isTail(from start: Int) -> Bool {
        let left = Self.blockLength - start % Self.blockLength
        let torn = left < Self.headerLength ? start + left : start
        guard torn < bytes.count else { return true }
        return !(torn + 1..<max(bytes.count, torn + 1)).contains { fragment(at: $0)?.kind.begins == true }
    }

    /// The fragment at `position` and its end; `nil` if there is no whole one.
    private func fragment(at position: Int) -> (kind: Kind, end: Int)? {
        let blockEnd = min((position / Self.blockLength + 1) * Self.blockLength, bytes.count)
        guard position + Self.headerLength <= blockEnd, let kind = Kind(rawValue: bytes[position + 6]) else {
            return nil
        }
        let end = position + Self.headerLength + Int(bytes[position + 4]) + Int(bytes[position + 5]) << 8
        guard end <= blockEnd else { return nil }
        let stored = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[position + $1]) << (8 * UInt32($1)) }
        let checksum = Self.checksum(bytes[(position + 6)..<end])
        let masked = (checksum >> 15 | checksum << 17) &+ 0xA282_EAD8
        return masked == stored ? (kind, end) : nil
    }

    /// CRC-32C (RFC 3720, appendix B.4).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
    }
}
