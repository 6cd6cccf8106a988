import GroveModel

/// What the writer has done, and which failures are still to be told.
final class WriteLedger: Sendable {
    private struct State {
        /// What was written since the store was opened, and since the last report to observers.
        var total = CacheStatistics()
        var unreported = CacheStatistics()
        /// The first failure of a write that no caller waited for, until `flush()` reports it.
        var failure: CacheError?
        /// Why what was committed may not survive loss of power, since a sync failed: a later one that succeeds says
        /// nothing of what that one left out.
        var synchronizationFailure: CacheError?
        var lockFailures = 0
        var lastLockFailure: CacheError?

        mutating func count(_ body: (inout CacheStatistics) -> Void) {
            body(&total)
            body(&unreported)
        }
    }

    private let state = Lock(State())
    /// What the transaction that is about to commit leaves behind: a view may show it before the core's state says so.
    let upcoming = Lock<TransactionSummary?>(nil)

    /// What was written since the store was opened.
    var statistics: CacheStatistics { state.withLock { $0.total } }

    var synchronizationFailure: CacheError? {
        get { state.withLock { $0.synchronizationFailure } }
        set { state.withLock { $0.synchronizationFailure = newValue } }
    }

    /// How often a lock that another process holds was waited for in vain.
    var lockFailures: Int { state.withLock { $0.lockFailures } }

    /// Notes that a lock was waited for in vain, if `error` says so.
    func noteLockFailure(_ error: CacheError) {
        guard error.code == .locked else { return }
        state.withLock { state in
            state.lockFailures += 1
            state.lastLockFailure = error
        }
    }

    /// Why a lock was waited for in vain since there were `count` such failures: a call that waited behind that waits no longer.
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

    /// Notes what the next `flush()` is to report, unless something is to be already.
    func noteUnawaited(_ error: CacheError) {
        state.withLock { if $0.failure == nil { $0.failure = error } }
    }

    /// What `flush()` reports, once.
    func takeFailure() -> CacheError? {
        state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
    }

    /// What was written since the last report; an observer that comes later is not told of it.
    func takeReport() -> CacheStatistics {
        state.withLock { state in
            defer { state.unreported = CacheStatistics() }
            return state.unreported
        }
    }
}
