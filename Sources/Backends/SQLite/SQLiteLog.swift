import GroveCache
import GroveCoding
import GroveModel
import GrovePlatform

/// The log beside a main file, which is checked before SQLite applies it to the main file.
///
/// SQLite starts the log over only after it has copied all of it into the main file, and copies nothing else there. So
/// the main file has at least the commit before the log's first, and none after its last. Otherwise one of the two
/// files was replaced alone. Every commit of a cache changes the store's own record, so that the log holds its page.
///
/// The format is that of https://sqlite.org/fileformat2.html#walformat. A process that is killed may have written the
/// head of a frame but not its page. The page is then that of an earlier frame, and the checksum does not match.
struct SQLiteLog: ~Copyable {
    private static let (headCount, frameHeadCount, pageCount) = (32, 24, 4_096)

    private let file: Int32
    private let head: [UInt8]

    /// Opens the log in `files`; `nil` if there is none, or it is empty.
    private init?(_ files: StoreFiles) {
        file = unsafe open(files.path(of: SQLiteFiles.log), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        guard let head = SQLiteLog.read(file, Self.headCount, at: 0) else {
            _ = close(file)
            return nil
        }
        self.head = head
    }

    deinit { _ = close(file) }

    /// Damage if the main file and the log in `files` are not of one moment.
    ///
    /// - Complexity: O(*n*) for a log of *n* pages, and nothing for one that is empty, as it is after `close()`.
    static func mix(in files: StoreFiles) -> CacheError? {
        // The main file is read before the log: a live process may add commits meanwhile, and copy them. If it starts
        // the log over, the head changes.
        guard let log = SQLiteLog(files), let main = mainCommit(files), let (first, last) = log.commits(),
            read(log.file, headCount, at: 0) == log.head, !main.isBase(ofCommits: first, through: last)
        else { return nil }
        return CacheError(
            .corrupted,
            "\(SQLiteFiles.database) and \(SQLiteFiles.log) in \(files.path) are not of one moment: one of them was replaced alone, "
                + "as by a backup that was restored in part. See Copies and backups in Grove's documentation.")
    }

    /// The first and the last commit whose version of the store's own record is in the log.
    private borrowing func commits() -> (first: StoredCommit, last: StoredCommit)? {
        let hash = unsafe StoredCommit.key.withUnsafeBytes { unsafe SQLiteLookup.hash($0, mask: .max) }
        let mark = (0..<4).map { UInt8(truncatingIfNeeded: hash >> (24 - 8 * $0)) } + StoredCommit.key
        var found: (first: StoredCommit, last: StoredCommit)?
        var last: StoredCommit?
        var place = Self.headCount
        var checksum = SQLiteLogChecksum(ofLog: head)
        // Frames from before the log started over have other salts.
        while let frame = SQLiteLog.read(file, Self.frameHeadCount + Self.pageCount, at: place),
            frame[8..<16].elementsEqual(head[16..<24]), checksum.goesOn(with: frame)
        {
            place += frame.count
            last = unsafe frame.withUnsafeBytes { unsafe Self.commit(in: $0, behind: mark) } ?? last
            // Only the last frame of a commit has the size of the database; without it, there was no commit.
            let isLast = frame[4..<8].contains { $0 != 0 }
            if isLast, let last { found = (found?.first ?? last, last) }
        }
        return found
    }

    /// The commit that a page holds: the value of the row whose hash and key are `mark`.
    private static func commit(in page: UnsafeRawBufferPointer, behind mark: [UInt8]) -> StoredCommit? {
        var rest = unsafe page
        while let base = rest.baseAddress, let found = unsafe memchr(base, Int32(mark[0]), rest.count) {
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(found) - base)...])
            if unsafe rest.starts(with: mark),
                let commit = unsafe StoredCommit(startOf: UnsafeRawBufferPointer(rebasing: rest[mark.count...]))
            {
                return commit
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[1...])
        }
        return nil
    }

    /// The last commit of the main file without the log.
    ///
    /// If the log was copied in part, the main file's pages are of several commits, so that a failure proves nothing.
    private static func mainCommit(_ files: StoreFiles) -> StoredCommit? {
        guard
            let connection = try? SQLiteConnection(files, SQLiteOptions(mapSize: 0), isReader: true, ignoresLog: true),
            var lookup = try? SQLiteLookup(connection, hashMask: .max, isReader: true)
        else { return nil }
        return unsafe StoredCommit.key.withUnsafeBytes { key in
            unsafe (try? lookup.find(key)).flatMap { unsafe StoredCommit(startOf: $0.value) }
        }
    }

    private static func read(_ file: Int32, _ count: Int, at place: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe pread(file, &bytes, count, off_t(place)) == count ? bytes : nil
    }
}

/// The checksum of a log's frames: each frame holds that of all frames up to itself.
private struct SQLiteLogChecksum {
    private var sums: (UInt32, UInt32)
    /// Whether the log's words are summed with their first byte as the highest; the heads' words are always stored so.
    private let isBigEndian: Bool

    /// The checksum of the log's own head.
    init(ofLog head: [UInt8]) {
        isBigEndian = head[3] & 1 == 1
        sums = Self.words(head[24..<32])
    }

    /// Adds `frame`; returns whether the frame holds the same checksum.
    mutating func goesOn(with frame: [UInt8]) -> Bool {
        let (said, isBigEndian) = (Self.words(frame[16..<24]), isBigEndian)
        unsafe frame.withUnsafeBytes { bytes in
            func word(_ place: Int) -> UInt32 {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
            }
            // The page's number and the size of the database, then the page.
            for part in [0..<8, 24..<bytes.count] {
                for place in stride(from: part.lowerBound, to: part.upperBound, by: 8) {
                    sums.0 &+= word(place) &+ sums.1
                    sums.1 &+= word(place + 4) &+ sums.0
                }
            }
        }
        return sums == said
    }

    private static func words(_ bytes: ArraySlice<UInt8>) -> (UInt32, UInt32) {
        (bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }, bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }
}
