import Testing

@testable import GroveCache

@Suite("Eviction policies")
struct EvictionTests {
    @Test("LRU does what a list on a blackboard does", arguments: 1...4 as ClosedRange<UInt64>)
    func lru(seed: UInt64) {
        var generator = Seeded(seed)
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
        var generator = Seeded(seed)
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
    func invariants(policy index: Int, seed: UInt64) {
        check(everyPolicy[index], seed: seed)
    }

    private func check<Policy: EvictionPolicy>(_ type: Policy.Type, seed: UInt64) {
        var generator = Seeded(seed)
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

    @Test("A policy restored from bytes goes on as the other would have", arguments: everyPolicy.indices)
    func restoring(policy index: Int) throws {
        try checkRestoring(everyPolicy[index])
    }

    private func checkRestoring<Policy: EvictionPolicy>(_ type: Policy.Type) throws {
        var generator = Seeded(9)
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

    @Test("Damaged, shortened and other policies' bytes are refused", arguments: everyPolicy.indices)
    func damage(policy index: Int) {
        checkDamage(everyPolicy[index])
    }

    private func checkDamage<Policy: EvictionPolicy>(_ type: Policy.Type) {
        var generator = Seeded(11)
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
        for other in everyPolicy where other != type { #expect(other.init(restoring: bytes, capacity: 500) == nil) }
    }

    @Test("Nothing fits into nothing", arguments: everyPolicy.indices)
    func nothing(policy index: Int) {
        var policy = everyPolicy[index].init(capacity: 0)
        #expect(!policy.insert(1, weight: 1) { _ in } && policy.evict() == nil && !policy.access(1))
    }

    @Test("Extreme capacities and weights do not overflow", arguments: everyPolicy.indices)
    func extremes(policy index: Int) {
        var policy = everyPolicy[index].init(capacity: .max / 4)
        for key in 0..<2_000 as Range<UInt64> {
            #expect(policy.insert(key, weight: Int(UInt32.max)) { _ in Issue.record("no need to evict") })
        }
        #expect(policy.weight == 2_000 * Int(UInt32.max))
        #expect(!policy.insert(5_000, weight: Int(UInt32.max) + 1) { _ in } && !policy.contains(5_000))
        #expect(everyPolicy[index].init(restoring: policy.save(), capacity: 1_000) != nil)
    }

    @Test("An entry of the default with its ghost takes less than 40 bytes, whether ghosts come back or not")
    func slowMemory() {
        var generator = Seeded(12)
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
