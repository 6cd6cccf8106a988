/// How fresh a read of a ``NearCache`` must be.
public enum Freshness: Hashable, Sendable {
    /// What the machine has, if the database was heard of within the cache's `patience`; otherwise it is asked first.
    case near
    /// The same with a bound of the caller's own instead of `patience`: for what may be stale while the server is down.
    case stale(atMost: Duration)
    /// No older than this commit: what ``NearCache/write(_:)`` returned, to read one's own writes.
    case atLeast(FeedNumber)
    /// No older than the call. Costs one short trip to the database. Linearizable for each identifier.
    case fresh
}
