@testable import GroveCompare
import Testing
import TestSupport

/// What holds of every eviction policy.
enum PolicyChecks {
    /// Weight, residents and victims agree with a dictionary.
    static func checkResidents<Policy: SimulatedPolicy>(_ type: Policy.Type, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var policy = type.init(capacity: 2_000)
        var residents: [UInt64: Int] = [:]
        for number in 0..<20_000 {
            let step = Step.random(&generator, capacity: 2_000)
            let before = residents
            let (hit, victims) = policy.apply(step)
            switch step {
            case .read(let key): guard hit == (before[key] != nil) else { return fail("a wrong hit") }
            case .remove(let key):
                guard hit == (residents.removeValue(forKey: key) != nil) else { return fail("a wrong removal") }
                guard !policy.contains(key), !policy.access(key) else { return fail("removed and resident") }
            case .insert(let key, let weight):
                if weight > 2_000 {
                    guard !hit, victims.isEmpty else { return fail("an oversize entry did something") }
                } else {
                    residents[key] = weight
                    guard hit == !victims.contains(where: { $0.key == key }) else { return fail("a wrong answer") }
                }
            case .evict: guard victims.count == min(before.count, 1) else { return fail("no victim") }
            }
            for victim in victims {
                guard residents.removeValue(forKey: victim.key) == victim.weight, !policy.contains(victim.key) else {
                    return fail("a victim that was not resident")
                }
            }
            guard policy.weight == residents.values.reduce(0, +), policy.weight <= 2_000 else {
                return fail("a wrong weight")
            }
            guard policy.count == residents.count else { return fail("a wrong count") }
            if number % 500 == 0 {
                let found = policy.residents
                guard Dictionary(found.map { ($0.key, $0.weight) }, uniquingKeysWith: +) == residents,
                    residents.keys.allSatisfy(policy.contains)
                else { return fail("wrong residents") }
            }
            func fail(_ what: String) {
                Issue.record("\(type.name), seed \(seed), step \(number), \(step): \(what)")
            }
        }
        while policy.evict() != nil {}
        #expect(policy.weight == 0 && policy.count == 0 && policy.residents.isEmpty)
    }

    /// Nothing fits into nothing.
    static func checkNothing<Policy: SimulatedPolicy>(_ type: Policy.Type) {
        var policy = type.init(capacity: 0)
        #expect(!policy.insert(1, weight: 1) { _ in } && policy.evict() == nil && !policy.access(1))
    }

    /// Extreme capacities and weights do not overflow.
    static func checkExtremes<Policy: SimulatedPolicy>(_ type: Policy.Type) {
        var policy = type.init(capacity: .max / 4)
        for key in 0..<2_000 as Range<UInt64> {
            #expect(policy.insert(key, weight: Int(UInt32.max)) { _ in Issue.record("no need to evict") })
        }
        #expect(policy.weight == 2_000 * Int(UInt32.max))
        #expect(!policy.insert(5_000, weight: Int(UInt32.max) + 1) { _ in } && !policy.contains(5_000))
    }
}
