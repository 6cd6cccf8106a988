import GroveCoding
import GroveModel

/// Puts a record together: envelope, body, checksum.
enum RecordBuilder {
    /// Appends a record to `out`, which the caller has emptied.
    ///
    /// - Throws: ``CacheError`` with code `unencodable` where a name is longer than 255 bytes or the table of
    ///   projections is too large.
    static func build(
        into out: inout ByteBuffer, key: UnsafeRawBufferPointer, flags: RecordHeader.Flags, sequence: UInt64,
        time: UInt32, deletion: Deletion, recordName: UnsafeRawBufferPointer, projection: UnsafeRawBufferPointer,
        projectionTable: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0),
        body: UnsafeRawBufferPointer
    ) throws(CacheError) {
        var flags = flags
        if deletion.sequence > 0 {
            flags.insert(.deletion)
            if deletion.isUncertain { flags.insert(.deletionUncertain) }
        }
        // Where the body starts, and the checksum, follow when they are known.
        out.append(littleEndian: UInt32(flags.rawValue) << 8 | UInt32(RecordHeader.formatVersion))
        out.append(littleEndian: UInt64(0))
        out.append(littleEndian: sequence)
        out.append(littleEndian: time)
        if deletion.sequence > 0 { out.append(littleEndian: deletion.sequence) }
        guard recordName.count <= 255, projection.count <= 255 else {
            let name = unsafe String(
                decoding: (recordName.count > 255 ? recordName : projection).prefix(32), as: UTF8.self)
            throw CacheError(
                .unencodable,
                "A record name and a projection name have at most 255 bytes; \(name.debugDescription)… is longer.")
        }
        out.append(UInt8(recordName.count))
        unsafe out.append(recordName)
        if unsafe isEqual(recordName, projection) {
            out.append(0)
        } else {
            out.append(UInt8(projection.count))
            unsafe out.append(projection)
        }
        unsafe out.append(projectionTable)
        guard let bodyStart = UInt16(exactly: out.count) else {
            throw CacheError(
                .unencodable,
                "The projections that wrote the record take more than 64 KB; delete the model first, or share projection "
                    + "names.")
        }
        out.replace(at: 2, littleEndian: bodyStart)
        unsafe out.append(body)
        unsafe out.replace(at: 4, littleEndian: RecordHeader.checksum(out.bytes, key: key))
    }

    /// A deletion that a record follows.
    struct Deletion {
        var sequence: UInt64 = 0
        /// Whether there may have been none: what remembered it was evicted or damaged.
        var isUncertain = false
        static let none = Deletion()
    }
}
