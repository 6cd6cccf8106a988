/// When a write is done.
public enum Durability: Sendable {
    /// Once it is committed: it survives the process being killed at any instant, and loss of power undoes at most the
    /// last commits, whole.
    case standard

    /// Once its commit survives loss of power too: one more sync for the whole group of writes that it is in.
    ///
    /// Where that sync fails the write throws, though it is committed and shows: nobody knows whether it would outlast a
    /// loss of power. Every durable write and flush after it throws as well, until the cache is wiped or opened anew:
    /// systems tell of what they could not write once, and take it for written from then on.
    case durable
}
