package import GroveCache

/// The options with which a ``SQLiteStore`` is opened.
public struct SQLiteOptions: Sendable, Equatable, PatientOptions {
    /// Whether each commit survives loss of power before `write` returns.
    ///
    /// If false, loss of power may undo the last commits, each as a whole, and never damages the store.
    public var isDurable: Bool

    /// The longest time that a write waits for a write of another process before it throws `locked`, to the
    /// millisecond.
    public var lockTimeout: Duration

    /// The bytes of the file that are read through a memory map; 0 for no map.
    ///
    /// With a map, reads that the page cache does not answer take two thirds of the time, and the map's memory is the
    /// system's. Bytes beyond the map are read by system calls. If another program cuts the file off *while it is
    /// open*, a process that maps it ends, and a process without a map gets errors. A file that was cut off before it
    /// was opened is detected either way.
    public var mapSize: Int

    /// Makes options: by default commits survive the process but not loss of power, a write waits 5 seconds, and 1 GiB
    /// is mapped.
    public init(isDurable: Bool = false, lockTimeout: Duration = .seconds(5), mapSize: Int = 1 << 30) {
        self.isDurable = isDurable
        self.lockTimeout = lockTimeout
        self.mapSize = mapSize
    }

    /// The lock timeout in milliseconds, as SQLite takes it.
    var lockMilliseconds: Int32 {
        let (seconds, attoseconds) = lockTimeout.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(max(seconds * 1_000 + attoseconds / 1_000_000_000_000_000, 0))
    }
}
