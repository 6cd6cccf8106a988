/// Names of fields, encoded, in the order in which records hold them; see ``KeyNames``.
///
/// A table is made once and never freed, as a ``FieldTable`` is.
@safe
struct NameTable {
    /// One encoded name: where it lies in ``bytes``, its first eight bytes, zeros behind a shorter one, and which of
    /// them count.
    private struct Entry {
        var start: Int32
        var count: Int32
        var word: UInt64
        var mask: UInt64
    }

    let count: Int
    private let entries: UnsafePointer<Entry>
    private let bytes: UnsafeRawPointer

    /// No names.
    init() {
        count = 0
        unsafe entries = unsafe UnsafePointer(FieldTable.nowhere.assumingMemoryBound(to: Entry.self))
        unsafe bytes = unsafe FieldTable.nowhere
    }

    /// Makes a table of `names`, which are distinct.
    init(_ names: [String]) {
        let names = FieldTable.sorted(names)
        var buffer = ByteBuffer(capacity: 16 * names.count)
        let table = UnsafeMutablePointer<Entry>.allocate(capacity: max(names.count, 1))
        for (index, name) in names.enumerated() {
            let start = buffer.count
            buffer.appendText(name)
            var entry = Entry(start: Int32(start), count: Int32(buffer.count - start), word: 0, mask: 0)
            for place in start..<min(buffer.count, start + 8) {
                let shift = UInt64((place - start) * 8)
                entry.word |= unsafe UInt64(buffer.bytes[place]) << shift
                entry.mask |= 0xFF << shift
            }
            unsafe (table + index).initialize(to: entry)
        }
        // Short names are written sixteen bytes at a time.
        for _ in 0..<FieldTable.padding { buffer.append(0) }
        count = names.count
        unsafe entries = unsafe UnsafePointer(table)
        unsafe bytes = unsafe UnsafeRawPointer(buffer.base)
    }

    /// The encoded name at `position`; ``FieldTable/padding`` bytes may be read behind it.
    @inline(__always)
    func key(_ position: Int) -> UnsafeRawBufferPointer {
        precondition(position >= 0 && position < count, "a name's position lies inside its table")
        let entry = unsafe entries + position
        return unsafe UnsafeRawBufferPointer(
            start: bytes + Int(entry.pointee.start), count: Int(entry.pointee.count))
    }

    func name(_ position: Int) -> String {
        let key = unsafe key(position)
        return unsafe String(
            decoding: UnsafeRawBufferPointer(rebasing: key[NameTable.headLength(key.count)...]), as: UTF8.self)
    }

    /// The length of the encoded name at `position` where it stands at `cursor`, else 0.
    @inline(__always)
    func match(_ position: Int, at cursor: UnsafeRawPointer, end: UnsafeRawPointer) -> Int {
        let entry = unsafe entries + position
        guard unsafe end - cursor >= 8 else { return 0 }
        let stored = unsafe UInt64(littleEndian: cursor.loadUnaligned(as: UInt64.self))
        guard unsafe (stored ^ entry.pointee.word) & entry.pointee.mask == 0 else { return 0 }
        let length = unsafe Int(entry.pointee.count)
        if length <= 8 { return length }
        guard unsafe end - cursor >= length else { return 0 }
        let rest = unsafe bytes + Int(entry.pointee.start)
        return unsafe compare(cursor, rest, length) == 0 ? length : 0
    }

    /// The position of `name`, looked for behind `last` first, or -1.
    @inline(__always)
    func position(of name: String, after last: Int) -> Int {
        let found = unsafe name.utf8.withContiguousStorageIfAvailable { utf8 in
            unsafe position(of: UnsafeRawBufferPointer(utf8), after: last)
        }
        if let found { return found }
        var copy = name
        return copy.withUTF8 { unsafe position(of: UnsafeRawBufferPointer($0), after: last) }
    }

    @inline(__always)
    private func position(of name: UnsafeRawBufferPointer, after last: Int) -> Int {
        let word = unsafe NameTable.word(name)
        var position = last + 1
        var left = count
        while left > 0 {
            if position >= count { position = 0 }
            if unsafe entries[position].word == word,
                unsafe name.count <= 7 || isRest(of: position, name)
            {
                return position
            }
            position += 1
            left -= 1
        }
        return -1
    }

    /// Whether `name`, whose beginning is that of the name at `position`, is that name.
    private func isRest(of position: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        let key = unsafe key(position)
        let head = NameTable.headLength(key.count)
        guard key.count - head == name.count, let own = key.baseAddress, let other = name.baseAddress else {
            return false
        }
        return unsafe compare(own + head, other, name.count) == 0
    }

    /// The first eight bytes of `name`'s encoding, zeros behind a shorter one.
    @inline(__always)
    private static func word(_ name: UnsafeRawBufferPointer) -> UInt64 {
        let count = name.count
        guard count > 0, let start = name.baseAddress else { return UInt64(CBORMajor.text) }
        guard count < 24 else { return unsafe longWord(name) }
        var text: UInt64
        if count >= 8 {
            text = unsafe UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
        } else if count >= 4 {
            text = unsafe UInt64(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
            let last = unsafe UInt64(UInt32(littleEndian: (start + (count - 4)).loadUnaligned(as: UInt32.self)))
            text |= last << UInt64((count - 4) * 8)
        } else {
            text = unsafe UInt64(start.load(as: UInt8.self))
            text |= unsafe UInt64((start + count / 2).load(as: UInt8.self)) << UInt64(count / 2 * 8)
            text |= unsafe UInt64((start + (count - 1)).load(as: UInt8.self)) << UInt64((count - 1) * 8)
        }
        return text << 8 | UInt64(CBORMajor.text) | UInt64(count)
    }

    @inline(never)
    private static func longWord(_ name: UnsafeRawBufferPointer) -> UInt64 {
        var buffer = ByteBuffer(capacity: 16)
        defer { buffer.deallocate() }
        buffer.appendHead(CBORMajor.text, UInt64(name.count))
        unsafe buffer.append(UnsafeRawBufferPointer(rebasing: name.prefix(8)))
        return unsafe UInt64(littleEndian: buffer.bytes.loadUnaligned(as: UInt64.self))
    }

    /// The length of the head of a text whose encoding has `count` bytes.
    private static func headLength(_ count: Int) -> Int { count <= 24 ? 1 : count <= 257 ? 2 : 3 }
}
