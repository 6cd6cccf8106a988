import GroveModel

/// What the writer has done, and which failures are still to be told.
final class WriteLedger: Sendable {
    private struct State {
        var tally = WriteTally()
        /// The first failure of a write that no caller waited for, until `flush()` reports it.
        var failure: CacheError?
        /// Why what was committed may not survive loss of power, since a sync failed: a later one that succeeds says
        /// nothing of what that one left out.
        var synchronizationFailure: CacheError?
        var lockFailures = 0
        var lastLockFailure: CacheError?
    }

    private let state = Lock(State())

    var tally: WriteTally { state.withLock { $0.tally } }

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
    func note(_ summary: TransactionSummary) { state.withLock { $0.tally.note(summary) } }

    /// Notes `count` calls that failed.
    func noteFailures(_ count: Int) { state.withLock { $0.tally.failures += count } }

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

    /// What was done since the last report, as the report of `writes`, of which `failed` failed.
    func takeReport(writes: Int, failed: Int, queued: Int, bytes: Int) -> CommitReport {
        state.withLock { state in
            // An observer that comes later is not told of earlier work.
            defer { state.tally.unreported = CommitReport() }
            return state.tally.report(writes: writes, failed: failed, queued: queued, bytes: bytes)
        }
    }

    /// Forgets the work that was not reported: there was no observer to report it to.
    func forgetUnreported() { state.withLock { $0.tally.unreported = CommitReport() } }
}
