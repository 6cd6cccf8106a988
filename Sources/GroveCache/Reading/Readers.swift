import Dispatch
import GroveModel

/// The readers of a store: those at rest, the number that hold a view of it, and their findings.
///
/// A reader counts as active from before it looks which store is open until its view has ended. So when the writer has
/// made the store unusable for new reads, and then waits until none is active, no view of it is open.
///
/// They lie on ``Pools``, so that reads on several cores do not wait for one another here.
final class Readers: Sendable {
    /// The touches that reads leave for the writer, if there is a budget.
    struct Findings: Sendable {
        /// The hashes of the keys under which reads found something, in order.
        var touches: ContiguousArray<UInt64> = []
        /// Whether the writer is about to take them.
        var isTold = false
    }

    /// The readers and counts of some cores.
    private struct Pool {
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

    /// Advances with each call that fails and each opening; the core's state has it too.
    let epoch = ReadEpoch()
    /// The views that users hold open.
    let openViews = OpenViews()
    /// Reads that were asked for with a completion.
    let queue = DispatchQueue(label: "grove.cache.readers", qos: .userInitiated, attributes: .concurrent)
    private let pools: Pools<Pool>
    /// Signalled once for each pool whose last reader was waited for.
    private let ended = DispatchSemaphore(value: 0)

    /// The most readers at rest on each pool: further ones are let go of, as each keeps some memory.
    static let mostAtRest = PoolCount.share(of: 8)

    init(poolCount: Int = PoolCount.usual) { pools = Pools(count: poolCount) { Pool() } }

    /// A reader, which counts as active from now on; `make` makes one if none is at rest.
    func begin(_ make: () -> Reconstructor) -> Reconstructor {
        let own = pools.own
        let rested = pools.withLock(of: own) { pool in
            pool.active += 1
            return pool.atRest.popLast()
        }
        let reader = rested ?? pools.first(outside: own) { $0.atRest.popLast() } ?? make()
        unsafe reader.state.pointee.pool = own
        return reader
    }

    /// Counts a reader as active no more, which goes on without a view.
    func endView(_ reader: Reconstructor) {
        if unsafe pools.withLock(of: reader.state.pointee.pool, { $0.endView() }) { ended.signal() }
    }

    /// Takes a reader back.
    ///
    /// - Parameters:
    ///   - wasActive: whether it still counts.
    ///   - miss: why it found nothing, if it did not.
    ///   - hasBudget: whether the writer wants to know the touched keys.
    /// - Returns: whether the writer should take the findings of reads now.
    func end(
        _ reader: Reconstructor, wasActive: Bool, isHit: Bool = false, miss: CacheMiss.Reason? = nil,
        hasBudget: Bool = false
    ) -> Bool {
        let (isLast, mustTell) = unsafe pools.withLock(of: reader.state.pointee.pool) { pool in
            let mustTell = hasBudget && reader.hand(to: &pool.findings)
            if isHit { pool.hits += 1 }
            if let miss { pool.misses[miss, default: 0] += 1 }
            if pool.atRest.count < Readers.mostAtRest { pool.atRest.append(reader) }
            return (wasActive && pool.endView(), mustTell)
        }
        if isLast { ended.signal() }
        return mustTell
    }

    /// Counts one tree of a read that goes on: a hit, or why it was none.
    func count(miss: CacheMiss.Reason?) {
        pools.withLock(of: pools.own) { pool in
            if let miss { pool.misses[miss, default: 0] += 1 } else { pool.hits += 1 }
        }
    }

    /// Returns when no read has a view; the store was made unusable for new ones before.
    ///
    /// A reader that begins on a pool after it was visited finds the store unusable. Called by one thread at a time.
    func awaitNone() {
        var awaited = 0
        pools.forEach { pool in
            pool.isAwaited = pool.active > 0
            if pool.isAwaited { awaited += 1 }
        }
        for _ in 0..<awaited { ended.wait() }
    }

    /// Bytes of heap that the readers at rest hold.
    var bytesAtRest: Int {
        var bytes = 0
        pools.forEach { bytes += $0.atRest.reduce(0) { $0 + $1.allocatedByteCount } }
        return bytes
    }

    /// Lets go of the readers at rest.
    func removeAll() { pools.forEach { $0.atRest = [] } }

    /// The hashes of the keys that were read since it was asked last; in order for each core.
    func takeTouches() -> ContiguousArray<UInt64> {
        var all: ContiguousArray<UInt64> = []
        pools.forEach { pool in
            all.append(contentsOf: pool.findings.touches)
            pool.findings = Findings()
        }
        return all
    }

    /// Reads that found what they looked for, and those that did not, by reason.
    var counts: (hits: Int, misses: [CacheMiss.Reason: Int]) {
        var counts: (hits: Int, misses: [CacheMiss.Reason: Int]) = (0, [:])
        pools.forEach { pool in
            counts.hits += pool.hits
            counts.misses.merge(pool.misses, uniquingKeysWith: +)
        }
        return counts
    }
}

/// Limits on the touches that wait for the writer.
enum TouchLimit {
    /// The number that is worth waking the writer for.
    static let batch = 16_384
    /// The number on each pool of readers from which further ones are forgotten.
    static let most = max((1 << 18) / PoolCount.usual, 2 * batch)
}
