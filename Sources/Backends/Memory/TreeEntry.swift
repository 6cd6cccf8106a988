/// One key and its value in one immutable allocation: a header, the key's bytes, the value's bytes.
// SAFETY: the bytes are written before the entry is returned from `make` and only read afterwards. They do not move, so a
// pointer to them is valid while the entry is.
@safe final class TreeEntry: ManagedBuffer<TreeEntry.Header, UInt8> {
    /// What stands before the bytes.
    struct Header {
        let keyCount: UInt32
        let valueCount: UInt32
    }

    /// Copies `key` and `value`, each of less than 4 GB, into a new entry.
    static func make(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> TreeEntry {
        let buffer = create(minimumCapacity: key.count + value.count) { _ in
            Header(keyCount: UInt32(key.count), valueCount: UInt32(value.count))
        }
        unsafe buffer.withUnsafeMutablePointerToElements { bytes in
            let all = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: key.count + value.count)
            unsafe all.copyMemory(from: key)
            unsafe UnsafeMutableRawBufferPointer(rebasing: all[key.count...]).copyMemory(from: value)
        }
        return unsafe unsafeDowncast(buffer, to: TreeEntry.self)
    }

    /// The key, valid while the entry is.
    var key: KeyBytes {
        unsafe withUnsafeMutablePointers { header, bytes in
            unsafe KeyBytes(UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.keyCount)))
        }
    }

    /// The value's bytes, valid while the entry is and never with a null base.
    var value: UnsafeRawBufferPointer {
        unsafe withUnsafeMutablePointers { header, bytes in
            unsafe UnsafeRawBufferPointer(
                start: bytes + Int(header.pointee.keyCount), count: Int(header.pointee.valueCount))
        }
    }

    /// Bytes of key and value together.
    var payloadBytes: Int { Int(header.keyCount) + Int(header.valueCount) }
}
