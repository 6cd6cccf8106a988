import GroveCache
import GroveModel
import GrovePlatform

/// One of the two pages at the beginning of LMDB's file; the one with the later commit counts.
///
/// LMDB does not check them: with a wrong page size it makes an impossible map, and touching the map after the
/// file's end would end the process. So they are checked before LMDB reads them, as LMDB 0.9 writes them on 64 bits:
///
/// ```
/// 16  the head of a page                4  magic number      4  version       8  address      8  size of the map
///  4  size of a page                   44  and the rest of the tree of free pages
///  4  of no use                         2  flags              2  depth         32  counts       8  root of the records
///  8  the last page                     8  the number of the commit
/// ```
struct LMDBMeta {
    private static let byteCount = 152
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let knownVersion: UInt32 = 1
    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02

    /// A tree of pages: its root, which is `.max` if the tree is empty, and the number of its levels.
    struct Tree {
        let depth: UInt16
        let root: UInt64
    }

    private let version: UInt32
    let pageSize: UInt32
    private let flags: UInt16
    /// The tree of the free pages, by commits, and the tree of the records.
    let (free, records): (Tree, Tree)
    let lastPage: UInt64
    private let commit: UInt64

    /// Reads the page at `place`; `nil` if there is none.
    private init?(_ file: Int32, at place: Int) {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        guard unsafe pread(file, &bytes, Self.byteCount, off_t(place)) == Self.byteCount else { return nil }
        func number<Number: FixedWidthInteger>(at place: Int) -> Number {
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
        }
        guard number(at: 16) == Self.magic else { return nil }
        (version, pageSize) = (number(at: 20), number(at: 40))
        free = Tree(depth: number(at: 46), root: number(at: 80))
        (flags, records) = (number(at: 92), Tree(depth: number(at: 94), root: number(at: 128)))
        (lastPage, commit) = (number(at: 136), number(at: 144))
    }

    /// The page of the file with the later commit; `nil` if neither is valid, or if a later version wrote them.
    init?(newestOf file: Int32) {
        let sizes = LMDBMeta(file, at: 0).map { [Int($0.pageSize)] } ?? [4_096, 8_192, 16_384, 32_768, 65_536]
        let both = [LMDBMeta(file, at: 0)] + sizes.map { LMDBMeta(file, at: $0) }
        let known = both.compactMap(\.self).filter { meta in
            meta.version == Self.knownVersion && meta.pageSize.nonzeroBitCount == 1
                && (4_096...65_536).contains(meta.pageSize)
        }
        guard let newest = known.max(by: { $0.commit < $1.commit }) else { return nil }
        self = newest
    }

    /// Whether the root of the records is a page of a tree, or there is none; LMDB would fail an assertion at any other
    /// page.
    private func hasRoot(_ file: Int32) -> Bool {
        guard flags == 0 else { return false }
        let (depth, root) = (records.depth, records.root)
        guard root != .max else { return depth == 0 }
        var head: (number: UInt64, unused: UInt16, kind: UInt16, lower: UInt16, upper: UInt16) = (0, 0, 0, 0, 0)
        let place = root.multipliedReportingOverflow(by: UInt64(pageSize)).partialValue
        guard root > 1, root <= lastPage, unsafe pread(file, &head, 16, off_t(truncatingIfNeeded: place)) == 16 else {
            return false
        }
        // Places of records are before `lower`, two bytes each; a branch has at least two children.
        let (kind, fewest): (UInt16, UInt16) = depth == 1 ? (Self.leaf, 1) : (Self.branch, 2)
        return head.number == root && head.kind & (Self.leaf | Self.branch) == kind && head.lower >= 16 + 2 * fewest
            && head.lower <= head.upper && UInt32(head.upper) <= pageSize
    }

    /// Checks that both pages agree, that the file is as long as its pages, and that the root of its records is valid.
    ///
    /// A file that is not LMDB's, or that a later version wrote, is not checked.
    ///
    /// - Throws: ``CacheError`` with code `corrupted`.
    static func check(_ directory: StoreFiles) throws(CacheError) {
        let file = unsafe open(directory.path(of: LMDBFiles.names[0]), O_RDONLY | O_CLOEXEC)
        // LMDB's own opening reports the error.
        guard file >= 0 else { return }
        defer { _ = close(file) }
        // Another process that commits meanwhile changes these pages, and one that has committed may be about to
        // lengthen the file.
        for _ in 0..<10 {
            if isWhole(file, directory) { return }
            usleep(5_000)
        }
        throw CacheError(.corrupted, "the store's file is damaged at its beginning, or was cut off")
    }

    private static func isWhole(_ file: Int32, _ directory: StoreFiles) -> Bool {
        guard let first = LMDBMeta(file, at: 0) else { return true }
        guard let second = LMDBMeta(file, at: Int(first.pageSize)), second.version == first.version else {
            return false
        }
        guard first.version == knownVersion else { return true }
        guard second.pageSize == first.pageSize, first.pageSize.nonzeroBitCount == 1 else { return false }
        let (newest, older) = first.commit > second.commit ? (first, second) : (second, first)
        let length = UInt64(directory.file(LMDBFiles.names[0])?.length ?? 0)
        // The two pages are written in turn.
        return newest.commit - older.commit <= 1 && newest.lastPage < length / UInt64(first.pageSize)
            && newest.hasRoot(file)
    }
}
