package import GroveCache
import TestSupport
import Testing

/// What holds of every eviction policy.
package enum PolicyChecks {
    /// Weight, residents and victims agree with a dictionary.
    package static func checkResidents<Policy: EvictionPolicy>(_ type: Policy.Type, seed: UInt64) {
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

    /// A policy restored from bytes goes on as the other would have.
    package static func checkRestoring<Policy: EvictionPolicy>(_ type: Policy.Type) throws {
        var generator = SeededGenerator(seed: 9)
        var policy = type.init(capacity: 5_000_000)
        for _ in 0..<30_000 { _ = policy.apply(Step.random(&generator, capacity: 5_000_000)) }
        let bytes = policy.save()
        var restored = try #require(type.init(restoring: bytes, capacity: 5_000_000))
        #expect(restored.save() == bytes)
        #expect(restored.residents == policy.residents && restored.weight == policy.weight)
        for number in 0..<30_000 {
            let step = Step.random(&generator, capacity: 5_000_000)
            guard restored.apply(step) == policy.apply(step) else {
                Issue.record("\(type.name) differs at step \(number), \(step)")
                break
            }
        }
        #expect(restored.save() == policy.save())

        var smaller = try #require(type.init(restoring: bytes, capacity: 900_000))
        while smaller.weight > smaller.capacity { #expect(smaller.evict() != nil) }
        for _ in 0..<2_000 { _ = smaller.apply(Step.random(&generator, capacity: 900_000)) }
        #expect(smaller.weight <= 900_000 && smaller.count > 0)
        #expect(type.init(restoring: bytes, capacity: 0) != nil)
    }

    /// Damaged, shortened and other policies' bytes are refused.
    package static func checkDamage<Policy: EvictionPolicy>(
        _ type: Policy.Type, others: [any EvictionPolicy.Type]
    ) {
        var generator = SeededGenerator(seed: 11)
        var policy = type.init(capacity: 500)
        for _ in 0..<500 { _ = policy.apply(Step.random(&generator, capacity: 500)) }
        let bytes = policy.save()
        for length in 0..<bytes.count {
            #expect(type.init(restoring: Array(bytes.prefix(length)), capacity: 500) == nil)
        }
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            #expect(type.init(restoring: damaged, capacity: 500) == nil)
        }
        for other in others where other != type { #expect(other.init(restoring: bytes, capacity: 500) == nil) }
    }

    /// Nothing fits into nothing.
    package static func checkNothing<Policy: EvictionPolicy>(_ type: Policy.Type) {
        var policy = type.init(capacity: 0)
        #expect(!policy.insert(1, weight: 1) { _ in } && policy.evict() == nil && !policy.access(1))
    }

    /// Extreme capacities and weights do not overflow.
    package static func checkExtremes<Policy: EvictionPolicy>(_ type: Policy.Type) {
        var policy = type.init(capacity: .max / 4)
        for key in 0..<2_000 as Range<UInt64> {
            #expect(policy.insert(key, weight: Int(UInt32.max)) { _ in Issue.record("no need to evict") })
        }
        #expect(policy.weight == 2_000 * Int(UInt32.max))
        #expect(!policy.insert(5_000, weight: Int(UInt32.max) + 1) { _ in } && !policy.contains(5_000))
        #expect(type.init(restoring: policy.save(), capacity: 1_000) != nil)
    }
}
