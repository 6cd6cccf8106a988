import GroveCoding
package import GroveModel

/// Bytes that are kept under names beside the models: no budget evicts them, no change set names them, a wipe removes
/// them.
extension CacheTransaction {
    /// Keeps `bytes` under `name`; `nil` removes them.
    package func keep(_ bytes: [UInt8]?, as name: String) throws(CacheError) {
        guard let bytes else {
            _ = try _perform(.standard) { () throws(CacheError) in
                _WriteContent(extras: [.remove(Namespace.kept, name)])
            }
            return
        }
        _ = try _perform(.standard) { () throws(CacheError) in
            _WriteContent(extras: [.kept(key: Array(name.utf8), body: KeptBytes.encoded(bytes))])
        }
    }
}

extension CacheReader where Self: ~Copyable {
    /// The bytes that are kept under `name`; `nil` if there are none.
    package func kept(_ name: String) throws(CacheError) -> [UInt8]? {
        let begun = try _beginTree("what is kept", maxAge: nil)
        defer { _endTree(begun, "what is kept", .again) }
        return try begun.reader.value(Namespace.kept, ModelIdentifier(name)).flatMap {
            unsafe KeptBytes.decoded(Array($0.body))
        }
    }

    /// All kept names and bytes, in the order of the names' bytes; `bytes` is `nil` if a record is damaged.
    ///
    /// O(*n*) for *n* kept names.
    package func allKept() throws(CacheError) -> [(name: String, bytes: [UInt8]?)] {
        let begun = try _beginTree("what is kept", maxAge: nil)
        defer { _endTree(begun, "what is kept", .again) }
        return try begun.reader.allKept()
    }
}

extension Reconstructor {
    func allKept() throws(CacheError) -> [(name: String, bytes: [UInt8]?)] {
        var found: [(name: String, bytes: [UInt8]?)] = []
        guard let view = unsafe state.pointee.basis.view else { return [] }
        try unsafe [Namespace.kept].withUnsafeBytesTyped { (prefix) throws(CacheError) in
            try unsafe view.scan(prefix: prefix) { key, value in
                let name = unsafe String(decoding: key.dropFirst(), as: UTF8.self)
                let header = try? unsafe RecordHeader(value, key: key)
                let bytes = header.flatMap { unsafe KeptBytes.decoded(Array($0.body)) }
                found.append((name, bytes))
                return true
            }
        }
        return found
    }
}

/// Bytes as a CBOR byte string, so that every record's body is CBOR.
enum KeptBytes {
    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt32(truncatingIfNeeded: bytes.count)
        return [0x5A] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) } + bytes
    }

    static func decoded(_ body: [UInt8]) -> [UInt8]? {
        guard body.count >= 5, body[0] == 0x5A else { return nil }
        let count = body[1..<5].reduce(0) { $0 << 8 | Int($1) }
        return body.count == 5 + count ? Array(body[5...]) : nil
    }
}
