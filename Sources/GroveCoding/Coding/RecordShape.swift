import Synchronization

/// The common part of the records of one type, which a store keeps once: the record name, the projection, and the names
/// of the fields in their order.
///
/// A record that has a shape holds the values of its fields one after the other, and nothing else. The encoding of the
/// shape is one CBOR array of texts: record name, projection, names.
@safe
@usableFromInline
// SAFETY: nothing but an atomic is changed after `init`; the memory is freed with the object.
package final class RecordShape: @unchecked Sendable {
    /// The hash of the encoding.
    package let hash: UInt64
    @usableFromInline package let recordName: UnsafeRawBufferPointer
    @usableFromInline package let projection: UnsafeRawBufferPointer
    /// The number of fields.
    package let count: Int
    /// The encoding, to which the names above point.
    private let encoded: UnsafeMutableRawBufferPointer
    /// The position at which each name begins, and the one at which the last name ends.
    private let starts: [Int]
    /// The address of the names of the last read type with the same fields.
    private let alike = Atomic<UInt>(0)

    /// The most fields of a shape.
    package static let mostFields = 255
    /// The most bytes of a shape.
    package static let mostBytes = 2_048

    /// Reads `encoded`.
    ///
    /// - Throws: `corrupted` or `otherShape` if it is no shape: its names do not ascend, or there are too many.
    package init(_ encoded: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: encoded.count, alignment: 8)
        unsafe copy.copyMemory(from: encoded)
        do throws(NodeReadFailure) {
            let bytes = UnsafeRawBufferPointer(copy)
            guard bytes.count <= RecordShape.mostBytes else { throw .corrupted }
            var decoder = unsafe NodeDecoder(bytes, source: NoSource.shared, isStable: true)
            let count = try decoder.readArrayHead() - 2
            guard count >= 0, count <= RecordShape.mostFields else { throw .corrupted }
            unsafe recordName = try unsafe RecordShape.text(&decoder)
            let projection = try unsafe RecordShape.text(&decoder)
            unsafe self.projection = unsafe isEqual(projection, recordName) ? recordName : projection
            var starts = [unsafe bytes.count - (decoder.end - decoder.cursor)]
            unsafe decoder.lastKey = nil
            for _ in 0..<count {
                let start = unsafe decoder.cursor
                _ = try unsafe decoder.readKey()
                unsafe decoder.lastKey = unsafe start
                starts.append(unsafe bytes.count - (decoder.end - decoder.cursor))
            }
            guard decoder.isAtEnd else { throw .corrupted }
            self.starts = starts
            self.count = count
        } catch {
            unsafe copy.deallocate()
            throw error
        }
        hash = unsafe hash64(UnsafeRawBufferPointer(copy), seed: 0)
        unsafe self.encoded = unsafe copy
    }

    /// The shape of a type with `fields`; `nil` if these are not known in advance, or are too large for one.
    convenience init?(recordName: String, projection: String, fields: FieldTable) {
        guard !fields.isDynamic, fields.count <= RecordShape.mostFields else { return nil }
        var encoding = ByteBuffer(capacity: 256)
        defer { encoding.deallocate() }
        encoding.appendHead(CBORMajor.array, UInt64(fields.count + 2))
        encoding.appendText(recordName)
        encoding.appendText(projection)
        for index in 0..<fields.count { unsafe encoding.append(fields.key(index)) }
        do throws(NodeReadFailure) {
            try unsafe self.init(encoding.bytes)
        } catch {
            return nil
        }
    }

    deinit { unsafe encoded.deallocate() }

    private static func text(_ decoder: inout NodeDecoder) throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let (major, count) = try decoder.readHead()
        guard major == CBORMajor.text, count <= 255 else { throw .corrupted }
        let start = unsafe decoder.cursor
        try decoder.skip(bytes: count)
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
    }

    package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(encoded) }

    /// The length of the encoding.
    var byteCount: Int { unsafe encoded.count }

    /// The encoded name of field `index`.
    package func name(_ index: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[starts[index]..<starts[index + 1]])
    }

    /// Whether `table` has the same fields.
    func isAlike(_ table: FieldTable) -> Bool {
        if unsafe alike.load(ordering: .relaxed) == UInt(bitPattern: table.keys) { return true }
        guard table.count == count else { return false }
        for index in 0..<count where unsafe !isEqual(name(index), table.key(index)) { return false }
        unsafe alike.store(UInt(bitPattern: table.keys), ordering: .relaxed)
        return true
    }

    /// Appends the map of the fields whose values are `values`.
    ///
    /// - Throws: `corrupted` if there are more or fewer values than fields.
    package func appendMap(of values: UnsafeRawBufferPointer, to out: inout ByteBuffer) throws(NodeReadFailure) {
        out.appendHead(CBORMajor.map, UInt64(count))
        var decoder = unsafe NodeDecoder(values, source: NoSource.shared, isStable: true)
        for index in 0..<count {
            unsafe out.append(name(index))
            unsafe out.append(try decoder.readEncoded())
        }
        guard decoder.isAtEnd else { throw .corrupted }
    }

    /// The map of the fields whose values are `values`.
    ///
    /// - Throws: `corrupted` if there are more or fewer values than fields.
    package func map(of values: UnsafeRawBufferPointer) throws(NodeReadFailure) -> [UInt8] {
        var out = unsafe ByteBuffer(capacity: values.count + bytes.count)
        defer { out.deallocate() }
        try unsafe appendMap(of: values, to: &out)
        return unsafe Array(out.bytes)
    }

    /// Whether the map in `body` has the same names; if so, its values are appended to `values`.
    package func appendValues(of body: UnsafeRawBufferPointer, to values: inout ByteBuffer) -> Bool {
        var decoder = unsafe NodeDecoder(body, source: NoSource.shared, isStable: true)
        guard let count = try? decoder.readMapHead(), count == self.count else { return false }
        let end = unsafe decoder.end
        // The room is for all values, and for the bytes that a copy of sixteen writes after the last.
        values.reserve(body.count + 16)
        for index in 0..<count {
            let name = unsafe name(index)
            guard unsafe end - decoder.cursor >= name.count,
                unsafe isEqual(UnsafeRawBufferPointer(start: decoder.cursor, count: name.count), name)
            else { return false }
            let start = unsafe decoder.cursor + name.count
            unsafe decoder.cursor = unsafe start
            guard (try? decoder.skip()) != nil else { return false }
            let length = unsafe decoder.cursor - start
            if length <= 16, unsafe end - start >= 16 {
                unsafe values.appendShort(start, length)
            } else {
                unsafe values.append(UnsafeRawBufferPointer(start: start, count: length))
            }
        }
        return decoder.isAtEnd
    }

    /// Splits the map in `body`: appends the encoding of its shape to `shape`, and its values to `values`.
    ///
    /// - Returns: false if it is too large for a shape, or is no map.
    package static func split(
        _ body: UnsafeRawBufferPointer, recordName: UnsafeRawBufferPointer, projection: UnsafeRawBufferPointer,
        shape: inout ByteBuffer, values: inout ByteBuffer
    ) -> Bool {
        var decoder = unsafe NodeDecoder(body, source: NoSource.shared, isStable: true)
        guard let count = try? decoder.readMapHead(), count <= mostFields, recordName.count <= 255,
            projection.count <= 255
        else { return false }
        shape.appendHead(CBORMajor.array, UInt64(count + 2))
        shape.appendHead(CBORMajor.text, UInt64(recordName.count))
        unsafe shape.append(recordName)
        shape.appendHead(CBORMajor.text, UInt64(projection.count))
        unsafe shape.append(projection)
        for _ in 0..<count {
            guard let name = unsafe try? decoder.readEncoded(), unsafe name.first.map({ $0 >> 5 == 3 }) ?? false,
                let value = unsafe try? decoder.readEncoded()
            else { return false }
            unsafe shape.append(name)
            unsafe values.append(value)
            guard shape.count <= mostBytes else { return false }
        }
        return decoder.isAtEnd
    }
}

/// The source of the names of a map's fields: the record, or a ``RecordShape``.
@usableFromInline
enum FieldNaming: UInt8 {
    /// Each value follows its name.
    case inRecord
    /// The values have no names; the next map that is begun is of the shape.
    case awaited
    /// The values have no names, and they are those of the reading type's fields.
    case alike
    /// The values have no names, and the reading type has other fields.
    case other
}
