import CLevelDB
import GroveModel

/// The owner of a LevelDB iterator over the entries of one state, in the order of their keys' bytes.
@safe struct LevelDBIterator: ~Copyable {
    private let iterator: OpaquePointer

    /// Begins at the first key that is not before `start`.
    init(_ handle: LevelDBHandle, options: OpaquePointer, from start: UnsafeRawBufferPointer) throws(CacheError) {
        guard let iterator = unsafe leveldb_create_iterator(handle.database, options) else {
            throw CacheError(.full, "The system has no memory for an iterator.")
        }
        unsafe self.iterator = unsafe iterator
        unsafe seek(start)
    }

    deinit { unsafe leveldb_iter_destroy(iterator) }

    /// Goes to the first key that is not before `start`.
    func seek(_ start: UnsafeRawBufferPointer) {
        if let base = start.baseAddress, start.count > 0 {
            unsafe leveldb_iter_seek(iterator, base.assumingMemoryBound(to: CChar.self), start.count)
        } else {
            unsafe leveldb_iter_seek_to_first(iterator)
        }
    }

    /// The present entry, whose bytes are valid until the iterator moves, or `nil` at the end.
    ///
    /// LevelDB skips a block that it cannot read, so that an older value of a key may come up instead of the newest.
    /// So the status is read at every entry before the entry is used.
    func entry() throws(CacheError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        var message: UnsafeMutablePointer<CChar>?
        unsafe leveldb_iter_get_error(iterator, &message)
        try unsafe LevelDBErrors.check(message, .read)
        guard unsafe leveldb_iter_valid(iterator) != 0 else { return nil }
        var keyCount = 0
        var valueCount = 0
        let key = unsafe leveldb_iter_key(iterator, &keyCount)
        let value = unsafe leveldb_iter_value(iterator, &valueCount)
        return unsafe (
            UnsafeRawBufferPointer(start: key, count: keyCount), UnsafeRawBufferPointer(start: value, count: valueCount)
        )
    }

    /// The key of the present entry, whatever the status is, or `nil` at the end.
    var key: UnsafeRawBufferPointer? {
        guard unsafe leveldb_iter_valid(iterator) != 0 else { return nil }
        var count = 0
        let key = unsafe leveldb_iter_key(iterator, &count)
        return unsafe UnsafeRawBufferPointer(start: key, count: count)
    }

    /// Goes to the next entry.
    func advance() { unsafe leveldb_iter_next(iterator) }
}
