/// Whether a write returns when it is committed, or when its commit also survives loss of power.
public enum Durability: Sendable {
    /// The write returns when it is committed.
    ///
    /// The commit survives the process being killed at any moment. A loss of power may undo the last commits, each of
    /// them completely.
    case standard

    /// The write returns when its commit also survives loss of power, after one sync for its whole group of writes.
    ///
    /// If that sync fails, the write throws although it is committed and visible: it may not survive loss of power.
    /// Every later durable write and flush throws as well, until the cache is wiped or opened again. The reason: an
    /// operating system reports a failed sync only once, and later syncs would succeed although data was lost.
    case durable
}
