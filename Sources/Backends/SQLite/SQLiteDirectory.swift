import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The directory of a store: what is in it, how large it is, and how our files leave it.
struct SQLiteDirectory: Sendable {
    /// The files that SQLite keeps, the data first.
    static let files = ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.sqlite-journal"]

    /// The write-ahead log.
    static let log = "store.sqlite-wal"

    /// Names by which other engines' stores are known.
    static let strangers = ["data.mdb", "CURRENT"]

    let path: String

    /// Checks that `path` is a directory that can hold a store and holds no other engine's.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput`, `permissionDenied` or `notAStore`.
    init(_ path: String?) throws(CacheError) {
        guard let path, !path.isEmpty, !path.utf8.contains(0) else {
            throw CacheError(.inputOutput, "a store on disk needs a directory; pass the path of one")
        }
        self.path = path
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .system(errno, "find the directory \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .system(ENOTDIR, "use \(path) as a directory") }
        guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else { throw .system(errno, "use the directory \(path)") }
        if !holds(Self.files[0]), let stranger = Self.strangers.first(where: { holds($0) }) {
            throw CacheError(.notAStore, "the directory \(path) holds another engine's store, as \(stranger) shows")
        }
    }

    /// Whether there is a file called `name`.
    func holds(_ name: String) -> Bool {
        unsafe access(path + "/" + name, F_OK) == 0
    }

    /// The bytes that every file in the directory takes on disk, as `du` counts them.
    func allocatedBytes() throws(CacheError) -> Int {
        guard let listing = unsafe opendir(path) else { throw .system(errno, "list the directory \(path)") }
        defer { unsafe closedir(listing) }
        var total = 0
        while let entry = unsafe readdir(listing) {
            var status = stat()
            // Names are read relative to the open directory, byte for byte; a file that has just gone counts nothing.
            let found = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    unsafe fstatat(dirfd(listing), $0, &status, AT_SYMLINK_NOFOLLOW)
                }
            }
            if found == 0, status.st_mode & S_IFMT == S_IFREG { total += Int(status.st_blocks) * 512 }
        }
        return total
    }

    /// Removes our files, so that their bytes are gone from the directory also after loss of power.
    func removeFiles() throws(CacheError) {
        for name in Self.files {
            guard unsafe unlink(path + "/" + name) == 0 || errno == ENOENT else {
                throw .system(errno, "remove \(name)")
            }
        }
        try synchronize("")
    }

    /// Makes the file called `name` in the directory for its owner alone, unless there is one.
    ///
    /// A file that is there is not opened: closing it would drop the locks that this process's connections hold on it.
    func create(_ name: String) throws(CacheError) {
        guard !holds(name) else { return }
        let descriptor = unsafe open(path + "/" + name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno == EEXIST else { throw .system(errno, "make the file \(name)") }
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Returns when the bytes of the file called `name`, or the directory itself, are on the disk.
    func synchronize(_ name: String) throws(CacheError) {
        let descriptor = unsafe open(path + "/" + name, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        guard descriptor >= 0 else { throw .system(errno, "open \(path)/\(name)") }
        defer { _ = close(descriptor) }
        #if canImport(Darwin)
            let status = fcntl(descriptor, F_FULLFSYNC)
        #else
            let status = fsync(descriptor)
        #endif
        guard status == 0 || errno == EINVAL else { throw .system(errno, "sync \(path)/\(name)") }
    }
}
