import GroveCoding
package import GroveModel

/// A record by its bytes, as `Docs/RecordFormat` draws them: read and sealed here independently of the cache.
package struct StoredRecord {
    /// The first byte of the store's key of a node.
    package static let nodes: UInt8 = 0x01
    /// The first byte of the store's key of a collection.
    package static let collections: UInt8 = 0x02
    /// The first byte of the store's key of an alias.
    package static let aliases: UInt8 = 0x03

    /// The first byte of the store's key of a chunk of a collection.
    package static let chunks: UInt8 = 0x07

    /// The key under which the store keeps the node of `identifier`.
    package static func key(_ identifier: ModelIdentifier) -> [UInt8] { [nodes] + Array(identifier.rawValue.utf8) }

    /// The whole record.
    package private(set) var bytes: [UInt8]

    package init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 24 else {
            throw CheckFailure("a stored record: expected at least 24 bytes, got \(bytes.count).")
        }
        self.bytes = bytes
    }

    /// The format version, in the first byte.
    package var version: UInt8 {
        get { bytes[0] }
        set { bytes[0] = newValue }
    }

    private var bodyStart: Int { min(Int(bytes[2]) | Int(bytes[3]) << 8, bytes.count) }

    /// The record's CBOR.
    package var body: [UInt8] {
        get { Array(bytes[bodyStart...]) }
        set { bytes.replaceSubrange(bodyStart..., with: newValue) }
    }

    /// Computes the checksum anew, as of a record that was written under `key`.
    package mutating func seal(under key: [UInt8]) {
        let head = UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
        let seed = unsafe key.withUnsafeBytes { unsafe hash64($0, seed: head &* 0x9E37_79B9_7F4A_7C15) }
        let sum = unsafe bytes[12...].withUnsafeBytes { unsafe hash64($0, seed: seed) }
        for index in 0..<8 { bytes[4 + index] = UInt8(truncatingIfNeeded: sum >> UInt64(index * 8)) }
    }
}
