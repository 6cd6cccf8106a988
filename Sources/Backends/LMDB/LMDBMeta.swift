import GroveCache
import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One of the two pages at the beginning of LMDB's file, of which the one with the later commit counts.
///
/// LMDB believes what they say: of a page's size that is none it makes a map that cannot be, and touching the map behind
/// the file's end would end the process. So they are looked at before LMDB does, as LMDB 0.9 writes them on 64 bits:
///
/// ```
/// 16  the head of a page                4  magic number      4  version       8  address      8  size of the map
///  4  size of a page                   44  and the rest of the table of free pages           48  the table of records
///  8  the last page                     8  the number of the commit
/// ```
struct LMDBMeta {
    private static let byteCount = 152
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let knownVersion: UInt32 = 1

    private let version: UInt32
    private let pageSize: UInt32
    private let lastPage: UInt64
    private let commit: UInt64

    /// Reads the one at `place`; `nil` where there is none.
    private init?(_ file: Int32, at place: Int) {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        guard unsafe pread(file, &bytes, Self.byteCount, off_t(place)) == Self.byteCount else { return nil }
        func number<Number: FixedWidthInteger>(at place: Int) -> Number {
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
        }
        guard number(at: 16) == Self.magic else { return nil }
        (version, pageSize) = (number(at: 20), number(at: 40))
        (lastPage, commit) = (number(at: 136), number(at: 144))
    }

    /// Checks that both agree, and that the file is as long as its pages; says nothing of a file that is not LMDB's, or of a
    /// later version's.
    ///
    /// - Throws: ``CacheError`` with code `corrupted`.
    static func check(_ directory: StoreFiles) throws(CacheError) {
        let file = unsafe open(directory.path(of: LMDBFiles.names[0]), O_RDONLY | O_CLOEXEC)
        // Opening it says what there is to say.
        guard file >= 0 else { return }
        defer { _ = close(file) }
        for attempt in 0..<3 {
            // A peer may be about to lengthen its file; see `lengthen()` of the environment.
            if attempt > 0 { usleep(10_000) }
            guard let first = LMDBMeta(file, at: 0) else { return }
            guard let second = LMDBMeta(file, at: Int(first.pageSize)), second.version == first.version else { break }
            guard first.version == knownVersion else { return }
            guard second.pageSize == first.pageSize, first.pageSize.nonzeroBitCount == 1 else { break }
            let pages = (first.commit > second.commit ? first : second).lastPage
            let length = directory.file(LMDBFiles.names[0])?.length ?? 0
            if pages < UInt64(length) / UInt64(first.pageSize) { return }
        }
        throw CacheError(.corrupted, "the store's file is damaged at its beginning, or was cut off")
    }
}
