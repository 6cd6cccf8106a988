/// The names of a type's stored fields, encoded once, in the order of the records.
///
/// A record's body is a CBOR map whose keys are in the bytewise order of their encodings (RFC 8949 §4.2.1). So shorter
/// names come first, and names of the same length are ordered by their bytes. Encoding writes the fields in this order
/// and never sorts; decoding walks the stored map and the table side by side.
///
/// A table lives as long as the process: keep it in a `static let`.
///
/// ```swift
/// static let fields = FieldTable("id", "name", "online")
/// ```
///
/// If a field had other names before, list them: it is read under them from records that lack the new name:
///
/// ```swift
/// static let fields = FieldTable("id", "title", was: ["title": ["headline"]])
/// ```
@safe
public struct FieldTable: Sendable {
    // SAFETY: the memory is written once, below, before the table is handed out, and is never freed or changed.
    @usableFromInline nonisolated(unsafe) let keys: UnsafeRawPointer
    @usableFromInline nonisolated(unsafe) let names: UnsafePointer<Name>

    /// One encoded name: its place in ``keys``, its first eight bytes, padded with zeros, and a mask of the bytes that
    /// count.
    ///
    /// An old name has the index of its field instead of those bytes.
    @usableFromInline
    struct Name {
        var start: Int32
        @usableFromInline var count: Int32
        @usableFromInline var word: UInt64
        @usableFromInline var mask: UInt64
    }

    /// The number of fields.
    @_documentation(visibility: internal)
    public let count: Int

    /// The number of old names behind the fields' own names: 0 in most tables, and -1 in ``dynamic``.
    ///
    /// One number for both, because a decoder copies its table for every map.
    @usableFromInline let oldCount: Int32

    @usableFromInline package var isDynamic: Bool {
        @inline(__always) get { oldCount < 0 }
    }

    /// Makes a table of `names`, which must be distinct and in the order above.
    ///
    /// Names in a wrong order trap with a message that gives the right order.
    ///
    /// - Parameter oldNames: for a field's name, the names that it had before, the latest first. They are read and
    ///   never written. The initialiser traps if an old name is the name of a field, or belongs to two fields.
    public init(_ names: String..., was oldNames: [String: [String]] = [:]) { self.init(names: names, was: oldNames) }

    /// Makes a table of `names`, as ``init(_:was:)`` does.
    public init(names: [String], was oldNames: [String: [String]] = [:]) {
        let sorted = FieldTable.sorted(names)
        precondition(
            zip(names, sorted).allSatisfy { $0.utf8.elementsEqual($1.utf8) },
            "a field table stands in RFC 8949 order: \(sorted.map(\.debugDescription).joined(separator: ", "))")
        let old = names.indices.flatMap { index in (oldNames[names[index]] ?? []).map { (index, $0) } }
        FieldTable.check(names, oldNames)
        var buffer = ByteBuffer(capacity: 16 * (names.count + old.count))
        let table = UnsafeMutablePointer<Name>.allocate(capacity: max(names.count + old.count, 1))
        for (index, name) in names.enumerated() {
            let start = buffer.count
            buffer.appendText(name)
            precondition(
                index == 0 || !name.utf8.elementsEqual(names[index - 1].utf8), "a field's name stands once: \(name)")
            precondition(buffer.count - start < 1 << 16, "a field's name is at most 64 KB long")
            var word = Name(start: Int32(start), count: Int32(buffer.count - start), word: 0, mask: 0)
            for place in start..<min(buffer.count, start + 8) {
                let shift = UInt64((place - start) * 8)
                word.word |= unsafe UInt64(buffer.bytes[place]) << shift
                word.mask |= 0xFF << shift
            }
            unsafe (table + index).initialize(to: word)
        }
        for (place, (field, name)) in old.enumerated() {
            let start = buffer.count
            buffer.appendText(name)
            unsafe (table + names.count + place).initialize(
                to: Name(
                    start: Int32(start), count: Int32(buffer.count - start), word: UInt64(field), mask: 0))
        }
        // Short names are written sixteen bytes at a time.
        for _ in 0..<FieldTable.padding { buffer.append(0) }
        unsafe keys = unsafe UnsafeRawPointer(buffer.base)
        unsafe self.names = unsafe UnsafePointer(table)
        count = names.count
        oldCount = Int32(old.count)
    }

