/// The look-up of a name in a table, which ``KeyNames`` makes of the names that it knows.
extension FieldTable {
    /// The position of `name`, or -1; the positions after `last` are tried first.
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
        let wanted = unsafe FieldTable.word(of: name)
        var position = last + 1
        var left = count
        while left > 0 {
            if position >= count { position = 0 }
            if word(position) == wanted, unsafe name.count <= 7 || isRest(of: position, name) { return position }
            position += 1
            left -= 1
        }
        return -1
    }

    /// Whether `name`, which begins as the name at `position`, is that name.
    private func isRest(of position: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        let key = unsafe key(position)
        let head = FieldTable.headLength(key.count)
        guard key.count - head == name.count, let own = key.baseAddress, let other = name.baseAddress else {
            return false
        }
        return unsafe compare(own + head, other, name.count) == 0
    }

    /// The first eight bytes of `name`'s encoding; zeros follow a shorter one.
    @inline(__always)
    private static func word(of name: UnsafeRawBufferPointer) -> UInt64 {
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
}
