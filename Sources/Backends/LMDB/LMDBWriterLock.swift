import GroveCache
import GroveModel
import GrovePlatform

/// A lock that is taken before LMDB's own lock for writers.
///
/// LMDB's lock has no deadline: a stopped process that holds it would stop all other processes. This one is a system
/// lock on the data file, so that it ends with its owner; LMDB uses none there. Its holder gets LMDB's lock without
/// waiting. It works between processes only.
enum LMDBWriterLock {
    private static let microsecondsBetweenTries: UInt32 = 200

    /// Locks the data file that is open as `file`.
    ///
    /// - Throws: ``CacheError`` with code `locked` if another process has kept it for longer than `patience`.
    static func lock(_ file: Int32, within patience: Duration) throws(CacheError) {
        guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return }
        let deadline = ContinuousClock.now + patience
        repeat {
            // On a file system without locks, processes cannot share an LMDB store anyway.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            guard ContinuousClock.now < deadline else {
                throw CacheError(
                    .locked, "another process has been writing to the store for longer than `lockTimeout`, \(patience)")
            }
            usleep(microsecondsBetweenTries)
        } while flock(file, LOCK_EX | LOCK_NB) != 0
    }

    /// Releases the lock.
    static func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }
}
