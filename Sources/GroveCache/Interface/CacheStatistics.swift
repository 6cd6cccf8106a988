public import GroveModel

/// Counts of the reads and writes of a store's handles in this process.
///
/// ``Cache/statistics`` counts since the store was opened. ``CacheObserver/cacheDidFinishCommit(_:)`` gets
/// the counts of the writes since its last call, and none of reads.
public struct CacheStatistics: Sendable, Equatable {
    /// Reads that were hits.
    public var hits = 0
    /// Reads that were misses, by reason.
    public var misses: [CacheMiss.Reason: Int] = [:]
    /// Calls that write, including those that failed; a transaction, `cache.write { tx in … }`, counts as one.
    public var writes = 0
    /// Transactions that were committed, including those that evicted records to make room; wipes are not counted.
    public var commits = 0
    /// Writes that failed, whether or not a caller waited for them; durable writes whose sync failed are counted.
    public var failedWrites = 0
    /// Records that were put into the store; unchanged ones are not counted.
    public var recordsPut = 0
    /// Bytes of the keys and values of the records in ``recordsPut``.
    public var bytesPut = 0
    /// Writes that wait to be committed.
    public var queuedWrites = 0
    /// The memory that the queued writes take, in bytes; an estimate.
    public var queuedBytes = 0

    /// Makes statistics with every count 0.
    package init() {}
}

extension CacheCore {
    /// The counts of writes since the last report to observers, and of writes that wait.
    func takeReport() -> CacheStatistics { counting(ledger.takeReport()) }

    /// `statistics`, with the writes that wait.
    fileprivate func counting(_ statistics: CacheStatistics) -> CacheStatistics {
        var statistics = statistics
        (statistics.queuedWrites, statistics.queuedBytes) = state.withLock {
            ($0.queue.calls.count, $0.queue.byteCount)
        }
        return statistics
    }
}

extension Cache {
    /// The counts of all handles on the store in this process since it was opened.
    ///
    /// - Complexity: O(1).
    public var statistics: CacheStatistics {
        var statistics = core.counting(core.ledger.statistics)
        (statistics.hits, statistics.misses) = core.readers.counts
        return statistics
    }
}
