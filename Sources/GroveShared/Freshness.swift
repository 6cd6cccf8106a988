/// How fresh a read of a ``NearCache`` must be.
public enum Freshness: Hashable, Sendable {
    /// The local record, if the database answered within the cache's `patience`; otherwise the database is asked first.
    case near
    /// The same, with a limit of the caller's own instead of `patience`: for models that may be old while the server is
    /// down.
    case stale(atMost: Duration)
    /// No older than this commit. Pass the number that ``NearCache/write(_:)`` returned to read your own write.
    case atLeast(FeedNumber)
    /// No older than the call. It costs one short trip to the database. Linearizable for each identifier.
    case fresh
}
