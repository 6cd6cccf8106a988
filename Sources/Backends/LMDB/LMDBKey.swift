import CLMDB
import GroveCoding
import GroveCache
import GroveModel

/// The form in which keys of up to 8,192 bytes are stored in an engine that takes 511.
///
/// The length of a stored key tells its kind:
///
/// | stored key                     | length  | stored value                                                          |
/// |--------------------------------|---------|-----------------------------------------------------------------------|
/// | the key itself                 | 1...494 | the value                                                             |
/// | its first 494 bytes, hash (8)  | 502     | entries: length of the key (4), of the value (4), the key, the value  |
/// | 511 bytes of 0xFF              | 511     | the stamp: "GroveLMD", layout version (4)                             |
///
/// The hash is `hash64` with seed 0. Numbers in keys are big-endian, in values little-endian. Long keys with the same
/// first 494 bytes and the same hash are entries of one record. Records sort by their first 494 bytes, the short key of
/// exactly those bytes first. Only long keys that share them all are out of order among themselves.
enum LMDBKey {
    /// The length of the longest key that is stored unchanged, and of the readable part of a longer one.
    static let shortLimit = 494

    /// The length of a stored key of long keys.
    static let longCount = shortLimit + 8

    /// The length of the stamp's key.
    static let stampCount = 511

    /// The length of the longest key.
    static let limit = 8_192

    /// The length of the numbers before an entry's key.
    static let headerCount = 8

    /// A long key, its value, and the place of the entry in a stored value.
    @safe struct Entry {
        let key: UnsafeRawBufferPointer
        let value: UnsafeRawBufferPointer
        let place: Range<Int>
    }

    /// Calls `body` with the stored form of `key`, which is valid during the call.
    @inline(__always)
    static func withStored(
        _ key: UnsafeRawBufferPointer, hashMask: UInt64, _ body: (inout MDB_val) -> Int32
    ) -> Int32 {
        guard key.count > shortLimit else {
            var stored = unsafe MDB_val(key)
            return unsafe body(&stored)
        }
        return unsafe withUnsafeTemporaryAllocation(byteCount: longCount, alignment: 8) { storage in
            let hash = unsafe hash64(key, seed: 0) & hashMask
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: key.prefix(shortLimit)))
            unsafe storage.storeBytes(of: hash.bigEndian, toByteOffset: shortLimit, as: UInt64.self)
            var stored = unsafe MDB_val(UnsafeRawBufferPointer(storage))
            return unsafe body(&stored)
        }
    }

    /// Visits the entries of a stored value until `visit` returns false.
    ///
    /// - Throws: ``CacheError`` with code `corrupted`.
    static func forEach(in stored: UnsafeRawBufferPointer, _ visit: (Entry) -> Bool) throws(CacheError) {
        var start = 0
        while start < stored.count {
            let keyStart = start + headerCount
            guard keyStart <= stored.count else { throw .damagedRecord }
            let (keyCount, valueCount) = unsafe (
                Int(UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: start, as: UInt32.self))),
                Int(UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)))
            )
            guard keyCount > shortLimit, keyCount <= limit, stored.count - keyStart >= keyCount + valueCount else {
                throw .damagedRecord
            }
            let (keyEnd, end) = (keyStart + keyCount, keyStart + keyCount + valueCount)
            let entry = unsafe Entry(
                key: UnsafeRawBufferPointer(rebasing: stored[keyStart..<keyEnd]),
                value: UnsafeRawBufferPointer(rebasing: stored[keyEnd..<end]), place: start..<end)
            guard visit(entry) else { return }
            start = end
        }
    }

    /// The entry of the long `key` in a stored value.
    static func find(_ key: UnsafeRawBufferPointer, in stored: UnsafeRawBufferPointer) throws(CacheError) -> Entry? {
        var found: Entry?
        try unsafe forEach(in: stored) { entry in
            if unsafe isEqual(entry.key, key) { found = entry }
            return found == nil
        }
        return found
    }
}

extension MDB_val {
    /// LMDB's form of `bytes`, which it only reads.
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes that LMDB points to; an empty value is an empty buffer.
    init(_ bytes: MDB_val) {
        unsafe self.init(start: bytes.mv_data, count: bytes.mv_size)
    }
}

extension CacheError {
    /// The error of a long key's record that cannot be split into entries.
    static var damagedRecord: CacheError {
        CacheError(.corrupted, "the record of a long key is damaged")
    }
}
