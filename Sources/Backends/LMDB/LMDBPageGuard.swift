import CLMDB
import GroveCache
import GroveModel
import Synchronization

/// Tells a record that the commit holds from an older one that a damaged pointer led to.
///
/// A record lies on a page of the records that the commit uses, and behind the page's own free room; or, a large one,
/// at the beginning of pages of its own. Everything else is a copy of the past. See ``LMDBFreeList``.
///
/// It reads the headers of pages as LMDB 0.9 writes them: a page's number (8 bytes), 2 that are of no use here, its kind
/// (2), the end of its pointers (2) and the beginning of its records (2). Under another version it lets everything pass.
struct LMDBPageGuard: Sendable {
    private static let knowsPages: Bool = {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        _ = unsafe mdb_version(&major, &minor, &patch)
        return major == 0 && minor == 9
    }()

    private static let headerBytes: UInt = 16
    private static let nodeBytes: UInt = 8
    private static let leaf: UInt16 = 0x02
    private static let overflow: UInt16 = 0x04

    let free: LMDBFreePages
    private let pageBytes: UInt
    /// Where in memory pages are that were committed: elsewhere lie those that a writer has changed.
    private let start: UInt
    private let count: UInt

    init(_ free: LMDBFreePages, pageBytes: Int, start: UInt = 0, count: UInt = .max) {
        self.free = free
        self.pageBytes = UInt(pageBytes)
        self.start = start
        self.count = Self.knowsPages ? count : 0
    }

    /// Whether it is known where the map is.
    var hasMap: Bool { count > 0 }

    /// Whether `address` lies on a page that was committed.
    func isCommitted(_ address: UInt) -> Bool { address &- start < count }

    /// Throws where `value`, found under a key of `keyCount` bytes as it is stored, is not the commit's.
    ///
    /// - Complexity: O(1).
    /// - Throws: ``CacheError`` with code `corrupted`.
    @inline(__always)
    func check(_ value: MDB_val, keyCount: Int) throws(CacheError) {
        guard unsafe isCurrent(UInt(bitPattern: value.mv_data), UInt(keyCount)) else { throw .stalePage }
    }

    /// Whether `value`, found under a key of `keyCount` bytes as it is stored, is the commit's.
    @inline(__always)
    func holds(_ value: MDB_val, keyCount: Int) -> Bool {
        unsafe isCurrent(UInt(bitPattern: value.mv_data), UInt(keyCount))
    }

    @inline(__always)
    private func isCurrent(_ value: UInt, _ keyCount: UInt) -> Bool {
        guard isCommitted(value) else { return true }
        let mask = pageBytes - 1
        if value & mask == Self.headerBytes {
            // No record of a page of records begins here: its header and its key would not fit in front.
            return isPage(value & ~mask, Self.overflow, recordAt: .max)
        }
        let record = value &- keyCount &- Self.nodeBytes
        return isPage(record & ~mask, Self.leaf, recordAt: record & mask)
    }

    /// Whether a page that the commit uses is at `address`, of the `kind`, with its free room before `recordAt`.
    @inline(__always)
    private func isPage(_ address: UInt, _ kind: UInt16, recordAt: UInt) -> Bool {
        guard let page = unsafe UnsafeRawPointer(bitPattern: address) else { return false }
        guard unsafe page.load(fromByteOffset: 10, as: UInt16.self) & kind != 0 else { return false }
        guard kind == Self.overflow || recordAt >= UInt(unsafe page.load(fromByteOffset: 14, as: UInt16.self)) else {
            return false
        }
        return !free.contains(unsafe page.load(as: UInt.self))
    }
}

extension LMDBEnvironment {
    /// What tells the records of the commit that `transaction`, a reader, sees.
    func pageGuard(reading transaction: OpaquePointer) throws(CacheError) -> LMDBPageGuard {
        LMDBPageGuard(unsafe try freeList.pages(transaction, self), pageBytes: pageSize)
    }

    /// What tells the records of the commit that `transaction`, a writer, began with.
    func pageGuard(writing transaction: OpaquePointer?) throws(CacheError) -> LMDBPageGuard {
        let commit = unsafe UInt(mdb_txn_id(transaction)) &- 1
        var start = mapStart.load(ordering: .relaxed)
        var free = freeList.known(commit)
        if free == nil || start == 0 {
            // Nobody else commits meanwhile.
            var begun: OpaquePointer?
            try unsafe Self.check(mdb_txn_begin(pointer, nil, UInt32(MDB_RDONLY), &begun), "begin a view")
            defer { unsafe mdb_txn_abort(begun) }
            guard let begun = unsafe begun else { throw CacheError(.other, "LMDB began no transaction") }
            free = unsafe try freeList.pages(begun, self)
            start = try unsafe findMap(begun)
            mapStart.store(start, ordering: .relaxed)
        }
        return LMDBPageGuard(
            free ?? LMDBFreePages(), pageBytes: pageSize, start: start, count: start == 0 ? 0 : UInt(try mapBytes()))
    }

    /// Where the map begins in memory, told by the addresses of two pages and their numbers; 0 where they disagree.
    private func findMap(_ transaction: OpaquePointer) throws(CacheError) -> UInt {
        var cursor: OpaquePointer?
        try unsafe Self.check(mdb_cursor_open(transaction, database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var starts: [UInt] = []
        for place in [MDB_FIRST, MDB_LAST] {
            try unsafe Self.check(mdb_cursor_get(cursor, &key, &value, place), "read a record")
            let address = unsafe UInt(bitPattern: key.mv_data) & ~UInt(pageSize - 1)
            guard let page = unsafe UnsafeRawPointer(bitPattern: address) else { return 0 }
            let number = unsafe page.load(as: UInt.self)
            starts.append(address &- number &* UInt(pageSize))
        }
        return starts[0] == starts[1] ? starts[0] : 0
    }

    /// Forgets where the map is: it was made anew.
    func forgetMap() { mapStart.store(0, ordering: .relaxed) }

    /// The last page of the commit numbered `commit`, where it is the newest; else the greatest number.
    func lastPage(of commit: UInt) throws(CacheError) -> UInt {
        var info = unsafe MDB_envinfo()
        try unsafe Self.check(mdb_env_info(pointer, &info), "read the environment's state")
        return unsafe UInt(info.me_last_txnid) == commit ? UInt(info.me_last_pgno) : .max
    }
}

extension CacheError {
    /// What a record reports that lies where the commit has none.
    static var stalePage: CacheError {
        CacheError(.corrupted, "a damaged pointer leads to a page that was replaced")
    }
}
