import StoreTesting
import TestSupport
import Testing

@testable import GroveCache

@Suite("Eviction policies")
struct EvictionTests {
    @Test("LRU does what a list on a blackboard does", arguments: 1...4 as ClosedRange<UInt64>)
    func lru(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var policy = LRU(capacity: 1_000)
        var model = NaiveLRU(capacity: 1_000)
        for number in 0..<4_000 {
            let step = Step.random(&generator, capacity: 1_000)
            let (found, expected) = (policy.apply(step), model.apply(step))
            guard found == expected, policy.weight == model.entries.reduce(0, { $0 + $1.weight }) else {
                Issue.record("seed \(seed), step \(number): \(step): \(found) and not \(expected)")
                return
            }
        }
        #expect(policy.residents == model.entries)
    }

    @Test("The default does what its documentation says, written with arrays", arguments: 1...6 as ClosedRange<UInt64>)
    func adaptive(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // No more than eleven bits: ghosts' weights are exact.
        let capacity = [60, 1_000, 1_500][Int(seed % 3)]
        var policy = AdaptiveS3FIFO(capacity: capacity)
        var model = NaiveAdaptiveS3FIFO(capacity: capacity)
        var targets: Set<Int> = []
        for number in 0..<6_000 {
            let step = Step.random(&generator, capacity: capacity)
            let (found, expected) = (policy.apply(step), model.apply(step))
            targets.insert(model.target)
            guard found == expected, policy.target == model.target, policy.ghostCount == model.ghosts.count else {
                Issue.record(
                    "seed \(seed), step \(number): \(step): \(found), \(policy.target) and not \(expected), \(model.target)"
                )
                return
            }
        }
        #expect(policy.residents.map(\.key) == (model.small + model.main).map(\.key))
        #expect(targets.count > 3, "the trace must move the target")
    }

    @Test(
        "Weight, residents and victims agree with a set", arguments: everyPolicy.indices, 1...3 as ClosedRange<UInt64>)
    func residents(policy index: Int, seed: UInt64) { PolicyChecks.checkResidents(everyPolicy[index], seed: seed) }

    @Test("A policy restored from bytes goes on as the other would have", arguments: everyPolicy.indices)
    func restoring(policy index: Int) throws { try PolicyChecks.checkRestoring(everyPolicy[index]) }

    @Test("Damaged, shortened and other policies' bytes are refused", arguments: everyPolicy.indices)
    func damage(policy index: Int) { PolicyChecks.checkDamage(everyPolicy[index], others: everyPolicy) }

    @Test("Nothing fits into nothing", arguments: everyPolicy.indices)
    func nothing(policy index: Int) { PolicyChecks.checkNothing(everyPolicy[index]) }

    @Test("Extreme capacities and weights do not overflow", arguments: everyPolicy.indices)
    func extremes(policy index: Int) { PolicyChecks.checkExtremes(everyPolicy[index]) }

    @Test("An entry of the default with its ghost takes less than 40 bytes, whether ghosts come back or not")
    func slowMemory() {
        var generator = SeededGenerator(seed: 12)
        var policy = AdaptiveS3FIFO(capacity: 100_000)
        var (ghosts, worst) = (0, 0.0)
        for number in 0..<600_000 as Range<UInt64> {
            let key = number < 250_000 ? number : 250_000 + generator.next() % 250_000
            if !policy.access(key) { policy.insert(key, weight: 1) }
            guard number > 10_000, number % 1_000 == 0 else { continue }
            ghosts = max(ghosts, policy.ghostCount)
            worst = max(worst, Double(policy.bytes) / Double(policy.count))
        }
        #expect(ghosts == 100_000 && worst < 40, "\(worst) bytes")
        let restored = AdaptiveS3FIFO(restoring: policy.save(), capacity: 100_000)
        let bytes = restored.map { Double($0.bytes) / Double(max($0.count, 1)) } ?? .infinity
        #expect(bytes < 40, "\(bytes) bytes")
    }
}
