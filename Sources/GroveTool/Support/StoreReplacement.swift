import GroveCache
import GroveCompare
import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that is made beside another one, and replaces it in one step when it is whole.
///
/// Until then the old store is unchanged, and afterwards it is removed. A process that is killed leaves one of the two
/// in place, and a directory beside it.
struct StoreReplacement {
    /// The place of the new store, which is closed before ``install()``.
    let place: StorePlace
    /// The path of the old store, without links.
    private let directory: String
    /// The old store, open until ``install()``, so that another process cannot open it if a single process may.
    private let old: any ToolCache
    private let beside: TemporaryDirectory

    /// Opens the store at `old`, and makes a directory beside it.
    ///
    /// - Throws: ``ToolError`` if there is no such store, another process holds it, its directory holds files that are
    ///   no part of it, or none can be made beside it.
    init(of old: StorePlace) throws(ToolError) {
        self.old = try old.openExisting()
        directory = FilePlace.resolved(old.directory ?? "")
        let others = StoreReplacement.others(in: directory, of: old.backend)
        if let other = others.first(where: { !StoreFiles.isOfSystem($0) }) {
            throw .input(
                "\(directory) holds \(other), which is no part of the store: move it elsewhere first")
        }
        beside = try TemporaryDirectory(in: URL(fileURLWithPath: directory).deletingLastPathComponent().path)
        place = try StorePlace(old.backend, beside.path, mapSize: old.mapSize)
    }

    /// Replaces the old store with the new one, and removes the old one.
    ///
    /// - Throws: ``ToolError`` if the file system cannot exchange directories; the old store is unchanged then.
    func install() throws(ToolError) {
        old.close()
        // A user who removed the mark wants backups of the store.
        if FilePlace(directory + "/" + StoreDirectory.cacheTagName) == .missing {
            try? StoreFiles(beside.path).remove(StoreDirectory.cacheTagName)
        }
        var status = stat()
        if unsafe stat(directory, &status) == 0 { _ = unsafe chmod(beside.path, status.st_mode & 0o7777) }
        let number = Cleanup.uninterrupted { exchange(beside.path, directory) == 0 ? 0 : errno }
        guard number == 0 else {
            throw .failed(
                "\(directory) cannot be exchanged for a new store (\(unsafe String(cString: strerror(number)))); "
                    + "it is as it was: import into a new directory instead")
        }
        try? StoreFiles(beside.path).announceReplacement()
        keepOthers()
        // The exchange is on the disk before the old files are removed.
        let parent = URL(fileURLWithPath: directory).deletingLastPathComponent().path
        try? StoreFiles(parent).synchronize()
    }

    /// Moves files that are no part of the old store to the new one's directory: files of the system, and files that
    /// were added meanwhile.
    private func keepOthers() {
        for name in StoreReplacement.others(in: beside.path, of: place.backend) {
            let target = directory + "/" + name
            if FilePlace(target) == .missing { _ = unsafe rename(beside.path + "/" + name, target) }
        }
    }

    /// Exchanges the names of two directories in one step; returns -1 and sets `errno` if that fails.
    private func exchange(_ left: String, _ right: String) -> Int32 {
        #if canImport(Darwin)
            return unsafe renamex_np(left, right, UInt32(RENAME_SWAP))
        #else
            // The function is declared for GNU sources only, which Swift is not; RENAME_EXCHANGE is 2.
            typealias Rename =
                @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
            guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "renameat2") else {
                errno = ENOSYS
                return -1
            }
            return unsafe unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, left, AT_FDCWD, right, 2)
        #endif
    }

    /// The names of files that are no part of the store in `directory`.
    private static func others(in directory: String, of backend: BackendName) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { !backend.owns($0) }.sorted()
    }
}
