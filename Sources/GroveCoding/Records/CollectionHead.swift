package import GroveModel

/// The head of a long collection: the chunks that hold its elements, and the number in each.
///
/// The body of its record is `[list, count, chunks]`. `chunks` is a byte string with five bytes for each chunk: its
/// number, big-endian, and its count of elements. It is short because a head is read and written at every edit. An
/// entry with number 0 is a gap: an unknown number of elements that were never fetched.
package struct CollectionHead: Equatable {
    /// A chunk, by its number, and its count of elements.
    package struct Chunk: Equatable {
        package let number: ChunkNumber
        package let count: Int

        /// A gap without a length; it takes no position.
        package static var gap: Chunk { Chunk(number: .gap, count: 0) }

        package init(number: ChunkNumber, count: Int) { (self.number, self.count) = (number, count) }

        package var isGap: Bool { number == .gap }
    }

    /// A chunk of one list.
    ///
    /// An edit gives new chunks the numbers after the greatest. It orders nothing.
    package struct ChunkNumber: Hashable {
        package let rawValue: UInt32

        /// The number of a gap.
        package static var gap: ChunkNumber { ChunkNumber(rawValue: 0) }
    }

    /// The list that chunks belong to, told from any other: of another key, or set under this one before or after.
    ///
    /// It is a hash of the list's key and of the call that set the list, and orders nothing.
    package struct ListID: Hashable {
        package let rawValue: UInt64
    }

    /// The most elements in one record: a collection of more is in chunks.
    package static let mostElements = 128
    /// Neighbours that have fewer together are joined, and a collection that has fewer is in one record again.
    package static let fewElements = 64

    private static let chunkBytes = 5

    package let list: ListID
    package var chunks: [Chunk] = []

    /// The number of elements in the collection's chunks, even if these were lost.
    package var count: Int { chunks.reduce(0) { $0 + $1.count } }

    /// Whether the collection has a gap, so that its number of elements is unknown.
    package var hasGap: Bool { chunks.contains(where: \.isGap) }

    /// The head of the list that the call `sequence` makes under `key`, a store's key.
    package init(_ key: [UInt8], sequence: CallNumber) {
        list = ListID(rawValue: unsafe key.withUnsafeBytes { unsafe hash64($0, seed: sequence.rawValue) })
    }

    /// Reads the head in the record of `header`.
    ///
    /// - Throws: `corrupted` if it is not a head.
    package init(_ header: RecordHeader) throws(NodeReadFailure) {
        var decoder = unsafe NodeDecoder(header.body, source: NoSource.shared, isStable: true)
        let count: Int
        (list, count) = try CollectionHead.begin(&decoder)
        chunks = try unsafe decoder.readBytes { unsafe CollectionHead.chunks(in: $0) }
        guard self.count == count, decoder.isAtEnd, chunks.allSatisfy({ $0.isGap == ($0.count == 0) }) else {
            throw .corrupted
        }
    }

    /// The chunks in `bytes`; none if the length is not that of chunks.
    private static func chunks(in bytes: UnsafeRawBufferPointer) -> [Chunk] {
        guard bytes.count % chunkBytes == 0 else { return [] }
        return stride(from: 0, to: bytes.count, by: chunkBytes).map { offset in
            let number = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return unsafe Chunk(number: ChunkNumber(rawValue: UInt32(bigEndian: number)), count: Int(bytes[offset + 4]))
        }
    }

    private static func begin(_ decoder: inout NodeDecoder) throws(NodeReadFailure) -> (list: ListID, count: Int) {
        guard try decoder.readArrayHead() == 3 else { throw .corrupted }
        return (ListID(rawValue: try decoder.readInteger(UInt64.self)), try decoder.readInteger(Int.self))
    }

    /// The store's key of the record that names the list: without it the list of a chunk that is evicted would be
    /// unknown.
    package var nameKey: [UInt8] {
        var key = [Namespace.listName]
        for byte in 1...8 { key.append(UInt8(truncatingIfNeeded: list.rawValue >> UInt64(64 - 8 * byte))) }
        return key
    }

    /// The store's key of the record that names the list of the chunk under `key`.
    package static func nameKey(ofChunk key: [UInt8]) -> [UInt8] { [Namespace.listName] + key.dropFirst().prefix(8) }

    /// The store's key of chunk `chunk`.
    package func key(of chunk: ChunkNumber) -> [UInt8] {
        var key = [Namespace.chunk] + nameKey.dropFirst()
        for byte in 1...4 { key.append(UInt8(truncatingIfNeeded: chunk.rawValue >> UInt32(32 - 8 * byte))) }
        return key
    }

    /// The store's keys of all chunks, in order.
    package var chunkKeys: [[UInt8]] { chunks.filter { !$0.isGap }.map { key(of: $0.number) } }

    /// `count` numbers that no chunk has.
    ///
    /// - Throws: ``CacheError`` with code `tooLarge` after four billion chunks.
    package func unusedNumbers(_ count: Int) throws(CacheError) -> [ChunkNumber] {
        let last = chunks.reduce(0) { max($0, $1.number.rawValue) }
        guard count <= UInt32.max - last else {
            throw CacheError(.tooLarge, "The collection has been edited too often; write it again.")
        }
        return (0..<count).map { ChunkNumber(rawValue: last + 1 + UInt32($0)) }
    }

    /// Appends the record of the head to `out`.
    package func build(
        into out: inout ByteBuffer, key: UnsafeRawBufferPointer, sequence: CallNumber, time: UInt32
    ) throws(CacheError) {
        var body = ByteBuffer(capacity: 32 + 8 * chunks.count)
        defer { body.deallocate() }
        body.appendHead(CBORMajor.array, 3)
        body.appendHead(CBORMajor.unsigned, list.rawValue)
        body.appendHead(CBORMajor.unsigned, UInt64(count))
        body.appendHead(CBORMajor.bytes, UInt64(CollectionHead.chunkBytes * chunks.count))
        for chunk in chunks {
            body.append(bigEndian: chunk.number.rawValue)
            body.append(UInt8(truncatingIfNeeded: chunk.count))
        }
        try unsafe RecordBuilder.build(
            into: &out, key: key, flags: .chunks, sequence: sequence, time: time, body: body.bytes)
    }
}