    private static func check(_ names: [String], _ oldNames: [String: [String]]) {
        var seen = Set(names)
        for (name, old) in oldNames {
            precondition(names.contains(name), "an old name belongs to a field of the table: \(name) is none")
            for name in old {
                precondition(seen.insert(name).inserted, "an old name stands once, and no field has it: \(name)")
            }
        }
    }

    /// `names` in the order of a table and of a record.
    public static func sorted(_ names: [String]) -> [String] { names.sorted(by: precedes) }

    /// Whether `left` stands before `right`: the shorter first, then by bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.count != right.utf8.count
            ? left.utf8.count < right.utf8.count : left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// The encoded name of field `index`.
    @inline(__always)
    package func key(_ index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "a field's index lies inside its table")
        let name = unsafe names[index]
        return unsafe UnsafeRawBufferPointer(start: keys + Int(name.start), count: Int(name.count))
    }

    /// The encoded old name at `place`, or `nil` if it is not one of field `index`.
    func oldKey(_ place: Int, of index: Int) -> UnsafeRawBufferPointer? {
        precondition(place >= 0 && place < Int(oldCount), "an old name's place lies inside its table")
        let name = unsafe names[count + place]
        guard name.word == UInt64(index) else { return nil }
        return unsafe UnsafeRawBufferPointer(start: keys + Int(name.start), count: Int(name.count))
    }

    /// The number of bytes that may be read after the last name.
    static let padding = 16

    /// The length of field `index`'s encoded name if that name is at `cursor`, otherwise 0.
    @inlinable
    @inline(__always)
    func match(_ index: Int, at cursor: UnsafeRawPointer, end: UnsafeRawPointer) -> Int {
        precondition(index >= 0 && index < count, "a field's index lies inside its table")
        guard unsafe end - cursor >= 8 else { return unsafe matchSlowly(index, at: cursor, end: end) }
        let stored = unsafe UInt64(littleEndian: cursor.loadUnaligned(as: UInt64.self))
        let name = unsafe names + index
        guard unsafe (stored ^ name.pointee.word) & name.pointee.mask == 0 else { return 0 }
        let length = unsafe Int(name.pointee.count)
        return unsafe length <= 8 ? length : matchSlowly(index, at: cursor, end: end)
    }

    @usableFromInline
    @inline(never)
    func matchSlowly(_ index: Int, at cursor: UnsafeRawPointer, end: UnsafeRawPointer) -> Int {
        let key = unsafe key(index)
        return unsafe isPrefix(key, cursor, end) ? key.count : 0
    }

    private func isPrefix(_ key: UnsafeRawBufferPointer, _ cursor: UnsafeRawPointer, _ end: UnsafeRawPointer) -> Bool {
        guard unsafe end - cursor >= key.count, let base = key.baseAddress else { return false }
        return unsafe compare(cursor, base, key.count) == 0
    }

    /// The name of field `index`.
    package func name(_ index: Int) -> String {
        let key = unsafe key(index)
        let head = FieldTable.headLength(key.count)
        return unsafe String(decoding: UnsafeRawBufferPointer(rebasing: key[head...]), as: UTF8.self)
    }

    /// The length of the head of a text whose encoding has `count` bytes, at most 64 KB.
    static func headLength(_ count: Int) -> Int { count <= 24 ? 1 : count <= 257 ? 2 : 3 }

    /// The first eight bytes of field `index`'s encoded name; zeros follow a shorter one.
    @inline(__always)
    func word(_ index: Int) -> UInt64 {
        precondition(index >= 0 && index < count, "a field's index lies inside its table")
        return unsafe names[index].word
    }

    /// The table of a type whose fields are not known in advance: it writes and reads its map by itself.
    @_documentation(visibility: internal)
    public static var dynamic: FieldTable { FieldTable() }

    /// A table without names, whose memory is never read; it uses no global, which would be looked up at each use.
    @inlinable
    @inline(__always)
    init() {
        unsafe keys = unsafe FieldTable.nowhere
        unsafe names = unsafe UnsafePointer(FieldTable.nowhere.assumingMemoryBound(to: Name.self))
        count = 0
        oldCount = -1
    }

    /// An address that is never read.
    @inlinable
    @inline(__always)
    static var nowhere: UnsafeRawPointer {
        // SAFETY: 16 is not null.
        unsafe UnsafeRawPointer(bitPattern: 16).unsafelyUnwrapped
    }
}
