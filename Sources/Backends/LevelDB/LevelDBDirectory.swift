import GroveCache
import GroveModel
import GrovePlatform

/// The owner of a store's directory: it holds a lock on it, knows LevelDB's files by their names, and removes them.
///
/// The lock is `flock` on the directory itself. LevelDB's own, `fcntl` on the file `LOCK`, belongs to the process. So
/// it does not keep out a second opening through another path to the same directory. Closing any descriptor of that
/// file releases it, even that of a refused second opening. Therefore nothing here opens `LOCK`.
struct LevelDBDirectory: ~Copyable {
    /// The files in it.
    let files: StoreFiles
    private let descriptor: Int32

    /// Names by which other engines' stores are known.
    private static let strangers = ["data.mdb", "store.sqlite"]
    /// A file that exists during a wipe: if the process ends, the next opening of the store finishes the wipe.
    private static let wipingMark = "grove-leveldb.wiping"
    /// A file that exists while ``tryRoom()`` tests whether the disk has room.
    private static let roomProbe = "grove-leveldb.room"

    /// Locks the directory of `files` and makes sure that LevelDB may open it.
    ///
    /// - Throws: ``CacheError`` with code `locked` if another handle or process holds it; `notAStore` if it holds
    ///   another engine's store; `inputOutput`, `permissionDenied`. Also `corrupted` if LevelDB's files are there
    ///   without `CURRENT`: LevelDB would delete them in favour of an empty store.
    init(_ files: StoreFiles) throws(CacheError) {
        self.files = files
        descriptor = unsafe open(files.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "open the directory \(files.path)") }
        // On a file system without `flock` (some network ones), LevelDB's own lock has to do.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw CacheError(.locked, "another handle or process holds the store", engineCode: Int(EWOULDBLOCK))
        }
        if files.holds(Self.wipingMark) { try removeContent() }
        try check()
        // LevelDB makes files that other users may read: the directory keeps those users out.
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0, status.st_uid == geteuid() {
            _ = fchmod(descriptor, 0o700)
        }
    }

    /// Checks that the directory's path still leads to it: LevelDB opens files, and this type removes them, by the
    /// path.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput` if it was moved or removed.
    func checkPath() throws(CacheError) {
        guard let held = FileIdentity(descriptor: descriptor), FileIdentity(files.path) == held else {
            throw CacheError(.inputOutput, "The directory \(files.path) was moved or removed while its store is open.")
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A process that is being spawned holds the descriptor too until it runs its program; unlocking works for both.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The kind of a file, by its name.
    private enum Kind {
        case content, trace, other

        init(_ name: String) {
            switch name {
            case "CURRENT", "LOG", "LOG.old", "MANIFEST-000001": self = .trace
            default:
                let parts = name.split(separator: ".", omittingEmptySubsequences: false)
                if name.hasPrefix("MANIFEST-"), Kind.isNumber(name.dropFirst(9)) {
                    self = .content
                } else if parts.count == 2, Kind.isNumber(parts[0]) {
                    switch parts[1] {
                    case "ldb", "sst", "log": self = .content
                    case "dbtmp": self = .trace
                    default: self = .other
                    }
                } else {
                    self = .other
                }
            }
        }

        /// Whether `text` is a number as in LevelDB's names of files: of six digits or more.
        private static func isNumber(_ text: Substring) -> Bool {
            text.utf8.count >= 6 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        }
    }

    /// Whether LevelDB, or this backend, makes the file called `name`.
    static func owns(_ name: String) -> Bool {
        Kind(name) != .other || ["LOCK", wipingMark, roomProbe].contains(name)
    }

    /// Whether there is a file `CURRENT`; like LevelDB, it follows links.
    var hasCurrent: Bool {
        var status = stat()
        return unsafe stat(files.path(of: "CURRENT"), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Checks that the oldest log that the manifest needs exists; see ``LevelDBManifest``.
    private func checkManifest() throws(CacheError) {
        guard let current = contents(of: "CURRENT"),
            let name = String(decoding: current, as: UTF8.self).split(separator: "\n").first,
            let manifest = contents(of: String(name)), let log = LevelDBManifest.oldestLog(manifest), !files.holds(log)
        else { return }
        throw CacheError(.corrupted, "LevelDB's \(name) was cut short, or \(log) was removed.")
    }

    private func check() throws(CacheError) {
        if hasCurrent { return try checkManifest() }
        try files.refuse(Self.strangers, without: "CURRENT")
        var orphan: String?
        try files.forEachFile { name, _ in
            if Kind(name) == .content { orphan = name }
        }
        if let orphan {
            throw CacheError(.corrupted, "LevelDB's CURRENT is gone while \(orphan) is there.")
        }
    }

    /// Removes every file of LevelDB, which is not open.
    ///
    /// If the process is killed meanwhile, the next opening goes on. So no part of the old content is ever opened as
    /// the whole.
    func removeContent() throws(CacheError) {
        try files.create(Self.wipingMark)
        try files.synchronize()
        var names: [String] = []
        try files.forEachFile { name, _ in
            if Kind(name) != .other { names.append(name) }
        }
        try files.remove(names + [Self.roomProbe])
        try files.remove(Self.wipingMark)
    }

    /// Tests whether the disk has room for the files that opening writes: the logs as tables, and a little more.
    ///
    /// - Throws: ``CacheError`` with code `full`, `inputOutput` or `permissionDenied`.
    func tryRoom() throws(CacheError) {
        try checkPath()
        var count = 64 << 10
        try files.forEachFile { name, file in
            if name.hasSuffix(".log") { count += file.length }
        }
        do throws(CacheError) {
            try write(Self.roomProbe, count: count)
        } catch {
            try files.remove(Self.roomProbe)
            throw error
        }
        try files.remove(Self.roomProbe)
    }

    /// A log and its length after the last commit.
    struct Log: Sendable {
        let name: String
        let length: Int

        fileprivate var number: Int { Int(name.prefix { $0 != "." }) ?? 0 }
    }

    /// The log that LevelDB writes to; `nil` if it is not known.
    func newestLog() -> Log? {
        var newest: Log?
        let isListed: Void? = try? files.forEachFile { name, file in
            guard name.hasSuffix(".log"), Kind(name) == .content else { return }
            let log = Log(name: name, length: file.length)
            if log.number >= newest?.number ?? 0 { newest = log }
        }
        return isListed == nil ? nil : newest
    }

    /// Bytes of LevelDB's log of events and of its manifest, neither of which it makes smaller while it is open.
    func notes() throws(CacheError) -> (events: Int, manifest: Int) {
        var notes = (events: 0, manifest: 0)
        try files.forEachFile { name, file in
            if name == "LOG" { notes.events = file.allocatedBytes }
            if name.hasPrefix("MANIFEST-") { notes.manifest += file.allocatedBytes }
        }
        return notes
    }

    /// Empties the log of events, which LevelDB appends to.
    func emptyEvents() {
        guard (try? checkPath()) != nil else { return }
        _ = unsafe truncate(files.path(of: "LOG"), 0)
    }

    /// The log after a commit: `log`, which has grown, or the one begun since.
    func log(after log: Log?) -> Log? {
        guard let log, let length = files.file(log.name)?.length, length > log.length else { return newestLog() }
        return Log(name: log.name, length: length)
    }

    /// Cuts the log back to `log`, which removes the batch of a failed write.
    ///
    /// If only synchronising failed, the batch may be whole, and the next opening would find it.
    /// LevelDB does not write to the log between the failure and its closing.
    ///
    /// - Returns: whether the batch is removed; otherwise the log must not be opened.
    func cut(backTo log: Log) -> Bool {
        guard (try? checkPath()) != nil, let newest = newestLog() else { return false }
        let file = unsafe open(files.path(of: newest.name), O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return ftruncate(file, off_t(newest.name == log.name ? log.length : 0)) == 0 && fsync(file) == 0
    }

    /// Cuts off the end of the newest log a last record that loss of power left torn; see ``LevelDBLogTail``.
    ///
    /// - Returns: whether there was such a record and it was removed.
    func cutTornTail() -> Bool {
        guard let log = newestLog() else { return false }
        let file = unsafe open(files.path(of: log.name), O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let bytes = Self.contents(of: file, log.length), let length = LevelDBLogTail(bytes).wholeLength() else {
            return false
        }
        return ftruncate(file, off_t(length)) == 0 && fsync(file) == 0
    }

    /// The bytes of the file called `name`; `nil` if it cannot be read.
    private func contents(of name: String) -> [UInt8]? {
        guard let length = files.file(name)?.length else { return nil }
        let file = unsafe open(files.path(of: name), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return Self.contents(of: file, length)
    }

    /// The first `length` bytes of `file`; `nil` if it has fewer.
    private static func contents(of file: Int32, _ length: Int) -> [UInt8]? {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
            while count < length, let start = buffer.baseAddress {
                let got = unsafe pread(file, start + count, length - count, off_t(count))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                count += got
            }
            filled = count
        }
        return count == length ? bytes : nil
    }

    /// Makes the file called `name`, with `count` zeros that are on the disk when this returns.
    private func write(_ name: String, count: Int) throws(CacheError) {
        let path = files.path(of: name)
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(errno, "make the file \(path)") }
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
            guard written > 0 else { throw .system(errno, "write \(path)") }
            left -= written
        }
        guard fsync(file) == 0 else { throw .system(errno, "sync \(path)") }
    }
}
