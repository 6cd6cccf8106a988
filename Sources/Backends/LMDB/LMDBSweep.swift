import CLMDB
import GroveCache
import GroveModel
import Synchronization

/// Fills pages that removals have left sparse, a few in each transaction, where there is a budget.
///
/// LMDB merges a page only once it is less than a quarter full, and after many removals its pages are a third full on
/// average. Records that are removed and put back in order fill page after page. So the records of a run of neighbouring
/// pages are put back where that takes fewer pages.
///
/// Where a page begins is told by the addresses of its keys, for pages that the transaction has not written to.
final class LMDBSweep: Sendable {
    /// Where the next transaction goes on; empty for the beginning.
    private let next = Mutex<[UInt8]>([])

    /// How many pages a transaction that writes `entries` records fills anew at the most.
    static func pages(forEntries entries: Int) -> Int { 40 + min(entries * 4 / 5, 60) }

    /// Frees pages in the transaction `transaction`, which has written `entries` records.
    func run(
        _ transaction: OpaquePointer, _ environment: LMDBEnvironment, _ guarding: LMDBPageGuard, entries: Int
    ) throws(CacheError) {
        guard guarding.hasMap else { return }
        var pass = unsafe LMDBSweepPass(
            transaction: transaction, environment: environment, guarding: guarding,
            left: Self.pages(forEntries: entries))
        let position = try pass.run(from: next.withLock { $0 })
        next.withLock { $0 = position }
    }
}
