import GroveModel

/// The counts of the writer's work, and the failures that are still to be told.
final class WriteLedger: Sendable {
    private struct State {
        /// The counts since the store was opened, and since the last report to observers.
        var total = CacheStatistics()
        var unreported = CacheStatistics()
        /// The first failure of a write that no caller waited for, until `flush()` reports it.
        var failure: CacheError?
        /// The error of a sync, since which commits may not survive loss of power: a later sync that succeeds does not
        /// make up for it.
        var synchronizationFailure: CacheError?
        var lockFailures = 0
        var lastLockFailure: CacheError?

        mutating func count(_ body: (inout CacheStatistics) -> Void) {
            body(&total)
            body(&unreported)
        }
    }

    private let state = Lock(State())
    /// The summary of the transaction that is about to commit: a view may show it before the core's state says so.
    let upcoming = Lock<TransactionSummary?>(nil)

    /// The counts since the store was opened.
    var statistics: CacheStatistics { state.withLock { $0.total } }

    var synchronizationFailure: CacheError? {
        get { state.withLock { $0.synchronizationFailure } }
        set { state.withLock { $0.synchronizationFailure = newValue } }
    }

    /// The number of times that a lock which another process holds was waited for in vain.
    var lockFailures: Int { state.withLock { $0.lockFailures } }

    /// Notes that a lock was waited for in vain, if `error` says so.
    func noteLockFailure(_ error: CacheError) {
        guard error.code == .locked else { return }
        state.withLock { state in
            state.lockFailures += 1
            state.lastLockFailure = error
        }
    }

    /// The error of a lock that was waited for in vain after `count` such failures: a call that waited behind it waits
    /// no longer.
    func lockFailure(since count: Int) -> CacheError? {
        state.withLock { $0.lockFailures == count ? nil : $0.lastLockFailure }
    }

    /// Notes a transaction that was committed.
    func note(_ summary: TransactionSummary) {
        state.withLock { state in
            state.count {
                $0.commits += 1
                $0.recordsPut += summary.written.records
                $0.bytesPut += summary.written.bytes
            }
        }
    }

    /// Notes `writes` calls, and that `failed` calls, these or ones that were noted, failed.
    func note(writes: Int = 0, failed: Int = 0) {
        state.withLock { state in
            state.count {
                $0.writes += writes
                $0.failedWrites += failed
            }
        }
    }

    /// Notes `error` for the next `flush()`, unless that has one to report already.
    func noteUnawaited(_ error: CacheError) {
        state.withLock { if $0.failure == nil { $0.failure = error } }
    }

    /// The error that `flush()` reports, once.
    func takeFailure() -> CacheError? {
        state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
    }

    /// The counts since the last report; an observer that comes later is not told of them.
    func takeReport() -> CacheStatistics {
        state.withLock { state in
            defer { state.unreported = CacheStatistics() }
            return state.unreported
        }
    }
}
