import GroveCache
import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One key and its value in one immutable allocation: a header, the key's bytes, the value's bytes.
// SAFETY: the bytes are written once, before a root that reaches the entry is published, and only read afterwards.
@safe struct TrieEntry: @unchecked Sendable {
    /// What stands before the bytes.
    struct Header {
        /// The version of the store whose transaction made the entry.
        let version: UInt64
        let hash: UInt64
        let keyCount: UInt32
        let valueCount: UInt32
    }

    let header: UnsafeMutablePointer<Header>

    @inline(__always)
    private var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(header + 1) }

    /// The key's bytes.
    @inline(__always)
    var key: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.keyCount)) }

    /// The value's bytes, never with a null base.
    @inline(__always)
    var value: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: bytes + Int(header.pointee.keyCount), count: Int(header.pointee.valueCount))
    }

    /// Bytes of key and value together.
    var payloadBytes: Int { unsafe Int(header.pointee.keyCount) + Int(header.pointee.valueCount) }

    @inline(__always)
    init(_ header: UnsafeMutablePointer<Header>) { unsafe self.header = unsafe header }

    /// Copies `key` and `value` into a new entry.
    ///
    /// - Throws: ``CacheError`` with code `tooLarge` past the limits of a ``MemoryStore``, or `full` where the system
    ///   gives no memory.
    static func make(
        version: UInt64, hash: UInt64, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) throws(CacheError) -> TrieEntry {
        guard value.count <= MemoryStore.profile.maxValueBytes, key.count <= MemoryStore.profile.maxValueBytes else {
            throw CacheError(.tooLarge, "The value has \(value.count) bytes; memory takes 1 GB.")
        }
        guard let block = unsafe malloc(MemoryLayout<Header>.stride + key.count + value.count) else {
            throw CacheError(.full, "The system has no memory for an entry of \(value.count) bytes.")
        }
        let header = unsafe block.bindMemory(to: Header.self, capacity: 1)
        unsafe header.initialize(
            to: Header(
                version: version, hash: hash, keyCount: UInt32(key.count), valueCount: UInt32(value.count)))
        let bytes = unsafe UnsafeMutableRawPointer(header + 1)
        if let base = key.baseAddress { unsafe bytes.copyMemory(from: base, byteCount: key.count) }
        if let base = value.baseAddress { unsafe (bytes + key.count).copyMemory(from: base, byteCount: value.count) }
        return unsafe TrieEntry(header)
    }

    /// Whether this is the entry of `key`, whose hash is `hash`.
    @inline(__always)
    func matches(_ key: UnsafeRawBufferPointer, hash: UInt64) -> Bool {
        guard unsafe header.pointee.hash == hash, unsafe Int(header.pointee.keyCount) == key.count else { return false }
        guard let base = key.baseAddress else { return true }
        return unsafe memcmp(bytes, base, key.count) == 0
    }

    /// Gives the memory back.
    func free() {
        #if canImport(Darwin)
            Darwin.free(header)
        #elseif canImport(Musl)
            Musl.free(header)
        #else
            unsafe Glibc.free(header)
        #endif
    }
}
