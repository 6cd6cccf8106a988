import GroveCache
import Synchronization

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
/// It goes by the directory itself, whose path may lead elsewhere by now, and no reader waits for it.
final class LevelDBModes: Sendable {
    private struct State {
        /// The directory; negative once it was let go of.
        var directory: Int32
        var changed = Time(seconds: .min, nanoseconds: 0)
        var changedAt: UInt64 = 0
        var isSettled = false
    }

    private struct Time: Equatable {
        let seconds: Int
        let nanoseconds: Int

        /// Nanoseconds within which two files may be made and leave the directory with one time; some file systems count
        /// in seconds or two.
        var resolution: UInt64 { nanoseconds == 0 ? 2_000_000_000 : 20_000_000 }
    }

    private let state: Mutex<State>

    /// Keeps the files in the open `directory`.
    init(_ directory: Int32) {
        state = Mutex(State(directory: fcntl(directory, F_DUPFD_CLOEXEC, 0)))
    }

    deinit { close() }

    /// Lets go of the directory.
    func close() {
        state.withLock { state in
            if state.directory >= 0 { _ = systemClose(state.directory) }
            state.directory = -1
        }
    }

    /// Gives mode 0600 to LevelDB's files where there may be new ones, and in any case where `isLast`.
    ///
    /// What cannot be changed stays as it is: the directory keeps others out. In somebody else's directory nothing is
    /// changed, for its owner may have to read what the superuser left there.
    ///
    /// - Complexity: O(1) where no file came or went within the last 20 ms, else O(files).
    func settle(isLast: Bool = false) {
        state.withLock { state in
            var status = stat()
            guard state.directory >= 0, unsafe fstat(state.directory, &status) == 0, status.st_uid == geteuid() else {
                return
            }
            let (time, now) = (Self.time(status), CoarseClock.now)
            if time != state.changed {
                (state.changed, state.changedAt, state.isSettled) = (time, now, false)
            } else if state.isSettled, !isLast {
                return
            }
            var names: [String] = []
            let isListed: Void? = try? StoreFiles.forEachFile(in: state.directory) { name, file in
                if file.permissions & 0o177 != 0, LevelDBDirectory.isLevelDB(name) { names.append(name) }
            }
            guard isListed != nil else { return }
            for name in names { _ = unsafe fchmodat(state.directory, name, 0o600, 0) }
            state.isSettled = now &- state.changedAt > time.resolution
        }
    }

    private static func time(_ status: stat) -> Time {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Time(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
