package import GroveCache
import GroveModel

/// How an ``LMDBStore`` is opened.
public struct LMDBOptions: Sendable, Equatable, PatientOptions {
    /// The largest size of the store in bytes: address space, not disk; the file grows only as it is used.
    ///
    /// A write that needs more throws `full`. The size is rounded up to whole pages of the system. A store whose file
    /// is already larger opens all the same. Processes that share a store should agree on it.
    public var mapSize: Int

    /// How many views all processes together can have open or at rest, at 64 bytes of the lock file each.
    ///
    /// The process that opens the store first decides for all.
    public var maxReaders: Int

    /// How long a write waits for a write of another process before it throws `locked`.
    public var lockTimeout: Duration

    /// Whether each commit survives loss of power before `write` returns.
    ///
    /// Otherwise a power loss may undo the last commits, each as a whole, and never damages the store.
    public var isDurable: Bool

    /// Makes options: 4 GiB of address space, 254 readers, 5 seconds' patience, commits that survive the process but
    /// not power loss.
    public init(
        mapSize: Int = 4 << 30, maxReaders: Int = 254, isDurable: Bool = false, lockTimeout: Duration = .seconds(5)
    ) {
        self.mapSize = mapSize
        self.maxReaders = maxReaders
        self.isDurable = isDurable
        self.lockTimeout = lockTimeout
    }

    /// - Throws: ``CacheError`` with code `unsupported` if a number is none that LMDB takes.
    func check() throws(CacheError) {
        guard mapSize > 0, mapSize < Int.max - LMDBEnvironment.systemPage else {
            throw CacheError(.unsupported, "`mapSize` is \(mapSize); pass a positive number of bytes")
        }
        guard maxReaders > 0, UInt32(exactly: maxReaders) != nil else {
            throw CacheError(.unsupported, "`maxReaders` is \(maxReaders); pass a positive number")
        }
    }

    /// The same with a map of `bytes` at the most, if those are given.
    func limited(to bytes: Int?) -> LMDBOptions {
        var options = self
        options.mapSize = min(mapSize, bytes ?? mapSize)
        return options
    }
}
