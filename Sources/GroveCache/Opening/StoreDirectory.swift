import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The directory of a store: made private, and emptied of damaged files without losing them at once.
package enum StoreDirectory {
    /// The name of the folder, inside a store's directory, for the files of a store that could not be opened.
    package static let setAsideName = "grove-set-aside"

    /// Makes `directory` with mode 0700, and its parents, unless it is there.
    ///
    /// - Returns: whether it was made.
    /// - Throws: ``CacheError`` with code `notAStore` if a file is in its place, `permissionDenied`, `inputOutput`.
    @discardableResult
    static func make(_ directory: String) throws(CacheError) -> Bool {
        guard !directory.isEmpty, !directory.utf8.contains(0) else {
            throw CacheError(.inputOutput, "A store needs a directory; no path is empty or has a NUL.")
        }
        var status = stat()
        if unsafe stat(directory, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw CacheError(.notAStore, "\(directory) is a file; a store needs a directory.")
            }
            return false
        }
        try makeWithParents(directory)
        return true
    }

    private static func makeWithParents(_ directory: String) throws(CacheError) {
        if unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST { return }
        let number = errno
        let parent = self.parent(of: directory)
        guard number == ENOENT, !parent.isEmpty else { throw .system(number, "make the directory \(directory)") }
        try makeWithParents(parent)
        guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw .system(errno, "make the directory \(directory)")
        }
    }

    /// The path without its last name; empty if it is one name, or the root.
    private static func parent(of path: String) -> String {
        var bytes = Array(path.utf8)[...]
        while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }

    /// Marks `directory` as Grove's, unless it is marked: it must be empty, or have Grove's files alone.
    ///
    /// The mark comes before every other file of a store, and stays as long as the directory. So a store that is
    /// damaged beyond recognition is known by it, and no file is written among files that are not Grove's. Names that
    /// begin with a dot, and names that systems give, do not count. A directory that was empty is also marked for
    /// backup programs.
    ///
    /// - Parameter mainFile: the name of the file that is the store, if it has one.
    /// - Throws: ``CacheError`` with code `notAStore` if the directory holds something else, `permissionDenied`, `full`
    ///   or `inputOutput`.
    static func claim(_ directory: String, mainFile: String?) throws(CacheError) {
        let files = try StoreFiles(directory)
        let mark = StoreGeneration.fileName
        guard !files.holds(mark) else { return }
        let names = try names(in: directory)
        if names.contains(StoreCopy.fileName), !files.holds(mark) {
            throw CacheError(
                .notAStore,
                "The directory \(directory) holds a copy that is not finished; if nothing copies any more, remove it.")
        }
        // Another process may have marked it meanwhile, and made its files.
        if let stranger = names.first(where: isForeign), !files.holds(mark) {
            if let mainFile, names.contains(mainFile) {
                throw CacheError(
                    .notAStore,
                    "The directory \(directory) holds \(mainFile) and not \(mark), which a store has beside it: it is a part of a copy. "
                        + "Copy the whole directory, or make an empty file \(mark) if you know that the store is whole."
                )
            }
            throw CacheError(
                .notAStore,
                "The directory \(directory) holds files that are not Grove's, such as \(stranger); pass an empty directory."
            )
        }
        try files.create(mark)
        if names.isEmpty { leaveOutOfBackups(directory) }
        // Otherwise a loss of power might take the mark and leave the store.
        try files.synchronize()
    }

    /// The names of the files in `directory`.
    static func names(in directory: String) throws(CacheError) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw CacheError(.inputOutput, "The directory \(directory) cannot be listed.")
        }
        return names
    }

    /// The name of the file by which backup programs know a cache.
    ///
    /// The Cache Directory Tagging Specification: https://bford.info/cachedir/
    package static let cacheTagName = "CACHEDIR.TAG"

    /// Marks `directory` as a cache, which backup programs may leave out.
    private static func leaveOutOfBackups(_ directory: String) {
        let text = """
            Signature: 8a477f597d28d172789f06886806bc55
            # This directory is a cache made by Grove. Backup programs that read this file leave it out; see https://bford.info/cachedir/.
            # To have it in backups, remove this file. Grove does not make it again.

            """
        write(Array(text.utf8), to: cacheTagName, in: directory)
        #if canImport(Darwin)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            var url = URL(fileURLWithPath: directory, isDirectory: true)
            try? url.setResourceValues(values)
        #endif
    }

    /// Whether a file called `name` is neither the cache's own nor one that systems make by themselves.
    private static func isForeign(_ name: String) -> Bool {
        !name.hasPrefix("grove") && !name.hasPrefix(".") && !ownNames.contains(name) && !StoreFiles.isOfSystem(name)
    }

    /// The path of `directory` from the root, without links: it leads there also when a link is moved, or the process
    /// changes its working directory.
    ///
    /// A directory without such a path, or with one that is not UTF-8, keeps its own.
    static func resolve(_ directory: String) -> String {
        guard let path = unsafe realpath(directory, nil) else { return directory }
        defer { unsafe free(path) }
        return unsafe String(validatingCString: path) ?? directory
    }

    /// Whether two paths are spelled alike: by their bytes, for to some file systems é and é are two.
    static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    /// The names of the cache's own files beside the engine's.
    package static let ownNames: Set = [
        StoreGeneration.fileName, Evictor.fileName, KeptRecords.fileName, setAsideName, cacheTagName,
    ]

    /// Moves the files of the store in `directory` into its set-aside folder, in place of the files there.
    ///
    /// - Parameter isEngines: whether a file of that name is the engine's; all others stay, but for the evictor's.
    static func setAside(_ directory: String, where isEngines: (String) -> Bool) throws(CacheError) {
        let files = FileManager.default
        let aside = directory + "/" + setAsideName
        do {
            let names = try files.contentsOfDirectory(atPath: directory).filter {
                $0 == Evictor.fileName || isEngines($0) && !ownNames.contains($0)
            }
            if files.fileExists(atPath: aside) { try files.removeItem(atPath: aside) }
            try files.createDirectory(
                atPath: aside, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            for name in names { try files.moveItem(atPath: directory + "/" + name, toPath: aside + "/" + name) }
        } catch {
            throw CacheError(
                isPermission(error) ? .permissionDenied : .inputOutput,
                "The damaged store in \(directory) cannot be set aside.")
        }
    }

    /// Removes the set-aside folder.
    static func removeSetAside(_ directory: String) throws(CacheError) {
        let aside = directory + "/" + setAsideName
        guard FileManager.default.fileExists(atPath: aside) else { return }
        do {
            try FileManager.default.removeItem(atPath: aside)
        } catch {
            throw CacheError(.inputOutput, "The damaged store that was set aside in \(directory) cannot be removed.")
        }
    }

    /// The bytes of the set-aside folder, as `du` counts them.
    static func setAsideBytes(_ directory: String) -> Int {
        let aside = directory + "/" + setAsideName
        // Most often there is no such folder, and an error costs a message.
        guard unsafe access(aside, F_OK) == 0 else { return 0 }
        return (try? StoreFiles(aside).allocatedBytes()) ?? 0
    }

    /// The content of the cache's own file called `name`, `nil` if there is none.
    static func read(_ name: String, in directory: String) -> [UInt8]? {
        FileManager.default.contents(atPath: directory + "/" + name).map { [UInt8]($0) }
    }

    /// The length of the cache's own file called `name`, `nil` if there is none.
    static func length(of name: String, in directory: String) -> Int? {
        var status = stat()
        return unsafe lstat(directory + "/" + name, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Makes the cache's own file called `name`, for its owner alone, in place of an older one; a failure leaves none.
    ///
    /// The file never takes more disk space than the larger of the two contents. If the process is killed meanwhile, a
    /// part of the new content is left.
    static func write(_ bytes: [UInt8], to name: String, in directory: String) {
        let path = directory + "/" + name
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return remove(name, in: directory) }
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        let isClosed = close(descriptor) == 0
        if done < bytes.count || !isClosed { remove(name, in: directory) }
    }

    /// Removes the cache's own file called `name`, if there is one.
    static func remove(_ name: String, in directory: String) {
        try? FileManager.default.removeItem(atPath: directory + "/" + name)
    }

    private static func isPermission(_ error: any Error) -> Bool {
        guard let error = error as? CocoaError else { return false }
        return error.code == .fileWriteNoPermission || error.code == .fileReadNoPermission
    }
}
