import GroveCoding
package import GroveModel

/// A record by its bytes, as `Docs/Internals/RecordFormat` draws them: read and sealed here independently of the cache.
package struct SealedRecord {
    /// The first byte of the store's key of a node.
    package static let nodes: UInt8 = 0x01
    /// The first byte of the store's key of a collection.
    package static let collections: UInt8 = 0x02
    /// The first byte of the store's key of an alias.
    package static let aliases: UInt8 = 0x03

    /// The first byte of the store's key of a shape: names that records share.
    package static let shapes: UInt8 = 0x06
    /// The first byte of the store's key of a chunk of a collection.
    package static let chunks: UInt8 = 0x07

    /// The key under which the store keeps the node of `identifier`.
    package static func key(_ identifier: ModelIdentifier) -> [UInt8] { [nodes] + Array(identifier.rawValue.utf8) }

    /// The whole record.
    package private(set) var bytes: [UInt8]

    package init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 15 else {
            throw CheckFailure("a stored record: expected at least 15 bytes, got \(bytes.count).")
        }
        self.bytes = bytes
    }

    /// The format version, in the first byte.
    package var version: UInt8 {
        get { bytes[0] }
        set { bytes[0] = newValue }
    }

    private var flags: UInt8 { bytes[1] }

    /// Where the body of a node begins.
    private var bodyStart: Int {
        var offset = 10
        func passNumber() {
            while offset < bytes.count, bytes[offset] >= 0x80 { offset += 1 }
            offset += 1
        }
        func passText() { offset += 1 + Int(offset < bytes.count ? bytes[offset] : 0) }
        passNumber()
        offset += 4
        if flags & 0x04 != 0 { passNumber() }
        if flags & 0x20 != 0 {
            offset += 8
        } else if flags & 0x01 == 0 {
            passText()
            passText()
        }
        if flags & 0x10 != 0 {
            let start = offset
            passNumber()
            offset += bytes.indices.contains(start) ? number(at: start) : 0
        }
        return min(offset, bytes.count)
    }

    /// The number of seven bits a byte at `offset`, the low ones first.
    private func number(at offset: Int) -> Int {
        let digits = bytes[offset...].prefix(4)
        let end = digits.firstIndex { $0 < 0x80 } ?? digits.endIndex - 1
        return digits[...end].reversed().reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }

    /// A node's CBOR: the values of its fields, without their names where these are in a shape.
    package var body: [UInt8] {
        get { Array(bytes[bodyStart...]) }
        set { bytes.replaceSubrange(bodyStart..., with: newValue) }
    }

    /// A store's own record of `version`, with other content than that of version 1.
    package static func state(version: UInt8) -> [UInt8] {
        let content = [version] + (0..<40).map { UInt8($0) }
        let sum = unsafe content.withUnsafeBytes { unsafe hash64($0, seed: 1) }
        return content + (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 * 8)) }
    }

    /// Computes the checksum again, for a record that is written under `key`.
    package mutating func seal(under key: [UInt8]) {
        let head = UInt64(bytes[0]) | UInt64(bytes[1]) << 8
        let seed = unsafe key.withUnsafeBytes { unsafe hash64($0, seed: head &* 0x9E37_79B9_7F4A_7C15) }
        let sum = unsafe bytes[10...].withUnsafeBytes { unsafe hash64($0, seed: seed) }
        for index in 0..<8 { bytes[2 + index] = UInt8(truncatingIfNeeded: sum >> UInt64(index * 8)) }
    }
}
