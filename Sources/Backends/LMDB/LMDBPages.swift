import GroveCache
import GroveCoding
import GroveModel
import GrovePlatform

/// LMDB's file, read page by page without a map; every number in a page is checked before it is used.
///
/// LMDB does not check its pages, and a damaged one may end the process. A page has a head of 16 bytes, the places of
/// its entries, two bytes each, and the entries, as LMDB 0.9 writes them on 64 bits:
///
/// ```
///  8  the page's number    2  of no use    2  its kind    2  the end of the places    2  the beginning of the entries
///  8  the page's number    2  of no use    2  its kind    4  how many pages follow each other   (a long value)
/// ```
///
/// An entry has four bytes for a length, two for flags, two for the key's length, the key and the value. In a branch,
/// length and flags are the number of the page below. After the key of a long value comes the number of the value's
/// first page.
struct LMDBPages: ~Copyable {
    /// A damaged part of a tree: the keys between which it lies.
    typealias Damage = (after: [UInt8]?, before: [UInt8]?)

    private static let headCount = 16
    private static let (branch, leaf, long): (UInt16, UInt16, UInt16) = (0x01, 0x02, 0x04)
    private static let isLongValue: UInt16 = 0x01

    private let file: Int32
    private let meta: LMDBMeta
    private let pageSize: Int

    /// Opens the file in `directory`; `nil` if there is none, or its first pages are not valid.
    init?(_ directory: String) {
        self.init(unsafe open(directory + "/" + LMDBFiles.names[0], O_RDONLY | O_CLOEXEC))
    }

    /// Reads the first pages of `file`, which it owns; `nil` if `file` is not open, or they are not valid.
    private init?(_ file: Int32) {
        self.file = file
        guard file >= 0 else { return nil }
        guard let meta = LMDBMeta(newestOf: file) else {
            _ = close(file)
            return nil
        }
        self.meta = meta
        pageSize = Int(meta.pageSize)
    }

    deinit { _ = close(file) }

    /// Runs `body` while no process of Grove writes to the file.
    func whileNoneWrites<Value>(
        within patience: Duration, _ body: (borrowing LMDBPages) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        try LMDBWriterLock.lock(file, within: patience)
        defer { LMDBWriterLock.unlock(file) }
        // The first pages are read again.
        guard let pages = LMDBPages(dup(file)) else {
            throw CacheError(.corrupted, "the store's file is damaged at its beginning")
        }
        return try body(pages)
    }

    /// Whether every page of the records and of the lists of free pages is valid.
    ///
    /// - Complexity: O(*pages*); each page is read at most once, and only the first page of a long value.
    func isWhole() -> Bool {
        var isWhole = true
        var free = Walk(isOfNumbers: true, readsValues: true, left: meta.lastPage)
        try? unsafe walk(
            meta.free, &free,
            { (key, list) throws(CacheError) in
                if unsafe key.count != 8 || !isFreeList(list) { isWhole = false }
            }, { _ in isWhole = false })
        var records = Walk(isOfNumbers: false, readsValues: false, left: meta.lastPage)
        try? unsafe walk(meta.records, &records, { (_, _) throws(CacheError) in }, { _ in isWhole = false })
        return isWhole
    }

