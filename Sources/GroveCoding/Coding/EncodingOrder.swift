package import GroveModel

/// A check that the keys of a stored map, or the elements of a set, ascend strictly, so that none occurs twice.
@safe
package struct EncodingOrder {
    private var last: UnsafeRawBufferPointer?

    package init() {}

    /// Compares the value at the decoder's cursor with the one before.
    package mutating func check(_ decoder: NodeDecoder) throws(NodeReadFailure) {
        var copy = decoder
        let key = try unsafe copy.readEncoded()
        if let last = unsafe last, unsafe lexicographicOrder(last, key) >= 0 { throw .corrupted }
        unsafe last = unsafe key
    }
}

extension NodeEncoder {
    /// Encodes `count` values separately and returns their encodings in ascending order, each with its index.
    ///
    /// - Throws: `unencodable` if two have the same encoding, such as two versions of one node: no reader could
    ///   tell them apart, and it would take the record for damaged.
    package mutating func sortedEncodings(
        count: Int, _ encode: (Int, inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) -> [(index: Int, bytes: [UInt8])] {
        var encodings: [(index: Int, bytes: [UInt8])] = []
        encodings.reserveCapacity(count)
        let start = out.count
        for index in 0..<count {
            try encode(index, &self)
            unsafe encodings.append((index, Array(out.bytes(in: start..<out.count))))
            out.truncate(to: start)
        }
        encodings.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for (left, right) in zip(encodings, encodings.dropFirst()) where left.bytes == right.bytes {
            throw CacheError(
                .unencodable,
                "Two elements of the set, or two keys of the dictionary, are different in Swift and the same once encoded; make their encodings differ."
            )
        }
        return encodings
    }

    /// Writes a value that was encoded before.
    package mutating func writeEncoded(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe out.append($0) }
    }
}
