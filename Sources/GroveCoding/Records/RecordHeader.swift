public import GroveModel

/// The envelope of a stored record, read and checked.
///
/// `Docs/Internals/RecordFormat.md` draws it byte by byte.
@safe @usableFromInline
package struct RecordHeader {
    /// The format that this version writes; whole records of a later one are refused and left alone.
    @inlinable package static var formatVersion: UInt8 { 1 }
    /// The bytes before the number of the write.
    @inlinable package static var headBytes: Int { 10 }
    /// The least bytes of an envelope: the head, a number of one byte, and the time.
    @inlinable package static var leastBytes: Int { headBytes + 5 }

    @usableFromInline
    package struct Flags: OptionSet {
        @usableFromInline package let rawValue: UInt8

        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The record says that the node was deleted; it has no body.
        @inlinable package static var tombstone: Flags { Flags(rawValue: 1 << 0) }
        /// The body holds references to other nodes.
        @inlinable package static var references: Flags { Flags(rawValue: 1 << 1) }
        /// The node was deleted at ``RecordHeader/deletion`` and written again later.
        @inlinable package static var deletion: Flags { Flags(rawValue: 1 << 2) }
        /// The node may have been deleted at ``RecordHeader/deletion`` or before: no record says whether it was.
        @inlinable package static var deletionUncertain: Flags { Flags(rawValue: 1 << 3) }
        /// Several projections wrote the record; a table has the fields of each.
        @inlinable package static var projections: Flags { Flags(rawValue: 1 << 4) }
        /// The names are not in the record but in a ``RecordShape``: the record has the shape's hash, and its body is
        /// values.
        @inlinable package static var shape: Flags { Flags(rawValue: 1 << 5) }
        /// Several calls put the elements there, or an earlier one; a table has their numbers: ``ReferenceRuns``.
        @inlinable package static var runs: Flags { Flags(rawValue: 1 << 6) }
        /// The elements of the collection are in chunks, which the body names: ``CollectionHead``.
        @inlinable package static var chunks: Flags { Flags(rawValue: 1 << 7) }
        package static var known: Flags {
            [.tombstone, .references, .deletion, .deletionUncertain, .projections, .shape, .runs, .chunks]
        }
        /// The flags that only collections have.
        @inlinable package static var ofCollections: Flags { [.runs, .chunks] }
        /// The flags with which the envelope has a table.
        @inlinable package static var withTable: Flags { [.projections, .runs] }

        /// Whether a record under `key` has a record name and a projection: a node that was not deleted, and has no
        /// shape.
        package func haveNames(under key: UnsafeRawBufferPointer) -> Bool {
            unsafe isDisjoint(with: [.tombstone, .shape]) && key.first == Namespace.node
        }
    }

    @usableFromInline
    package enum Failure: Error {
        case corrupted
        case unsupportedFormat
    }

    @usableFromInline package let flags: Flags
    /// The number of the write that this record stands for.
    @usableFromInline package let sequence: CallNumber
    /// The time at which the content was last confirmed, in seconds since 1970; 0 if that is not known.
    ///
    /// If several projections wrote the record, each has a time of its own in the table.
    package let time: UInt32
    /// The number of the last deletion that this record follows, 0 if there was none.
    package let deletion: CallNumber
    /// The hash of the record's shape, if it has one.
    @usableFromInline package let shapeHash: UInt64
    /// The record's shape, once it was found; the table in which it was found keeps it.
    @usableFromInline package internal(set) var foundShape: Unmanaged<RecordShape>?
    @inlinable
    package var shape: RecordShape? { unsafe foundShape?.takeUnretainedValue() }
    /// The record name; empty if the record has a shape that was not found.
    @usableFromInline package internal(set) var recordName: UnsafeRawBufferPointer
    /// The projection that wrote the record, if it was one; empty if the shape was not found.
    @usableFromInline package internal(set) var projection: UnsafeRawBufferPointer
    /// The table of projections, or of runs; empty if one projection or call alone wrote the record.
    @usableFromInline package let projectionTable: UnsafeRawBufferPointer
    package var body: UnsafeRawBufferPointer

    /// Reads the envelope of `bytes`, stored under `key`, and checks the checksum over both.
    package init(_ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) throws(Failure) {
        guard let base = bytes.baseAddress, bytes.count >= RecordHeader.headBytes else { throw .corrupted }
        // The head is the same in every version, so that a damaged version number is not taken for a later version's.
        let checksum = unsafe UInt64(littleEndian: (base + 2).loadUnaligned(as: UInt64.self))
        guard unsafe checksum == RecordHeader.checksum(bytes, key: key) else { throw .corrupted }
        guard unsafe base.load(as: UInt8.self) == RecordHeader.formatVersion else { throw .unsupportedFormat }
        guard bytes.count >= RecordHeader.leastBytes else { throw .corrupted }
        flags = unsafe Flags(rawValue: base.load(fromByteOffset: 1, as: UInt8.self))
        guard flags.isSubset(of: .known) else { throw .corrupted }
        guard unsafe flags.isDisjoint(with: .ofCollections) || RecordHeader.isOfCollection(key, flags) else {
            throw .corrupted
        }
        var reader = unsafe EnvelopeReader(from: base + RecordHeader.headBytes, to: base + bytes.count)
        sequence = try reader.number()
        time = try reader.time()
        deletion = flags.contains(.deletion) ? try reader.number() : .zero
        if flags.contains(.shape) {
            guard unsafe key.first == Namespace.node, flags.isDisjoint(with: [.tombstone, .projections]) else {
                throw .corrupted
            }
            shapeHash = try unsafe reader.bytes(8).loadUnaligned(as: UInt64.self).littleEndian
        } else {
            shapeHash = 0
        }
        if unsafe flags.haveNames(under: key) {
            unsafe recordName = try unsafe reader.shortText()
            let projection = try unsafe reader.shortText()
            unsafe self.projection = unsafe projection.count == 0 ? recordName : projection
        } else {
            unsafe recordName = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            unsafe projection = unsafe recordName
        }
        unsafe projectionTable =
            flags.isDisjoint(with: .withTable)
            ? UnsafeRawBufferPointer(start: nil, count: 0) : try unsafe reader.bytes(reader.integer())
        unsafe body = unsafe reader.rest
    }

    /// Finds the record's shape among `shapes`; false if it has one that is not there.
    @inlinable @inline(__always)
    package mutating func findShape(_ shapes: ShapeTable) -> Bool {
        guard flags.contains(.shape) else { return true }
        guard let shape = unsafe shapes.find(shapeHash) else { return false }
        unsafe foundShape = unsafe shape
        unsafe (recordName, projection) = unsafe shape._withUnsafeGuaranteedRef {
            unsafe ($0.recordName, $0.projection)
        }
        return true
    }

    /// The hash of the shape of `stored`, a node's record that may be damaged; `nil` if it has none.
    package static func shapeHash(of stored: UnsafeRawBufferPointer) -> UInt64? {
        guard stored.count > leastBytes, unsafe stored[0] == formatVersion,
            unsafe Flags(rawValue: stored[1]).contains(.shape)
        else { return nil }
        var reader = unsafe EnvelopeReader(UnsafeRawBufferPointer(rebasing: stored[headBytes...]))
        do throws(Failure) {
            _ = try reader.number()
            _ = try reader.time()
            if unsafe Flags(rawValue: stored[1]).contains(.deletion) { _ = try reader.number() }
            return try unsafe reader.bytes(8).loadUnaligned(as: UInt64.self).littleEndian
        } catch {
            return nil
        }
    }

    /// The number of the body's fields.
    package var fieldCount: Int { unsafe shape?.count ?? RecordBody.fieldCount(body) }

    /// Whether a record under `key` may have `flags`, some of which only collections have.
    private static func isOfCollection(_ key: UnsafeRawBufferPointer, _ flags: Flags) -> Bool {
        guard flags.isDisjoint(with: [.tombstone, .projections]) else { return false }
        return unsafe key.first == Namespace.collection || key.first == Namespace.chunk && !flags.contains(.chunks)
    }

    /// The checksum of `record` under `key`: over the key, and over every byte but the checksum's own.
    ///
    /// By it a value that a store returns for another key is noticed.
    package static func checksum(_ record: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> UInt64 {
        guard let base = record.baseAddress, record.count >= headBytes else { return 0 }
        let head = unsafe UInt64(UInt16(littleEndian: base.loadUnaligned(as: UInt16.self)))
        let seed = unsafe hash64(key, seed: head &* 0x9E37_79B9_7F4A_7C15)
        return unsafe hash64(base + headBytes, record.count - headBytes, seed: seed)
    }

    /// Whether the record's projection has the record's own name.
    @inlinable @inline(__always)
    package var isNamedAlike: Bool { unsafe projection.baseAddress == recordName.baseAddress }
}
