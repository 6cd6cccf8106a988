package import GroveCache
import GroveModel

/// The options with which an ``LMDBStore`` is opened.
public struct LMDBOptions: Sendable, Equatable, PatientOptions {
    /// The largest size of the store in bytes.
    ///
    /// It takes address space, not disk: the file grows only as it is used. A write that needs more throws `full`. The
    /// size is rounded up to whole pages of the system. A store whose file is already larger can still be opened.
    /// Processes that share a store should use the same size.
    public var mapSize: Int

    /// The most views that all processes together can have open or ready for reuse; each takes 64 bytes of the lock
    /// file.
    ///
    /// The process that opens the store first sets it for all.
    public var maxReaders: Int

    /// The longest time that a write waits for a write of another process before it throws `locked`.
    public var lockTimeout: Duration

    /// Whether each commit survives loss of power before `write` returns.
    ///
    /// If false, loss of power may undo the last commits, each as a whole, and never damages the store.
    public var isDurable: Bool

    /// Makes options: by default 4 GiB of address space, 254 readers, a wait of 5 seconds, and commits that survive the
    /// process but not loss of power.
    public init(
        mapSize: Int = 4 << 30, maxReaders: Int = 254, isDurable: Bool = false, lockTimeout: Duration = .seconds(5)
    ) {
        self.mapSize = mapSize
        self.maxReaders = maxReaders
        self.isDurable = isDurable
        self.lockTimeout = lockTimeout
    }

    /// - Throws: ``CacheError`` with code `unsupported` if LMDB does not accept a number.
    func check() throws(CacheError) {
        guard mapSize > 0, mapSize < Int.max - LMDBEnvironment.systemPage else {
            throw CacheError(.unsupported, "`mapSize` is \(mapSize); pass a positive number of bytes")
        }
        guard maxReaders > 0, UInt32(exactly: maxReaders) != nil else {
            throw CacheError(.unsupported, "`maxReaders` is \(maxReaders); pass a positive number")
        }
    }

    /// The same options with a map of at most `bytes`, if these are given.
    func limited(to bytes: Int?) -> LMDBOptions {
        var options = self
        options.mapSize = min(mapSize, bytes ?? mapSize)
        return options
    }
}
