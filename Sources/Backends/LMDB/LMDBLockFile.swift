import GroveCache
import GroveModel
import GrovePlatform

/// The blocks of `lock.mdb`, the table of readers that all processes map.
///
/// LMDB makes it as long as it must be and writes nothing to it: each page gets its block when it is first touched. If
/// the disk has no block left, the system ends the process. So all blocks of the file are allocated before LMDB maps
/// it.
enum LMDBLockFile {
    /// The bytes before the slots of readers, and the bytes of one slot.
    private static let headBytes = 128
    private static let slotBytes = 64

    /// Makes sure that every page of the file has its block, unless another process uses the file and so has done it.
    ///
    /// The file's content stays. No process may open the store meanwhile, and this one must not have it open: closing
    /// any descriptor of the file releases LMDB's lock.
    ///
    /// - Throws: ``CacheError`` with code `full`, `permissionDenied` or `inputOutput`.
    static func allocate(_ directory: StoreFiles, readers: Int) throws(CacheError) {
        let path = directory.path(of: LMDBFiles.names[1])
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "open \(path)") }
        defer { _ = close(descriptor) }
        guard !isInUse(descriptor), let file = directory.file(LMDBFiles.names[1]) else { return }
        let needed = headBytes + readers * slotBytes
        guard file.length < needed || file.allocatedBytes < file.length else { return }
        var bytes = [UInt8](repeating: 0, count: max(file.length, needed))
        guard unsafe pread(descriptor, &bytes, file.length, 0) == file.length else {
            throw .system(errno, "read \(path)")
        }
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes[done...].withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(count < 0 ? errno : ENOSPC, "make room for \(path)") }
            done += count
        }
    }

    /// Whether another process has locked the first byte, as each process does while it has the store open.
    private static func isInUse(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_len = 1
        // If the file system has no locks, the file counts as in use: other processes cannot be seen.
        return unsafe fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
}
