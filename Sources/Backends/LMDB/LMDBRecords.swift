import CLMDB
import GroveCache
import GroveCoding
import GroveModel

/// Reading through one transaction, be it a view's or a writer's: what both share.
///
/// It borrows the transaction and the scratch memory; whoever owns them outlives it.
@safe struct LMDBRecords {
    let transaction: OpaquePointer
    let environment: LMDBEnvironment
    let scratch: LMDBScratch
    let guarding: LMDBPageGuard

    /// Where a long key is stored, or where it would go.
    @safe enum Place {
        /// The cursor stands on its record.
        case found(UnsafeRawBufferPointer)
        /// It is not there, and this slot of its hash is free.
        case free(UInt16)
    }

    /// The value under a key longer than LMDB takes.
    ///
    /// - Complexity: O(log *n*), and linear in the number of keys that share its beginning and 64-bit hash.
    func long(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        guard key.count <= LMDBKey.limit else { return nil }
        let cursor = try unsafe openCursor()
        defer { unsafe mdb_cursor_close(cursor) }
        guard case .found(let value) = try unsafe locate(key, cursor) else { return nil }
        return unsafe value
    }

    /// Finds the long `key` with `cursor`; leaves its stored form, with the slot in question, in the scratch memory.
    func locate(_ key: UnsafeRawBufferPointer, _ cursor: OpaquePointer) throws(CacheError) -> Place {
        let wanted = unsafe scratch.key
        unsafe LMDBKey.encode(key, hash: hash64(key, seed: 0) & environment.hashMask, into: wanted)
        let stem = unsafe UnsafeRawBufferPointer(rebasing: wanted.prefix(LMDBKey.stemCount))
        var storedKey = unsafe MDB_val(mv_size: wanted.count, mv_data: wanted.baseAddress)
        var stored = unsafe MDB_val()
        var free = 0
        var hasGap = false
        var status = unsafe mdb_cursor_get(cursor, &storedKey, &stored, MDB_SET_RANGE)
        while status == MDB_SUCCESS {
            let bytes = unsafe UnsafeRawBufferPointer(storedKey)
            guard bytes.count == LMDBKey.longCount, unsafe bytes.begins(with: stem) else { break }
            try unsafe guarding.check(stored, keyCount: bytes.count)
            let slot = unsafe LMDBKey.slot(of: bytes)
            guard let record = unsafe LMDBKey.split(UnsafeRawBufferPointer(stored)) else { throw .damagedRecord }
            if unsafe isEqual(record.key, key) {
                unsafe LMDBKey.setSlot(slot, in: wanted)
                return unsafe .found(record.value)
            }
            if !hasGap {
                if Int(slot) == free { free += 1 } else { hasGap = true }
            }
            status = unsafe mdb_cursor_get(cursor, &storedKey, &stored, MDB_NEXT)
        }
        if status != MDB_SUCCESS, status != MDB_NOTFOUND { throw .lmdb(status, "read a record") }
        guard let slot = UInt16(exactly: free) else {
            throw CacheError(.full, "65,536 keys of one hash are stored; there is no slot for another")
        }
        unsafe LMDBKey.setSlot(slot, in: wanted)
        return .free(slot)
    }

    /// Opens a cursor, which the caller closes.
    func openCursor() throws(CacheError) -> OpaquePointer {
        var cursor: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_cursor_open(transaction, environment.database, &cursor), "open a cursor")
        guard let cursor = unsafe cursor else { throw CacheError(.other, "LMDB opened no cursor") }
        return unsafe cursor
    }

    /// Visits what begins with `prefix`, in the order of the original keys.
    ///
    /// - Complexity: O(log *n* + *m*) for *m* records; long keys that share their first 494 bytes are collected and
    ///   sorted first.
    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let cursor = try unsafe openCursor()
        defer { unsafe mdb_cursor_close(cursor) }
        let stem = unsafe UnsafeRawBufferPointer(rebasing: prefix.prefix(LMDBKey.shortLimit))
        var storedKey = unsafe MDB_val(
            mv_size: stem.count, mv_data: UnsafeMutableRawPointer(mutating: stem.baseAddress))
        var stored = unsafe MDB_val()
        var status = unsafe mdb_cursor_get(cursor, &storedKey, &stored, stem.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
        var run: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = unsafe []
        var runStem = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

        /// Visits the collected long keys; returns whether to go on.
        func visitRun() throws(CacheError) -> Bool {
            guard unsafe !run.isEmpty else { return true }
            unsafe run.sort { unsafe lexicographicOrder($0.key, $1.key) < 0 }
            for index in unsafe run.indices where unsafe run[index].key.begins(with: prefix) {
                guard try unsafe visit(run[index].key, run[index].value) else { return false }
            }
            unsafe run.removeAll(keepingCapacity: true)
            return true
        }

        while status == MDB_SUCCESS {
            let bytes = unsafe UnsafeRawBufferPointer(storedKey)
            guard unsafe bytes.begins(with: stem) else { break }
            try unsafe guarding.check(stored, keyCount: bytes.count)
            if bytes.count == LMDBKey.longCount {
                guard let record = unsafe LMDBKey.split(UnsafeRawBufferPointer(stored)) else { throw .damagedRecord }
                if unsafe !run.isEmpty, unsafe !bytes.begins(with: runStem), try !visitRun() { return }
                if unsafe run.isEmpty {
                    unsafe runStem = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(LMDBKey.shortLimit))
                }
                unsafe run.append(record)
            } else {
                guard try visitRun() else { return }
                if bytes.count <= LMDBKey.shortLimit, prefix.count <= LMDBKey.shortLimit || bytes.count >= prefix.count
                {
                    guard try unsafe visit(bytes, UnsafeRawBufferPointer(stored)) else { return }
                }
            }
            status = unsafe mdb_cursor_get(cursor, &storedKey, &stored, MDB_NEXT)
        }
        if status != MDB_SUCCESS, status != MDB_NOTFOUND { throw .lmdb(status, "read the next record") }
        _ = try visitRun()
    }
}

/// Memory for one stored long key, reused by every call of its view or transaction.
@safe final class LMDBScratch {
    let key = UnsafeMutableRawBufferPointer.allocate(byteCount: LMDBKey.longCount, alignment: 8)

    deinit { unsafe key.deallocate() }
}

extension UnsafeRawBufferPointer {
    /// The bytes that LMDB points at; no bytes are an empty buffer.
    init(_ bytes: MDB_val) {
        unsafe self.init(start: bytes.mv_data, count: bytes.mv_size)
    }
}

extension CacheError {
    /// What a long key's record reports that cannot be taken apart.
    static var damagedRecord: CacheError {
        CacheError(.corrupted, "the record of a long key is damaged")
    }
}
