@testable import GroveCompare

/// What may be asked of a policy.
enum Step {
    case read(UInt64)
    case insert(UInt64, Int)
    case remove(UInt64)
    case evict

    /// A random step over some three capacities' worth of keys, few of them much more frequent than others.
    static func random(_ generator: inout some RandomNumberGenerator, capacity: Int) -> Step {
        let range = UInt64.random(in: 1...400, using: &generator)
        let key = UInt64.random(in: 0..<range, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<55: return .read(key)
        case 55..<94: return .insert(key, Int.random(in: 1...max(capacity / 40, 1), using: &generator))
        case 94..<95: return .insert(key, Int.random(in: 1...capacity + 10, using: &generator))
        case 95..<99: return .remove(key)
        default: return .evict
        }
    }
}

extension SimulatedPolicy {
    /// Takes a step; whether the key was there, or is after an insertion, and who had to go.
    mutating func apply(_ step: Step) -> (hit: Bool, victims: [EvictedEntry]) {
        var victims: [EvictedEntry] = []
        switch step {
        case .read(let key): return (access(key), [])
        case .insert(let key, let weight):
            let isResident = insert(key, weight: weight) { victims.append($0) }
            return (isResident, victims)
        case .remove(let key): return (remove(key), [])
        case .evict: return (true, evict().map { [$0] } ?? [])
        }
    }

    /// Everything that is resident, in the policy's order.
    var residents: [EvictedEntry] {
        var found: [EvictedEntry] = []
        forEachResident { found.append(EvictedEntry(key: $0, weight: $1)) }
        return found
    }
}
