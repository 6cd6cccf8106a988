import Dispatch
import GroveModel

/// The readers of a store: those at rest, those that hold a view of it, and what they found.
///
/// A reader counts as active from before it looks which store is open until its view has ended. So when the writer has made
/// the store unusable for new reads, and then waits until none is active, no view of it is open.
final class Readers: Sendable {
    /// What reads leave for the writer, where there is a budget.
    struct Findings: Sendable {
        /// The hashes of the keys that were asked for, in order.
        var touches: ContiguousArray<UInt64> = []
        /// What reads with a maximum age found too old.
        var expired: [ExpiryQueue.Candidate] = []
        /// Whether the writer is about to take them.
        var isTold = false
    }

    private struct State {
        var atRest: [Reconstructor] = []
        var active = 0
        var isAwaited = false
        var findings = Findings()
        var hits = 0
        var misses: [CacheMiss.Reason: Int] = [:]

        /// Counts an active reader less; returns whether it was the last of those that the writer waits for.
        mutating func endView() -> Bool {
            active -= 1
            guard isAwaited, active == 0 else { return false }
            isAwaited = false
            return true
        }
    }

    private let state = Lock(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Readers at rest beyond these are let go of: each keeps some memory.
    private static let mostAtRest = 8

    /// A reader, which counts as active from now on; `nil` where none is at rest.
    func begin() -> Reconstructor? {
        state.withLock { state in
            state.active += 1
            return state.atRest.popLast()
        }
    }

    /// Counts a reader as active no more, which goes on without a view, or begins again.
    func endView() {
        if state.withLock({ $0.endView() }) { ended.signal() }
    }

    /// Takes a reader back.
    ///
    /// - Parameters:
    ///   - wasActive: whether it still counts.
    ///   - miss: why it found nothing, where it did not.
    ///   - hasBudget: whether the writer wants to know what was touched.
    /// - Returns: whether the writer should take what reads have left.
    func end(
        _ reader: Reconstructor, wasActive: Bool, isHit: Bool = false, miss: CacheMiss.Reason? = nil,
        hasBudget: Bool = false
    ) -> Bool {
        let (isLast, mustTell) = state.withLock { state in
            let mustTell = hasBudget && reader.hand(to: &state.findings)
            if isHit { state.hits += 1 }
            if let miss { state.misses[miss, default: 0] += 1 }
            if state.atRest.count < Readers.mostAtRest { state.atRest.append(reader) }
            return (wasActive && state.endView(), mustTell)
        }
        if isLast { ended.signal() }
        return mustTell
    }

    /// Counts one tree of a read that goes on: a hit, or why it was none.
    func count(miss: CacheMiss.Reason?) {
        state.withLock { state in
            if let miss { state.misses[miss, default: 0] += 1 } else { state.hits += 1 }
        }
    }

    /// Returns when no read has a view; the store was made unusable for new ones before.
    ///
    /// Called by one thread at a time.
    func awaitNone() {
        let mustWait = state.withLock { state in
            state.isAwaited = state.active > 0
            return state.isAwaited
        }
        if mustWait { ended.wait() }
    }

    /// Bytes of heap that the readers at rest hold.
    var bytesAtRest: Int { state.withLock { $0.atRest.reduce(0) { $0 + $1.allocatedByteCount } } }

    /// Lets go of the readers at rest.
    func removeAll() { state.withLock { $0.atRest = [] } }

    /// What reads have left for the writer.
    func takeFindings() -> Findings {
        state.withLock { state in
            defer { state.findings = Findings() }
            return state.findings
        }
    }

    /// Reads that found what they looked for, and those that did not, by reason.
    var counts: (hits: Int, misses: [CacheMiss.Reason: Int]) { state.withLock { ($0.hits, $0.misses) } }
}
