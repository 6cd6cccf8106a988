package import GroveModel

/// The building of a record: envelope, body, checksum.
package enum RecordBuilder {
    /// Appends a record to `out`, which the caller has emptied.
    ///
    /// A part that is left out is empty.
    ///
    /// - Parameter shape: the hash of the shape that has the names, if `flags` have one.
    /// - Throws: ``CacheError`` with code `unencodable` if a name is longer than 255 bytes.
    package static func build(
        into out: inout ByteBuffer, key: UnsafeRawBufferPointer, flags: RecordHeader.Flags = [],
        sequence: CallNumber = .zero, time: UInt32 = 0, deletion: Deletion = .none,
        recordName: UnsafeRawBufferPointer = unsafe noBytes, projection: UnsafeRawBufferPointer = unsafe noBytes,
        projectionTable: UnsafeRawBufferPointer = unsafe noBytes, shape: UInt64 = 0,
        body: UnsafeRawBufferPointer = unsafe noBytes
    ) throws(CacheError) {
        var flags = flags
        if deletion.sequence > .zero {
            flags.insert(.deletion)
            if deletion.isUncertain { flags.insert(.deletionUncertain) }
        }
        out.append(littleEndian: UInt16(flags.rawValue) << 8 | UInt16(RecordHeader.formatVersion))
        // The checksum follows when the rest is known.
        out.append(littleEndian: UInt64(0))
        out.append(number: sequence)
        out.append(littleEndian: time)
        if deletion.sequence > .zero { out.append(number: deletion.sequence) }
        if flags.contains(.shape) { out.append(littleEndian: shape) }
        if unsafe flags.haveNames(under: key) { try unsafe append(recordName, projection, to: &out) }
        if !flags.isDisjoint(with: .withTable) {
            out.append(integer: UInt64(projectionTable.count))
            unsafe out.append(projectionTable)
        }
        unsafe out.append(body)
        unsafe out.replace(at: 2, littleEndian: RecordHeader.checksum(out.bytes, key: key))
    }

    package static var noBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: nil, count: 0) }

    private static func append(
        _ recordName: UnsafeRawBufferPointer, _ projection: UnsafeRawBufferPointer, to out: inout ByteBuffer
    ) throws(CacheError) {
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
    }

    /// A deletion that a record follows.
    package struct Deletion {
        package var sequence: CallNumber
        /// Whether there may have been none: the record that told of it was evicted or damaged.
        package var isUncertain: Bool
        package static let none = Deletion(sequence: .zero)

        package init(sequence: CallNumber, isUncertain: Bool = false) {
            (self.sequence, self.isUncertain) = (sequence, isUncertain)
        }
    }
}
