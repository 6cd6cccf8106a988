public import GroveModel
import Synchronization

/// The faults of a ``TestStore``, set by the test; at first there are none.
///
/// All members may be used from any thread. A fault takes effect with the next transaction or view.
public final class StoreFaults: Sendable {
    private let state = Mutex((writes: CacheError?.none, reads: CacheError?.none))

    /// Makes faults with none set.
    public init() {}

    /// Makes every transaction abort at its end with `error`, such as `full`; `nil` lets transactions commit again.
    public func failWrites(with error: CacheError?) { state.withLock { $0.writes = error } }

    /// Makes every read of the store fail with `error`, such as `inputOutput`; `nil` lets reads succeed again.
    public func failReads(with error: CacheError?) { state.withLock { $0.reads = error } }

    func checkWrite() throws(CacheError) { if let error = state.withLock({ $0.writes }) { throw error } }

    func checkRead() throws(CacheError) { if let error = state.withLock({ $0.reads }) { throw error } }
}
