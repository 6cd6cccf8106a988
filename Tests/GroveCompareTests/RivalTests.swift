import GroveCache
import StoreTesting
import Testing

@testable import GroveCompare

@Suite("Policies for comparison")
struct RivalTests {
    private static let rivals: [any EvictionPolicy.Type] = [SIEVE.self, S3FIFO.self, ARC.self, WTinyLFU.self]

    @Test(
        "Weight, residents and victims agree with a set", arguments: RivalTests.rivals.indices,
        1...3 as ClosedRange<UInt64>)
    func residents(policy index: Int, seed: UInt64) {
        PolicyChecks.checkResidents(RivalTests.rivals[index], seed: seed)
    }

    @Test("A policy restored from bytes goes on as the other would have", arguments: RivalTests.rivals.indices)
    func restoring(policy index: Int) throws { try PolicyChecks.checkRestoring(RivalTests.rivals[index]) }

    @Test("Damaged, shortened and other policies' bytes are refused", arguments: RivalTests.rivals.indices)
    func damage(policy index: Int) {
        PolicyChecks.checkDamage(
            RivalTests.rivals[index], others: RivalTests.rivals + [LRU.self, DefaultEviction.self])
    }

    @Test("Nothing fits into nothing", arguments: RivalTests.rivals.indices)
    func nothing(policy index: Int) { PolicyChecks.checkNothing(RivalTests.rivals[index]) }

    @Test("Extreme capacities and weights do not overflow", arguments: RivalTests.rivals.indices)
    func extremes(policy index: Int) { PolicyChecks.checkExtremes(RivalTests.rivals[index]) }
}
