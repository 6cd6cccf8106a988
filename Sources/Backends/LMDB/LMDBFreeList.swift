import CLMDB
import GroveCache
import GroveModel
import Synchronization

/// Which pages are free, as LMDB's own list has them, kept up to date from commit to commit.
///
/// LMDB writes a changed page to another place and leaves the old one as it is, with everything on it whole, until it is
/// used again. A damaged pointer that leads there finds an older version of a record, and no checksum tells: what does
/// is that the page is free. LMDB lists the pages that each commit freed, under the commit's number, in a database
/// beside that of the records; every page is in one of the two, or has never been used.
///
/// It takes pages from the entries with the lowest numbers, and puts what it has left under numbers up to the highest
/// of those. So entries change at the front, and new ones come at the end: only those are read again.
final class LMDBFreeList: Sendable {
    /// The pages under one number.
    fileprivate struct Entry {
        var number: UInt
        var pages: [UInt32]
    }

    fileprivate struct State {
        var free = LMDBFreePages()
        /// In the order of their numbers.
        var entries: [Entry] = []
    }

    private let state = Mutex(State())

    /// The pages that are free in the commit numbered `commit`, where they are known.
    func known(_ commit: UInt) -> LMDBFreePages? {
        state.withLock { $0.free.commit == commit ? $0.free : nil }
    }

    /// The pages that are free in the commit that `transaction`, a reader, sees.
    ///
    /// - Complexity: O(1) where it was asked for that commit before; else as LMDB's own work on its list was, from the
    ///   last newest commit that was asked for. Linear in the number of free pages at first, and for an older commit.
    /// - Throws: ``CacheError`` with code `inputOutput`, `corrupted`, `full`.
    func pages(_ transaction: OpaquePointer, _ environment: LMDBEnvironment) throws(CacheError) -> LMDBFreePages {
        let commit = unsafe UInt(mdb_txn_id(transaction))
        return try state.withLock { (state) throws(CacheError) in
            if state.free.commit == commit { return state.free }
            var cursor: OpaquePointer?
            // 0 is the database of the list.
            try unsafe LMDBEnvironment.check(mdb_cursor_open(transaction, 0, &cursor), "read the list of free pages")
            defer { unsafe mdb_cursor_close(cursor) }
            let last = try environment.lastPage(of: commit)
            let limit = UInt(try environment.mapBytes() / environment.pageSize)
            guard commit > state.free.commit else {
                var older = State()
                try unsafe older.advance(to: commit, last: last, limit: limit, cursor)
                return older.free
            }
            // Views that are open, or at rest, go on with what they were handed, which never changes.
            state.free = LMDBFreePages(state.free)
            do throws(CacheError) {
                try unsafe state.advance(to: commit, last: last, limit: limit, cursor)
            } catch {
                state = State()
                throw error
            }
            return state.free
        }
    }
}

extension LMDBFreeList.State {
    /// Takes over what changed up to `commit`.
    fileprivate mutating func advance(
        to commit: UInt, last: UInt, limit: UInt, _ cursor: OpaquePointer?
    ) throws(CacheError) {
        let former = free.commit
        // The front, until an entry that is as it was: so are those behind it.
        var front: [LMDBFreeList.Entry] = []
        var kept = entries.count
        try unsafe visit(cursor, MDB_FIRST) { (number, list) in
            if number <= former, let index = unsafe index(of: number, list, limit) {
                kept = index
                return false
            }
            unsafe front.append(LMDBFreeList.Entry(number: number, pages: pages(list, limit)))
            return true
        }
        for entry in entries[..<kept] { for page in entry.pages { free.remove(page) } }
        for entry in front { for page in entry.pages { free.insert(page) } }
        let isFrontAll = kept == entries.count
        entries.replaceSubrange(..<kept, with: front)
        if !isFrontAll {
            try unsafe visit(cursor, MDB_SET_RANGE, from: former + 1) { (number, list) in
                let entry = unsafe LMDBFreeList.Entry(number: number, pages: pages(list, limit))
                for page in entry.pages { free.insert(page) }
                entries.append(entry)
                return true
            }
        }
        free.commit = commit
        free.last = last
    }

    /// Where the entry under `number` is, if it has the pages in `list`.
    private func index(of number: UInt, _ list: UnsafeRawBufferPointer, _ limit: UInt) -> Int? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].number == number, unsafe entries[low].pages == pages(list, limit) else {
            return nil
        }
        return low
    }

    /// The pages in an entry, which has their number in front; none that no map of that size has.
    private func pages(_ list: UnsafeRawBufferPointer, _ limit: UInt) -> [UInt32] {
        guard list.count >= 8 else { return [] }
        let count = min(unsafe Int(clamping: list.loadUnaligned(as: UInt.self)), list.count / 8 - 1)
        var pages: [UInt32] = []
        pages.reserveCapacity(count)
        for index in 0..<max(count, 0) {
            let page = unsafe list.loadUnaligned(fromByteOffset: 8 * (index + 1), as: UInt.self)
            if page <= limit { pages.append(UInt32(truncatingIfNeeded: page)) }
        }
        return pages
    }

    private func visit(
        _ cursor: OpaquePointer?, _ operation: MDB_cursor_op, from first: UInt = 0,
        _ body: (UInt, UnsafeRawBufferPointer) -> Bool
    ) throws(CacheError) {
        var first = first
        var value = unsafe MDB_val()
        var operation = operation
        while true {
            var number = UInt(0)
            let status = unsafe withUnsafeMutableBytes(of: &first) { bytes in
                var key = unsafe MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
                let status = unsafe mdb_cursor_get(cursor, &key, &value, operation)
                if status == MDB_SUCCESS, unsafe key.mv_size == 8, let stored = unsafe key.mv_data {
                    number = unsafe stored.loadUnaligned(as: UInt.self)
                }
                return status
            }
            if status == MDB_NOTFOUND { return }
            try LMDBEnvironment.check(status, "read the list of free pages")
            guard unsafe body(number, UnsafeRawBufferPointer(value)) else { return }
            operation = MDB_NEXT
        }
    }
}
