package import GroveModel
import GrovePlatform

/// The files in a store's directory, for backends on disk: their names and sizes, and calls that make and remove them.
///
/// A file is called by its name in the directory. Every failure of the system is reported through
/// ``CacheError/system(_:_:)``.
package struct StoreFiles: Sendable {
    /// The path of the directory.
    package let path: String

    /// The size of a file.
    package struct File: Sendable {
        /// The bytes in it.
        package let length: Int
        /// The bytes that it takes on disk, as `du` counts them.
        package let allocatedBytes: Int

        fileprivate init(_ status: stat) {
            length = Int(status.st_size)
            allocatedBytes = Int(status.st_blocks) * 512
        }
    }

    /// Whether operating systems put a file called `name` into directories by themselves; such a file does not show
    /// whose a directory is.
    package static func isOfSystem(_ name: String) -> Bool {
        systemNames.contains(name) || systemPrefixes.contains { name.hasPrefix($0) }
    }

    private static let systemNames: Set = [".DS_Store", "Thumbs.db", "desktop.ini", "lost+found"]
    private static let systemPrefixes = [".nfs", ".fuse_hidden", "._"]

    /// Checks that `directory` is a directory that can hold a store.
    ///
    /// - Throws: ``CacheError`` with code `unsupported` if there is no path, `inputOutput` if nothing has it,
    ///   `notAStore` if it is no directory's, or `permissionDenied`.
    package init(_ directory: String?) throws(CacheError) {
        guard let path = directory else {
            throw CacheError(.unsupported, "a store on disk needs a directory; pass the path of one")
        }
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw CacheError(.inputOutput, "a store on disk needs a directory; no path is empty or has a NUL")
        }
        self.path = path
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .system(errno, "find the directory \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .system(ENOTDIR, "use \(path) as a directory") }
        guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else { throw .system(errno, "use the directory \(path)") }
    }

    /// Refuses a directory that holds one of `strangers` and not the file called `own`.
    ///
    /// - Parameter strangers: names by which other engines' stores are known.
    /// - Throws: ``CacheError`` with code `notAStore`.
    package func refuse(_ strangers: [String], without own: String) throws(CacheError) {
        guard !holds(own), let stranger = strangers.first(where: holds) else { return }
        throw CacheError(.notAStore, "the directory \(path) holds another engine's store, as \(stranger) shows")
    }

    /// The path of the file called `name`; of the directory itself if that is empty.
    package func path(of name: String) -> String { name.isEmpty ? path : path + "/" + name }

    /// Whether there is a file called `name`.
    package func holds(_ name: String) -> Bool { unsafe access(path(of: name), F_OK) == 0 }

    /// The file called `name`, or `nil` if there is none.
    package func file(_ name: String) -> File? {
        var status = stat()
        return unsafe lstat(path(of: name), &status) == 0 ? File(status) : nil
    }

    /// Visits each regular file in the directory, in no order; one that goes away meanwhile is left out.
    package func forEachFile(_ visit: (_ name: String, _ file: File) -> Void) throws(CacheError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "list the directory \(path)") }
        defer { _ = close(descriptor) }
        try StoreFiles.forEachFile(in: descriptor, visit)
    }

    /// The same for a directory that is open as `directory`.
    package static func forEachFile(
        in directory: Int32, _ visit: (_ name: String, _ file: File) -> Void
    ) throws(CacheError) {
        let descriptor = unsafe openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let listing = unsafe fdopendir(descriptor) else {
            let number = errno
            if descriptor >= 0 { _ = close(descriptor) }
            throw .system(number, "list the directory")
        }
        defer { unsafe closedir(listing) }
        while let entry = unsafe readdir(listing) {
            var status = stat()
            // The name is looked up byte for byte, even if it is no text.
            let name: String? = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    unsafe fstatat(dirfd(listing), $0, &status, AT_SYMLINK_NOFOLLOW) == 0 ? String(cString: $0) : nil
                }
            }
            guard let name, status.st_mode & S_IFMT == S_IFREG else { continue }
            visit(name, File(status))
        }
    }

    /// The bytes that the files in the directory take on disk, as `du` counts them; only files whose names `isCounted`
    /// accepts.
    package func allocatedBytes(
        ofFilesWhere isCounted: (_ name: String) -> Bool = { _ in true }
    ) throws(CacheError) -> Int {
        var total = 0
        try forEachFile { name, file in total += isCounted(name) ? file.allocatedBytes : 0 }
        return total
    }

    /// The same for the engine's files alone, without the cache's: its tag file, and the files whose names begin with
    /// `grove`.
    package func engineBytes() throws(CacheError) -> Int {
        try allocatedBytes { !$0.hasPrefix("grove") && $0 != StoreDirectory.cacheTagName }
    }

    /// Makes the file called `name` for its owner alone, unless there is one.
    ///
    /// A file that is there is not opened: closing it would drop the locks that this process holds on it.
    package func create(_ name: String) throws(CacheError) {
        guard !holds(name) else { return }
        let descriptor = unsafe open(path(of: name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno == EEXIST else { throw .system(errno, "make the file \(path(of: name))") }
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Removes the file called `name`, if there is one.
    package func remove(_ name: String) throws(CacheError) {
        guard unsafe unlink(path(of: name)) == 0 || errno == ENOENT else {
            throw .system(errno, "remove \(path(of: name))")
        }
    }

    /// Renames the file `name` in one step; a file that had the other name is replaced.
    package func move(_ name: String, to other: String) throws(CacheError) {
        guard unsafe rename(path(of: name), path(of: other)) == 0 else {
            throw .system(errno, "rename \(path(of: name))")
        }
    }

    /// Removes the files called `names`, so that they stay removed even after loss of power.
    package func remove(_ names: [String]) throws(CacheError) {
        for name in names { try remove(name) }
        try synchronize()
    }

    /// Returns when the bytes of the file called `name`, or by default the directory itself, are on the disk.
    ///
    /// It does nothing for a missing file, nor for a directory whose file system cannot do it.
    package func synchronize(_ name: String = "") throws(CacheError) {
        let descriptor = unsafe open(path(of: name), O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        guard descriptor >= 0 else { throw .system(errno, "open \(path(of: name))") }
        defer { _ = close(descriptor) }
        #if canImport(Darwin)
            // Not every file system has `F_FULLFSYNC`; `fsync` alone leaves the bytes in the drive's own memory.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .system(errno, "sync \(path(of: name))") }
    }
}
