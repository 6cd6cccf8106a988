import GroveCoding
import GroveModel

/// The envelope of a stored record, read and checked.
///
/// `Docs/RecordFormat.md` draws it byte by byte.
@safe
struct RecordHeader {
    /// The format that this version writes; records of a later one, which ``Swift/FixedWidthInteger/isVersion``, are refused
    /// and left alone.
    static let formatVersion: UInt8 = 1
    static let fixedBytes = 24
    /// Where the time lies.
    static let timeOffset = 20

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// The record says that the node was deleted; it has no body.
        static let tombstone = Flags(rawValue: 1 << 0)
        /// The body holds references to other nodes.
        static let references = Flags(rawValue: 1 << 1)
        /// The node was deleted at ``RecordHeader/deletion`` and written again later.
        static let deletion = Flags(rawValue: 1 << 2)
        /// The node may have been deleted at ``RecordHeader/deletion`` or before: nobody remembers.
        static let deletionUncertain = Flags(rawValue: 1 << 3)
        /// Several projections wrote the record; a table says which fields are whose.
        static let projections = Flags(rawValue: 1 << 4)
        /// The table also says which of a projection's values another one has written over.
        static let replaced = Flags(rawValue: 1 << 5)
        /// Several calls put the elements there, or an earlier one; a table says which: ``ReferenceRuns``.
        static let runs = Flags(rawValue: 1 << 6)
        /// The elements of the collection are in chunks; the body says in which: ``CollectionHead``.
        static let chunks = Flags(rawValue: 1 << 7)
        static let known: Flags = [
            .tombstone, .references, .deletion, .deletionUncertain, .projections, .replaced, .runs, .chunks,
        ]
        /// Those that only collections have.
        static let ofCollections: Flags = [.runs, .chunks]
    }

    enum Failure: Error {
        case corrupted
        case unsupportedFormat
    }

    let flags: Flags
    /// The number of the write that this record stands for.
    let sequence: UInt64
    /// When the content was last confirmed, in seconds since 1970; 0 where that is not known.
    ///
    /// Where several projections wrote the record, each has a time of its own in the table.
    let time: UInt32
    /// The number of the last deletion that this record follows, 0 where there was none.
    let deletion: UInt64
    let recordName: UnsafeRawBufferPointer
    /// The projection that wrote the record, where it was one.
    let projection: UnsafeRawBufferPointer
    /// The table of projections, or of runs; empty where one projection or call alone wrote the record.
    let projectionTable: UnsafeRawBufferPointer
    var body: UnsafeRawBufferPointer

    /// Reads the envelope of `bytes`, stored under `key`, and checks the checksum over both.
    init(_ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) throws(Failure) {
        guard let base = bytes.baseAddress, bytes.count >= 1 else { throw .corrupted }
        let version = unsafe base.load(as: UInt8.self)
        guard version == RecordHeader.formatVersion else { throw version.isVersion ? .unsupportedFormat : .corrupted }
        guard bytes.count >= RecordHeader.fixedBytes else { throw .corrupted }
        let checksum = unsafe UInt64(littleEndian: (base + 4).loadUnaligned(as: UInt64.self))
        guard unsafe checksum == RecordHeader.checksum(bytes, key: key) else { throw .corrupted }
        flags = unsafe Flags(rawValue: base.load(fromByteOffset: 1, as: UInt8.self))
        guard flags.isSubset(of: .known) else { throw .corrupted }
        guard unsafe flags.isDisjoint(with: .ofCollections) || RecordHeader.isOfCollection(key, flags) else {
            throw .corrupted
        }
        sequence = unsafe UInt64(littleEndian: (base + 12).loadUnaligned(as: UInt64.self))
        time = unsafe UInt32(littleEndian: (base + RecordHeader.timeOffset).loadUnaligned(as: UInt32.self))
        let bodyStart = unsafe Int(UInt16(littleEndian: (base + 2).loadUnaligned(as: UInt16.self)))
        guard bodyStart <= bytes.count else { throw .corrupted }
        var offset = RecordHeader.fixedBytes
        if flags.contains(.deletion) {
            guard offset + 8 <= bodyStart else { throw .corrupted }
            deletion = unsafe UInt64(littleEndian: (base + offset).loadUnaligned(as: UInt64.self))
            offset += 8
        } else {
            deletion = 0
        }
        unsafe recordName = try unsafe RecordHeader.shortText(base, &offset, bodyStart)
        let projection = try unsafe RecordHeader.shortText(base, &offset, bodyStart)
        unsafe self.projection = unsafe projection.count == 0 ? recordName : projection
        guard offset == bodyStart || !flags.isDisjoint(with: [.projections, .runs]) else { throw .corrupted }
        unsafe projectionTable = unsafe UnsafeRawBufferPointer(start: base + offset, count: bodyStart - offset)
        unsafe body = unsafe UnsafeRawBufferPointer(start: base + bodyStart, count: bytes.count - bodyStart)
    }

    private static func shortText(
        _ base: UnsafeRawPointer, _ offset: inout Int, _ end: Int
    ) throws(Failure) -> UnsafeRawBufferPointer {
        guard offset < end else { throw .corrupted }
        let count = unsafe Int(base.load(fromByteOffset: offset, as: UInt8.self))
        guard offset + 1 + count <= end else { throw .corrupted }
        defer { offset += 1 + count }
        return unsafe UnsafeRawBufferPointer(start: base + (offset + 1), count: count)
    }

    /// Whether a record under `key` may have `flags`, of which a collection's are some.
    private static func isOfCollection(_ key: UnsafeRawBufferPointer, _ flags: Flags) -> Bool {
        guard flags.isDisjoint(with: [.tombstone, .projections]) else { return false }
        return unsafe key.first == Namespace.collection || key.first == Namespace.chunk && !flags.contains(.chunks)
    }

    /// The checksum of `record` under `key`: over the key, and over every byte but the checksum's own.
    ///
    /// A store that hands over another key's value is found out by it.
    static func checksum(_ record: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> UInt64 {
        guard let base = record.baseAddress, record.count >= fixedBytes else { return 0 }
        let head = unsafe UInt64(UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
        let seed = unsafe hash64(key, seed: head &* 0x9E37_79B9_7F4A_7C15)
        return unsafe hash64(base + 12, record.count - 12, seed: seed)
    }

    /// Whether the record's projection has the record's own name.
    @inline(__always)
    var isNamedAlike: Bool { unsafe projection.baseAddress == recordName.baseAddress }

    /// Whether some holder of sequence `holder` was written before this node was last deleted.
    @inline(__always)
    func wasDeleted(after holder: UInt64) -> Bool { deletion > holder }
}
