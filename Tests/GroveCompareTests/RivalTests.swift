@testable import GroveCompare
import Testing

@Suite("Policies for comparison")
struct RivalTests {
    private static let rivals: [any SimulatedPolicy.Type] = [
        SIEVE.self, S3FIFO.self, ARC.self, WTinyLFU.self, LRU.self, HandsPolicy.self,
    ]

    @Test(
        "Weight, residents and victims agree with a set", arguments: RivalTests.rivals.indices,
        1...3 as ClosedRange<UInt64>)
    func residents(policy index: Int, seed: UInt64) {
        PolicyChecks.checkResidents(RivalTests.rivals[index], seed: seed)
    }

    @Test("Nothing fits into nothing", arguments: RivalTests.rivals.indices)
    func nothing(policy index: Int) { PolicyChecks.checkNothing(RivalTests.rivals[index]) }

    @Test("Extreme capacities and weights do not overflow", arguments: RivalTests.rivals.indices)
    func extremes(policy index: Int) { PolicyChecks.checkExtremes(RivalTests.rivals[index]) }
}
