import Dispatch
import GroveModel

/// The calls of one manager to its cache: the numbers of edits, the saves that were refused, and a delegate's queue.
struct CacheCalls: Sendable {
    /// The queue of the calls to a cache that is only a ``CacheDelegate``.
    let queue = DispatchQueue(label: "grove.providers.cache")
    /// The number of seconds that a cache which is only a ``CacheDelegate`` has for an answer.
    let timeout: Double
    /// The saves that the cache has refused.
    let unsaved = Lock(UnsavedSet())
    /// The number of the last edit of a list.
    private let tickets = Lock(EditTicket.none)

    init(timeout: Double) { self.timeout = timeout }

    /// A new number for an edit of a list, by which the cache reports the edit.
    func takeTicket() -> EditTicket {
        tickets.withLock { last in
            last = last.next
            return last
        }
    }
}
