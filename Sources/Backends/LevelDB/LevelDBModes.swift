import GroveCache

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps LevelDB's files their owner's alone: LevelDB makes them with mode 0644 less the process's mask, and takes no other.
///
/// Making a file changes the time of its directory, so that one call of the system tells whether there is anything to do.
struct LevelDBModes {
    private var changed = Time(seconds: .min, nanoseconds: 0)
    private var changedAt: UInt64 = 0
    private var isSettled = false

    private struct Time: Equatable {
        let seconds: Int
        let nanoseconds: Int
    }

    /// Two files made within as many nanoseconds may leave the directory with one time.
    private static var resolution: UInt64 { 20_000_000 }

    /// Gives mode 0600 to LevelDB's files in `directory`, which is that of `files`, where there may be new ones.
    ///
    /// What cannot be changed stays as it is: the directory keeps others out.
    ///
    /// - Complexity: O(1) where no file came or went since, else O(files).
    mutating func settle(_ files: StoreFiles, in directory: Int32) {
        guard let time = Self.time(of: directory) else { return }
        let now = CoarseClock.now
        if time != changed {
            (changed, changedAt, isSettled) = (time, now, false)
        } else if isSettled {
            return
        }
        var names: [String] = []
        let isListed: Void? = try? files.forEachFile { name, file in
            if file.permissions & 0o177 != 0, LevelDBDirectory.isLevelDB(name) { names.append(name) }
        }
        guard isListed != nil else { return }
        // By the directory itself: its path may lead elsewhere by now.
        for name in names { _ = unsafe fchmodat(directory, name, 0o600, 0) }
        isSettled = now &- changedAt > Self.resolution
    }

    private static func time(of directory: Int32) -> Time? {
        var status = stat()
        guard unsafe fstat(directory, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Time(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }
}
