import GroveCache
import GroveModel
import GrovePlatform
import Synchronization

/// The files of a ``LogStore``: the log and its lock.
final class LogFiles: Sendable {
    private let directory: String
    private let flaw: LogFlaw?
    private let lock: Int32
    private let log: Mutex<Int32>

    private var path: String { directory + "/log" }

    init(_ directory: String, flaw: LogFlaw?) throws(CacheError) {
        self.directory = directory
        self.flaw = flaw
        lock = try LogFiles.lock(directory, flaw)
        let descriptor = unsafe open(directory + "/log", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if lock >= 0 { _ = systemClose(lock) }
            throw .system(errno, "open the log")
        }
        log = Mutex(descriptor)
    }

    private static func lock(_ directory: String, _ flaw: LogFlaw?) throws(CacheError) -> Int32 {
        guard flaw != .takesNoLock else { return -1 }
        let exclusive = flaw == .locksByFile ? O_EXCL : 0
        let lock = unsafe open(directory + "/LOCK", O_RDWR | O_CREAT | O_CLOEXEC | exclusive, 0o600)
        guard lock >= 0 else {
            throw errno == EEXIST ? CacheError(.locked, "The log is in use.") : .system(errno, "open the lock")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            _ = systemClose(lock)
            throw CacheError(.locked, "Another process holds the log.")
        }
        return lock
    }

    /// The whole log.
    func read() throws(CacheError) -> [UInt8] {
        let descriptor = log.withLock { $0 }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
            if count < 0 { throw .system(errno, "read the log") }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Writes `bytes` at `end`.
    func append(_ bytes: [UInt8], at end: Int) throws(CacheError) {
        try LogFiles.write(bytes, to: log.withLock { $0 }, at: end)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at start: Int) throws(CacheError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes[done...].withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(start + done))
            }
            guard count > 0 else { throw .system(errno, "write the log") }
            done += count
        }
    }

    /// Makes the log end after `size` bytes.
    func cut(to size: Int) throws(CacheError) {
        guard ftruncate(log.withLock { $0 }, off_t(size)) == 0 else { throw .system(errno, "cut the log") }
    }

    /// Returns when the log, and that it is there, are on the disk.
    func synchronize() throws(CacheError) {
        guard fsync(log.withLock { $0 }) == 0 else { throw .system(errno, "sync the log") }
        try StoreFiles(directory).synchronize()
    }

    /// Puts a log of `bytes` in place of the old one.
    func replace(with bytes: [UInt8]) throws(CacheError) {
        let temporary = path + ".new"
        let descriptor = unsafe open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "make a new log") }
        do throws(CacheError) {
            try LogFiles.write(bytes, to: descriptor, at: 0)
            guard fsync(descriptor) == 0 else { throw .system(errno, "sync the new log") }
            guard systemRename(temporary, path) == 0 else { throw .system(errno, "rename the new log") }
        } catch {
            _ = systemClose(descriptor)
            throw error
        }
        let old = log.withLock { log in
            defer { log = descriptor }
            return log
        }
        _ = systemClose(old)
    }

    /// Lets the old log lie under another name.
    func rename() throws(CacheError) {
        guard systemRename(path, path + ".old") == 0 else { throw .system(errno, "rename the log") }
        try replace(with: [])
    }

    /// Removes every file in the directory but these and the cache's.
    func removeOthers() {
        guard let files = try? StoreFiles(directory) else { return }
        try? files.forEachFile { name, _ in
            if !["log", "LOCK", "grove.generation"].contains(name) { _ = unsafe unlink(directory + "/" + name) }
        }
    }

    /// What the files take on disk.
    func allocatedBytes() -> Int {
        guard let files = try? StoreFiles(directory) else { return 0 }
        return (try? files.allocatedBytes()) ?? 0
    }

    /// Lets go of everything.
    func close() {
        let descriptor = log.withLock { log in
            defer { log = -1 }
            return log
        }
        if flaw != .leaksDescriptors { _ = systemClose(descriptor) }
        if flaw == .locksByFile { _ = unsafe unlink(directory + "/LOCK") }
        guard lock >= 0, flaw != .keepsLock else { return }
        // A process that is being spawned may hold the descriptor for a moment longer.
        _ = flock(lock, LOCK_UN)
        _ = systemClose(lock)
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemRename(_ old: String, _ new: String) -> Int32 { unsafe rename(old, new) }
