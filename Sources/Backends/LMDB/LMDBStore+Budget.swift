import CLMDB
import GroveCache
public import GroveModel
import GrovePlatform
import Synchronization

/// A budget under LMDB: the map is as large as the file may become, and records fill a part of its pages.
///
/// LMDB writes to new pages. It reuses old ones once the commit after next is done and no view sees them. So a part of
/// the map stays free for new pages: once a transaction reaches the map's end, not even a removal is possible.
extension LMDBStore {
    /// The bytes for the lock file, with some to spare for the file system.
    static let besideMap = 64 << 10

    /// The least pages of a map; a smaller one has no room to write beside the records.
    static let fewestPages = 128

    /// Keeps the file within `bytes` less those of the lock file.
    ///
    /// Opens the environment again unless it was opened with this budget.
    ///
    /// - Returns: the bytes that records may take, 64 % of the map: pages are three quarters full, and a ninth of them
    ///   is kept free to write in.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int {
        guard let map = Self.map(within: bytes) else {
            throw CacheError(.unsupported, "the budget leaves \(bytes) bytes to LMDB, which cannot work in so few")
        }
        try pool.limit(to: map)
        let pages = try pool.withEnvironment { (environment) throws(CacheError) in try environment.pages().map }
        pageLimit.store(pages / 100 * (pages > 4_000 ? 89 : 84), ordering: .relaxed)
        return map / 100 * 64
    }

    /// The size of the map if the files may take `bytes`; `nil` if that is too little.
    static func map(within bytes: Int) -> Int? {
        let page = LMDBEnvironment.systemPage
        let map = (bytes - besideMap) / page * page
        return map >= fewestPages * page ? map : nil
    }

    /// Fills sparse pages, as many as ``makeRoom(for:)`` has found room for, if records use more than three quarters of
    /// their part of the pages.
    func refill(_ transaction: LMDBTransaction) throws(CacheError) {
        let pages = refillPages.exchange(0, ordering: .relaxed)
        let limit = pageLimit.load(ordering: .relaxed)
        guard pages > 0, try transaction.environment.usedPages() > limit / 4 * 3 else { return }
        let next = try transaction.refill(from: refillStart.withLock { $0 }, pages: pages)
        refillStart.withLock { $0 = next }
    }

    /// The milliseconds that a write waits for views: a long read takes as much, and a view that is open for longer is
    /// a mistake.
    private static var patience: Int { 2_000 }

    /// Whether enough pages are free for a transaction of that many records.
    ///
    /// Each record costs the page to which it is written, and the page of a record that is evicted for it; branch pages
    /// come on top. If there is room, sparse pages are refilled too, with up to eight times as many bytes: each page of
    /// records takes three at the most.
    public func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool {
        let (entries, bytes) = (load.entries, load.bytes)
        let (used, page, pages) = try pool.withEnvironment { (environment) throws(CacheError) in
            (try environment.usedPages(), environment.pageBytes, try environment.pages())
        }
        // A transaction rewrites at most the present records and the new ones.
        let refill = min(8 + bytes * 8 / page, pageLimit.load(ordering: .relaxed) / 16, 100)
        let writing = min(entries * 2, used) + bytes * 2 / page + 24
        let needed = writing + refill
        // While enough pages were never used, neither the views nor the list of free pages matter.
        if pages.map - pages.last - 1 >= writing + 3 * refill {
            refillPages.store(refill, ordering: .relaxed)
            return true
        }
        for attempt in 0..<Self.patience {
            let free = try pool.withEnvironment { (environment) throws(CacheError) in try environment.freePages() }
            if free.now >= needed {
                refillPages.store(min(refill, (free.now - writing) / 3), ordering: .relaxed)
                return true
            }
            if attempt == 0 { pool.releaseResting() }
            // Pages that views hold are free as soon as these end, and reads are short. Any other lack of pages needs
            // eviction.
            guard free.later >= needed, load.waitsForViews else { return false }
            usleep(1_000)
        }
        throw CacheError(
            .full, "A view that stays open, here or in another process, keeps pages that were freed; end it.")
    }

    /// The payload at which the records would fill their part of the pages, at the present density.
    public func payloadLimit(holding payload: Int) -> Int {
        let limit = pageLimit.load(ordering: .relaxed)
        guard limit < .max,
            let used = try? pool.withEnvironment({ (environment) throws(CacheError) in try environment.usedPages() }),
            used > limit / 2
        else { return .max }
        return payload / used * limit + payload % used * limit / used
    }

    /// The bytes that the files take; no record is read for it.
    public func bytesOnDisk() throws(CacheError) -> Int { try directory.allocatedBytes() }
}

extension LMDBEnvironment {
    /// The number of pages of records.
    func usedPages() throws(CacheError) -> Int {
        let statistics = try statistics()
        return Int(statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages)
    }

    /// The number of pages that a transaction can take: those after the last one, and those in the list of free ones.
    ///
    /// - Returns: the number that it can take now, and the number once all open views have ended.
    func freePages() throws(CacheError) -> (now: Int, later: Int) {
        let oldest = oldestView()
        let (map, last) = try pages()
        var now = map - last - 1
        var held = 0
        var begun: OpaquePointer?
        try unsafe Self.check(mdb_txn_begin(pointer, nil, UInt32(MDB_RDONLY), &begun), "begin a view")
        defer { unsafe mdb_txn_abort(begun) }
        let newest = unsafe mdb_txn_id(begun)
        var cursor: OpaquePointer?
        // 0 is LMDB's database of free pages: the key is a transaction's number, and the value the count of pages and
        // their numbers.
        try unsafe Self.check(mdb_cursor_open(begun, 0, &cursor), "read the list of free pages")
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        while unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
            guard let number = unsafe key.mv_data, let count = unsafe value.mv_data, unsafe value.mv_size >= 8 else {
                break
            }
            let freed = unsafe number.loadUnaligned(as: UInt.self)
            let pages = unsafe Int(count.loadUnaligned(as: UInt.self))
            // The pages that the last two commits freed wait for the next commit, even if no view is open.
            guard freed + 1 < UInt(newest) else { break }
            if freed < oldest { now += pages } else { held += pages }
        }
        return (now, now + held)
    }

    /// The number of the oldest commit that a view in any process sees; the greatest number if there is none.
    private func oldestView() -> UInt {
        var oldest = UInt.max
        unsafe withUnsafeMutablePointer(to: &oldest) { oldest in
            // There is a line for each reader: its process, its thread, and the commit that it sees or a dash.
            _ = unsafe mdb_reader_list(
                pointer,
                { line, context in
                    guard let line = unsafe line, let context = unsafe context,
                        let number = unsafe LMDBEnvironment.commit(ofReader: line)
                    else { return 0 }
                    let oldest = unsafe context.assumingMemoryBound(to: UInt.self)
                    unsafe oldest.pointee = unsafe min(oldest.pointee, number)
                    return 0
                }, oldest)
        }
        return oldest
    }

    /// The last word of a line of the list of readers, if that is a number.
    static func commit(ofReader line: UnsafePointer<CChar>) -> UInt? {
        var number: UInt?
        var (isWord, place) = (false, unsafe line)
        while unsafe place.pointee != 0, unsafe place.pointee != 10 {
            let byte = unsafe UInt8(bitPattern: place.pointee)
            let digit = UInt(byte &- 48)
            if byte != 32 { number = digit > 9 ? nil : isWord ? number.map { $0 &* 10 &+ digit } : digit }
            isWord = byte != 32
            unsafe place += 1
        }
        return number
    }
}
