public import GroveModel

/// What a store's handles in this process have done since the store was opened.
public struct CacheStatistics: Sendable, Equatable {
    /// Reads that found what they looked for.
    public var hits = 0
    /// Reads that found nothing, by reason.
    public var misses: [CacheMiss.Reason: Int] = [:]
    /// Transactions that were committed; a wipe is none.
    public var commits = 0
    /// Writes that failed, whether or not somebody waited for them; a durable one whose sync failed among them.
    public var failedWrites = 0
    /// Records that were put into the store; what was unchanged is not among them.
    public var recordsPut = 0
    /// The bytes of their keys and values.
    public var bytesPut = 0
    /// Writes that wait to be committed.
    public var queuedWrites = 0
    /// The memory that they take, in bytes; an estimate.
    public var queuedBytes = 0

    /// Makes statistics of nothing.
    public init() {}
}

/// What one group of writes came to.
public struct CommitReport: Sendable, Equatable {
    /// The calls in the group, those that failed among them.
    public var writes = 0
    /// The calls that failed, whether or not somebody waited for them; a durable one whose sync failed among them.
    public var failedWrites = 0
    /// The transactions that were committed since the last report, those that evicted ahead of the group among them; a
    /// wipe is none.
    public var commits = 0
    /// The records put into the store.
    public var recordsPut = 0
    /// The bytes of their keys and values.
    public var bytesPut = 0
    /// The writes that were queued when it ended.
    public var queuedWrites = 0
    /// The memory that they took, in bytes; an estimate.
    public var queuedBytes = 0

    /// Makes a report of nothing.
    public init() {}
}

/// What the writer has done: in all, and since somebody was last told.
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

    /// What was done since the last report, as the report of `writes`, of which `failed` failed.
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
    /// What all handles on the store in this process have done since it was opened.
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
