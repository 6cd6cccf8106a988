import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The owner of a store's directory: it holds a lock on it, knows LevelDB's files by their names, and removes them.
///
/// The lock is `flock` on the directory itself. LevelDB's own, `fcntl` on the file `LOCK`, belongs to the process: it
/// does not keep out a second opening through another path to the same directory, and any closing of any descriptor
/// of that file lets go of it, a refused second opening's included. Hence also: nothing here opens `LOCK`.
struct LevelDBDirectory: ~Copyable {
    /// The path it was opened by.
    let path: String
    private let descriptor: Int32

    /// There while a wipe is under way: whoever opens the store next finishes it.
    private static let wipingMark = "grove-leveldb.wiping"
    /// There while it is tried whether the disk has room.
    private static let roomProbe = "grove-leveldb.room"

    /// Locks the directory at `path` and sees to it that LevelDB may open it.
    ///
    /// - Throws: ``CacheError`` with code `locked` where another handle or process holds it; `notAStore` where it is no
    ///   directory, or has files of something else and no LevelDB; `corrupted` where LevelDB's files are there without
    ///   `CURRENT`, which LevelDB would delete in favour of an empty store; `inputOutput`, `permissionDenied`.
    init(path: String) throws(CacheError) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LevelDBErrors.system(errno, "The directory cannot be opened") }
        // A file system that cannot lock (some network ones) leaves it to LevelDB's own lock.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw CacheError(.locked, "Another handle or process holds the store.", engineCode: Int(EWOULDBLOCK))
        }
        guard unsafe faccessat(descriptor, ".", W_OK, 0) == 0 else {
            throw LevelDBErrors.system(errno, "The directory cannot be written to")
        }
        if unsafe faccessat(descriptor, Self.wipingMark, F_OK, 0) == 0 { try removeContent() }
        try check()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// What a file is, by its name.
    private enum Kind {
        case current, content, trace, lock, foreign

        init(_ name: String) {
            switch name {
            case "CURRENT": self = .current
            case "LOCK": self = .lock
            case "LOG", "LOG.old", "MANIFEST-000001": self = .trace
            default:
                let parts = name.split(separator: ".", omittingEmptySubsequences: false)
                if name.hasPrefix("MANIFEST-"), name.dropFirst(9).allSatisfy(\.isNumber) {
                    self = .content
                } else if parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(\.isNumber) {
                    switch parts[1] {
                    case "ldb", "sst", "log": self = .content
                    case "dbtmp": self = .trace
                    default: self = .foreign
                    }
                } else if name.hasPrefix(".") || name.hasPrefix("grove") {
                    self = .lock
                } else {
                    self = .foreign
                }
            }
        }
    }

    private func check() throws(CacheError) {
        var hasCurrent = false
        var orphan: String?
        var foreign: String?
        try forEachFile { name, _ in
            switch Kind(name) {
            case .current: hasCurrent = true
            case .content: orphan = name
            case .foreign: foreign = name
            case .trace, .lock: break
            }
        }
        if hasCurrent { return }
        if let foreign {
            throw CacheError(.notAStore, "The directory holds no LevelDB but other files, such as \(foreign).")
        }
        if let orphan {
            throw CacheError(.corrupted, "LevelDB's CURRENT is gone while \(orphan) is there.")
        }
    }

    /// Bytes of all files in the directory as `du` counts them.
    func bytesOnDisk() throws(CacheError) -> Int {
        var blocks = 0
        try forEachFile { _, status in blocks += Int(status.st_blocks) }
        return blocks * 512
    }

    /// Removes every file of LevelDB, which is not open.
    ///
    /// Killed in between, the next opening goes on, so that no part of the old content is ever opened as the whole.
    func removeContent() throws(CacheError) {
        try write(Self.wipingMark, count: 0)
        var names: [String] = []
        try forEachFile { name, _ in
            switch Kind(name) {
            case .current, .content, .trace: names.append(name)
            case .lock, .foreign: break
            }
        }
        for name in names + [Self.roomProbe] { try remove(name) }
        try synchronize()
        try remove(Self.wipingMark)
    }

    /// Tries whether the disk has room for what opening writes: the logs as tables, and a little more.
    ///
    /// - Throws: ``CacheError`` with code `full`, `inputOutput` or `permissionDenied`.
    func tryRoom() throws(CacheError) {
        var count = 64 << 10
        try forEachFile { name, status in
            if name.hasSuffix(".log") { count += Int(status.st_size) }
        }
        do throws(CacheError) {
            try write(Self.roomProbe, count: count)
        } catch {
            try remove(Self.roomProbe)
            throw error
        }
        try remove(Self.roomProbe)
    }

    /// A log and how long it was when the last commit was in it.
    struct Log: Sendable {
        let name: String
        let length: Int

        fileprivate var number: Int { Int(name.prefix { $0 != "." }) ?? 0 }
    }

    /// The log that LevelDB writes to, `nil` where it cannot be told.
    func newestLog() -> Log? {
        var newest: Log?
        let isListed: Void? = try? forEachFile { name, status in
            guard name.hasSuffix(".log"), Kind(name) == .content else { return }
            let log = Log(name: name, length: Int(status.st_size))
            if log.number >= newest?.number ?? 0 { newest = log }
        }
        return isListed == nil ? nil : newest
    }

    /// The log after a commit: `log`, which has grown, or the one begun since.
    func log(after log: Log?) -> Log? {
        var status = stat()
        guard let log, unsafe fstatat(descriptor, log.name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            Int(status.st_size) > log.length
        else { return newestLog() }
        return Log(name: log.name, length: Int(status.st_size))
    }

    /// Takes out of the log what came after `log` was as long as that: the batch of a write that failed.
    ///
    /// It may be whole, where synchronising it was what failed, and would otherwise be found at the next opening.
    /// LevelDB does not write to the log between the failure and its closing.
    ///
    /// - Returns: whether it is gone; where it is not, the log must not be opened before it is.
    func cut(backTo log: Log) -> Bool {
        guard let newest = newestLog() else { return false }
        let file = unsafe openat(descriptor, newest.name, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return ftruncate(file, off_t(newest.name == log.name ? log.length : 0)) == 0 && fsync(file) == 0
    }

    private func write(_ name: String, count: Int) throws(CacheError) {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LevelDBErrors.system(errno, "\(name) cannot be made") }
        defer { close(file) }
        let zeros = [UInt8](repeating: 0, count: min(count, 64 << 10))
        var left = count
        while left > 0 {
            let written = unsafe zeros.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    Darwin.write(file, bytes.baseAddress, min(left, bytes.count))
                #elseif canImport(Musl)
                    Musl.write(file, bytes.baseAddress, min(left, bytes.count))
                #else
                    unsafe Glibc.write(file, bytes.baseAddress, min(left, bytes.count))
                #endif
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw LevelDBErrors.system(errno, "\(name) cannot be written") }
            left -= written
        }
        guard fsync(file) == 0 else { throw LevelDBErrors.system(errno, "\(name) cannot be synchronised") }
        if count == 0 { try synchronize() }
    }

    private func remove(_ name: String) throws(CacheError) {
        guard unsafe unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw LevelDBErrors.system(errno, "\(name) cannot be removed")
        }
    }

    private func synchronize() throws(CacheError) {
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw LevelDBErrors.system(errno, "The directory cannot be synchronised")
        }
    }

    /// Calls `body` for each regular file; one that goes away meanwhile is left out.
    private func forEachFile(_ body: (_ name: String, _ status: stat) -> Void) throws(CacheError) {
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw LevelDBErrors.system(errno, "The directory cannot be listed") }
        guard let listing = unsafe fdopendir(copy) else {
            close(copy)
            throw LevelDBErrors.system(errno, "The directory cannot be listed")
        }
        defer { unsafe closedir(listing) }
        while let entry = unsafe readdir(listing) {
            var status = stat()
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)
                ) { name in
                    unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? String(cString: name) : nil
                }
            }
            guard let name, status.st_mode & S_IFMT == S_IFREG else { continue }
            body(name, status)
        }
    }
}
