package import GroveCache

/// How a ``SQLiteStore`` is opened.
public struct SQLiteOptions: Sendable, Equatable, PatientOptions {
    /// Whether each commit survives loss of power before `write` returns.
    ///
    /// Otherwise a power loss may undo the last commits, each as a whole, and never damages the store.
    public var isDurable: Bool

    /// How long a write waits for a write of another process before it throws `locked`, to the millisecond.
    public var lockTimeout: Duration

    /// How many bytes of the file are read through a map of memory, 0 for none.
    ///
    /// Reads that the page cache does not answer take two thirds of the time with a map, and its memory is the
    /// system's. Bytes beyond the map are read by calls. If another program cuts the file off *while it is open*, a
    /// process that maps it ends, and one that does not gets errors. A file that was cut off before is found out either
    /// way.
    public var mapSize: Int

    /// Makes options: commits that survive the process but not power loss, 5 seconds' patience, 1 GiB mapped.
    public init(isDurable: Bool = false, lockTimeout: Duration = .seconds(5), mapSize: Int = 1 << 30) {
        self.isDurable = isDurable
        self.lockTimeout = lockTimeout
        self.mapSize = mapSize
    }

    /// The patience in milliseconds, as SQLite takes it.
    var lockMilliseconds: Int32 {
        let (seconds, attoseconds) = lockTimeout.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(max(seconds * 1_000 + attoseconds / 1_000_000_000_000_000, 0))
    }
}
