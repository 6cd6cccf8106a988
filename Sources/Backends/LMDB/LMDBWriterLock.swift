import GroveCache
import GroveModel
import GrovePlatform

/// A lock before LMDB's own for writers, which knows no deadline: a stopped process that holds LMDB's would stop every other one.
///
/// It is the system's on the data file, so that it goes when its owner ends. LMDB uses none there. A process that holds it gets
/// LMDB's at once. It counts between processes only.
enum LMDBWriterLock {
    private static let microsecondsBetweenTries: UInt32 = 200

    /// Locks the data file that is open as `file`.
    ///
    /// - Throws: ``CacheError`` with code `locked` if another process has kept it for longer than `patience`.
    static func lock(_ file: Int32, within patience: Duration) throws(CacheError) {
        guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return }
        let deadline = ContinuousClock.now + patience
        repeat {
            // A file system that cannot lock has no LMDB store either that processes could share.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            guard ContinuousClock.now < deadline else {
                throw CacheError(
                    .locked, "another process has been writing to the store for longer than `lockTimeout`, \(patience)")
            }
            usleep(microsecondsBetweenTries)
        } while flock(file, LOCK_EX | LOCK_NB) != 0
    }

    /// Lets go of it.
    static func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }
}
