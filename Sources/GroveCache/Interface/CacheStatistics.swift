public import GroveModel

/// Counts of the reads and writes of a store's handles in this process, since the store was opened.
public struct CacheStatistics: Sendable, Equatable {
    /// Reads that were hits.
    public var hits = 0
    /// Reads that were misses, by reason.
    public var misses: [CacheMiss.Reason: Int] = [:]
    /// Transactions that were committed; wipes are not counted.
    public var commits = 0
    /// Writes that failed, whether or not a caller waited for them; durable writes whose sync failed are counted.
    public var failedWrites = 0
    /// Records that were put into the store; unchanged ones are not counted.
    public var recordsPut = 0
    /// The bytes of their keys and values.
    public var bytesPut = 0
    /// Writes that wait to be committed.
    public var queuedWrites = 0
    /// The memory that the queued writes take, in bytes; an estimate.
    public var queuedBytes = 0

    /// Makes statistics with every count 0.
    public init() {}
}

/// The outcome of one group of writes.
public struct CommitReport: Sendable, Equatable {
    /// The calls in the group, with those that failed.
    public var writes = 0
    /// The calls that failed, whether or not a caller waited for them; durable calls whose sync failed are counted.
    public var failedWrites = 0
    /// The transactions that were committed since the last report, with those that evicted records to make room for the
    /// group; wipes are not counted.
    public var commits = 0
    /// The records put into the store.
    public var recordsPut = 0
    /// The bytes of their keys and values.
    public var bytesPut = 0
    /// The writes that were queued when the group ended.
    public var queuedWrites = 0
    /// The memory that the queued writes took, in bytes; an estimate.
    public var queuedBytes = 0

    /// Makes a report with every count 0.
    public init() {}
}

/// The writer's counts: in all, and since the last report to observers.
struct WriteTally: Sendable {
    var commits = 0
    var failures = 0
    var recordsPut = 0
    var bytesPut = 0
    var unreported = CommitReport()

    /// Takes in a transaction that was committed.
    mutating func note(_ summary: TransactionSummary) {
        commits += 1
        unreported.commits += 1
        recordsPut += summary.putCount
        bytesPut += summary.putBytes
        unreported.recordsPut += summary.putCount
        unreported.bytesPut += summary.putBytes
    }

    /// The report of everything since the last one, about a group of `writes`, of which `failed` failed.
    func report(writes: Int, failed: Int, queued: Int, bytes: Int) -> CommitReport {
        var report = unreported
        report.writes = writes
        report.failedWrites = failed
        report.queuedWrites = queued
        report.queuedBytes = bytes
        return report
    }
}

extension NormalizedCache {
    /// The counts of all handles on the store in this process since it was opened.
    ///
    /// - Complexity: O(1).
    public var statistics: CacheStatistics {
        var statistics = CacheStatistics()
        (statistics.hits, statistics.misses) = core.readers.counts
        let tally = core.ledger.tally
        statistics.commits = tally.commits
        statistics.failedWrites = tally.failures
        statistics.recordsPut = tally.recordsPut
        statistics.bytesPut = tally.bytesPut
        (statistics.queuedWrites, statistics.queuedBytes) = core.state.withLock {
            ($0.queue.calls.count, $0.queue.byteCount)
        }
        return statistics
    }
}