    /// Whether `list` is a valid list of free pages: their count, and their numbers.
    private func isFreeList(_ list: UnsafeRawBufferPointer) -> Bool {
        func number(_ index: Int) -> UInt64 { unsafe list.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
        guard list.count >= 8, number(0) < UInt64(list.count / 8) else { return false }
        return (0..<Int(number(0))).allSatisfy { number($0 + 1) <= meta.lastPage }
    }

    /// Visits the readable records whose stored keys begin with `prefix`, in order.
    func forEachRecord(
        prefix: [UInt8],
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void,
        damage: (Damage) -> Void
    ) throws(CacheError) {
        var walk = Walk(isOfNumbers: false, readsValues: true, prefix: prefix, left: meta.lastPage)
        try unsafe self.walk(meta.records, &walk, visit, damage)
    }

    private struct Walk {
        /// Whether keys are numbers of commits, whose bytes have no order.
        let isOfNumbers: Bool
        let readsValues: Bool
        /// The prefix of the keys whose records are visited.
        var prefix: [UInt8] = []
        /// The number of pages that a tree can still have; it bounds the walk if damage makes a page appear twice.
        var left: UInt64
        /// The last key that was read.
        var last: [UInt8]?

        /// Whether keys from `first` on, up to `end`, may begin with ``prefix``.
        func mayMeet(from first: [UInt8], before end: [UInt8]?) -> Bool {
            guard !isOfNumbers, !prefix.isEmpty else { return true }
            return (first.starts(with: prefix) || first.lexicographicallyPrecedes(prefix))
                && end.map { prefix.lexicographicallyPrecedes($0) } ?? true
        }
    }

    private typealias Visit = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Void

    private func walk(
        _ tree: LMDBMeta.Tree, _ walk: inout Walk, _ visit: Visit, _ damage: (Damage) -> Void
    ) throws(CacheError) {
        guard tree.root != .max else { return }
        // With 64 bits, no tree is deeper.
        guard (1...32).contains(tree.depth) else { return damage((nil, nil)) }
        try unsafe self.walk(tree.root, Int(tree.depth), before: nil, &walk, visit, damage)
    }

    /// Visits the records below page `number`, whose tree has `depth` levels and only keys before `end`.
    private func walk(
        _ number: UInt64, _ depth: Int, before end: [UInt8]?, _ walk: inout Walk, _ visit: Visit,
        _ damage: (Damage) -> Void
    ) throws(CacheError) {
        guard walk.left > 0, let page = Page(self, number, depth == 1 ? Self.leaf : Self.branch) else {
            return damage((walk.last, end))
        }
        walk.left -= 1
        for index in 0..<page.count {
            guard depth == 1 else {
                let next = index + 1 < page.count ? page.entry(index + 1).key : end
                guard walk.mayMeet(from: index == 0 ? [] : page.entry(index).key, before: next) else { continue }
                try unsafe self.walk(page.entry(index).child, depth - 1, before: next, &walk, visit, damage)
                continue
            }
            let entry = page.entry(index)
            let isInOrder =
                walk.isOfNumbers
                || (walk.last.map { $0.lexicographicallyPrecedes(entry.key) } ?? true)
                    && (end.map { entry.key.lexicographicallyPrecedes($0) } ?? true)
            if isInOrder, !entry.key.starts(with: walk.prefix) {
                walk.last = entry.key
                continue
            }
            guard isInOrder, let value = value(of: entry, in: page, reads: walk.readsValues) else {
                damage((walk.last, isInOrder ? entry.key : end))
                continue
            }
            walk.last = entry.key
            if walk.readsValues {
                try unsafe entry.key.withUnsafeBytesTyped { (key) throws(CacheError) in
                    try unsafe value.withUnsafeBytesTyped { (value) throws(CacheError) in try unsafe visit(key, value) }
                }
            }
        }
    }

    /// The value of `entry`, or an empty array if `reads` is false; `nil` if it is damaged.
    private func value(of entry: Entry, in page: Page, reads: Bool) -> [UInt8]? {
        switch entry.flags {
        case 0: return reads ? Array(page.bytes[entry.valueStart..<entry.valueStart + entry.length]) : []
        case Self.isLongValue:
            let first = page.number(at: entry.valueStart, UInt64.self)
            var head = [UInt8](repeating: 0, count: Self.headCount)
            guard first > 1, first <= meta.lastPage, read(&head, at: Int(first) * pageSize) else { return nil }
            let (number, kind, count) = unsafe head.withUnsafeBytes {
                unsafe (
                    $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                    $0.loadUnaligned(fromByteOffset: 10, as: UInt16.self),
                    $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
                )
            }
            guard number == first, kind & 0x2F == Self.long, UInt64(count) <= meta.lastPage - first + 1,
                Self.headCount + entry.length <= Int(count) * pageSize
            else { return nil }
            guard reads else { return [] }
            var value = [UInt8](repeating: 0, count: entry.length)
            return read(&value, at: Int(first) * pageSize + Self.headCount) ? value : nil
        default: return nil
        }
    }

    private func read(_ bytes: inout [UInt8], at place: Int) -> Bool {
        unsafe bytes.isEmpty || pread(file, &bytes, bytes.count, off_t(place)) == bytes.count
    }

    /// An entry of a page that was checked.
    private struct Entry {
        let key: [UInt8]
        let flags: UInt16
        /// The value's length, or the lower half of the child page's number.
        let length: Int
        let valueStart: Int

        /// The number of the child page.
        var child: UInt64 { UInt64(length) | UInt64(flags) << 32 }
    }

    /// A page of a tree whose entries lie inside it.
    private struct Page {
        let bytes: [UInt8]
        let count: Int

        /// Reads page `number` of `kind`; `nil` if it is another page, of another kind, or damaged.
        init?(_ pages: borrowing LMDBPages, _ number: UInt64, _ kind: UInt16) {
            guard number > 1, number <= pages.meta.lastPage else { return nil }
            var bytes = [UInt8](repeating: 0, count: pages.pageSize)
            guard pages.read(&bytes, at: Int(number) * pages.pageSize) else { return nil }
            self.bytes = bytes
            let (lower, upper) = (Int(Page.number(bytes, 12, UInt16.self)), Int(Page.number(bytes, 14, UInt16.self)))
            count = (lower - LMDBPages.headCount) / 2
            guard Page.number(bytes, 0, UInt64.self) == number, Page.number(bytes, 10, UInt16.self) & 0x2F == kind,
                lower > LMDBPages.headCount, lower % 2 == 0, lower <= upper, upper <= bytes.count
            else { return nil }
            for index in 0..<count {
                let place = Int(Page.number(bytes, LMDBPages.headCount + 2 * index, UInt16.self))
                guard place >= upper, place + 8 <= bytes.count else { return nil }
                let entry = self.entry(index)
                guard entry.valueStart <= bytes.count else { return nil }
                guard kind == LMDBPages.leaf else { continue }
                let count = entry.flags & LMDBPages.isLongValue == 0 ? entry.length : 8
                guard entry.valueStart + count <= bytes.count else { return nil }
            }
        }

        /// The entry at `index`; its key is cut at the page's end.
        func entry(_ index: Int) -> Entry {
            let place = Int(number(at: LMDBPages.headCount + 2 * index, UInt16.self))
            let keyStart = place + 8
            let keyCount = Int(number(at: place + 6, UInt16.self))
            return Entry(
                key: Array(bytes[keyStart..<min(keyStart + keyCount, bytes.count)]),
                flags: number(at: place + 4, UInt16.self), length: Int(number(at: place, UInt32.self)),
                valueStart: keyStart + keyCount)
        }

        func number<Number: FixedWidthInteger>(at place: Int, _ type: Number.Type) -> Number {
            Page.number(bytes, place, type)
        }

        private static func number<Number: FixedWidthInteger>(
            _ bytes: [UInt8], _ place: Int, _ type: Number.Type
        ) -> Number {
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: type) }
        }
    }
}
