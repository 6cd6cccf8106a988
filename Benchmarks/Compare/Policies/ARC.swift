/// Two LRU queues, of what was read once and of what was read again, whose shares follow the hits on their ghosts.
///
/// Megiddo and Modha: *ARC: A Self-Tuning, Low Overhead Replacement Cache*, FAST 2003, section 3 and figure 4. Where
/// the paper counts pages we add up bytes, and a hit on a ghost moves the target by the weight of what comes back.
struct ARC: SimulatedPolicy {
    /// `arc`.
    static let name = "arc"

    /// The bytes that resident entries may have together.
    let capacity: Int

    private var arena = EntryArena()
    /// T1 and T2, B1 and B2 of the paper.
    private var once = EntryQueue()
    private var again = EntryQueue()
    private var onceGhosts = EntryQueue()
    private var againGhosts = EntryQueue()
    /// p of the paper: the bytes that T1 should have.
    private var target = 0.0

    private static let inOnce: UInt32 = 0
    private static let inAgain: UInt32 = 1
    private static let onceGhost: UInt32 = 2
    private static let againGhost: UInt32 = 3

    /// Makes an empty policy for `capacity` bytes.
    init(capacity: Int) {
        precondition(capacity >= 0, "The capacity of a policy is not negative.")
        self.capacity = capacity
    }

    /// The bytes that resident entries have together.
    var weight: Int { once.weight + again.weight }

    /// The number of resident entries.
    var count: Int { once.count + again.count }

    /// Whether `key` is resident.
    func contains(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        return arena[position].mark < Self.onceGhost
    }

    /// Makes `key` the newest of those that were read again, and returns whether it is resident.
    mutating func access(_ key: UInt64) -> Bool {
        guard let position = arena.find(key), arena[position].mark < Self.onceGhost else { return false }
        hit(position)
        return true
    }

    /// Adapts the target where there is a ghost of `key`, makes room, and adds it.
    mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
        guard let accepted = accepted(weight) else { return false }
        guard let position = arena.find(key) else {
            addUnknown(key, accepted, evicting)
            return true
        }
        switch arena[position].mark {
        case Self.onceGhost:
            target = min(target + step(weight, againGhosts, onceGhosts), Double(capacity))
            arena.drop(position, from: &onceGhosts)
        case Self.againGhost:
            target = max(target - step(weight, onceGhosts, againGhosts), 0)
            arena.drop(position, from: &againGhosts)
            while self.weight + weight > capacity, let victim = replace(isAgainGhost: true) { evicting(victim) }
        default:
            hit(position)
            arena.setWeight(accepted, of: position, in: &again)
            var isResident = true
            while self.weight > capacity, let victim = evict() {
                if victim.key == key { isResident = false }
                evicting(victim)
            }
            return isResident
        }
        while self.weight + weight > capacity, let victim = replace(isAgainGhost: false) { evicting(victim) }
        arena.add(key, weight: accepted, mark: Self.inAgain, to: &again)
        return true
    }

    /// Forgets `key`, its ghost too, and returns whether it was resident.
    mutating func remove(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        switch arena[position].mark {
        case Self.inOnce: arena.drop(position, from: &once)
        case Self.inAgain: arena.drop(position, from: &again)
        case Self.onceGhost:
            arena.drop(position, from: &onceGhosts)
            return false
        default:
            arena.drop(position, from: &againGhosts)
            return false
        }
        return true
    }

    /// Evicts from the queue that has more than its share.
    mutating func evict() -> EvictedEntry? {
        let victim = replace(isAgainGhost: false)
        while once.weight + onceGhosts.weight > capacity, onceGhosts.count > 0 {
            arena.drop(onceGhosts.oldest, from: &onceGhosts)
        }
        while self.weight + onceGhosts.weight + againGhosts.weight > 2 * capacity, againGhosts.count > 0 {
            arena.drop(againGhosts.oldest, from: &againGhosts)
        }
        return victim
    }

    /// Calls `body` with every resident entry, those read once first.
    func forEachResident(_ body: (UInt64, Int) -> Void) {
        arena.forEach(in: once) { body($0.key, Int($0.weight)) }
        arena.forEach(in: again) { body($0.key, Int($0.weight)) }
    }

    private mutating func hit(_ position: UInt32) {
        if arena[position].mark == Self.inAgain {
            arena.renew(position, in: &again)
        } else {
            arena.unlink(position, from: &once)
            arena[position].mark = Self.inAgain
            arena.link(position, into: &again)
        }
    }

    /// δ of the paper, in bytes: cases II and III.
    private func step(_ weight: Int, _ other: EntryQueue, _ own: EntryQueue) -> Double {
        guard other.weight > own.weight, own.weight > 0 else { return Double(weight) }
        return Double(weight) * Double(other.weight) / Double(own.weight)
    }

    /// Case IV.
    private mutating func addUnknown(_ key: UInt64, _ weight: UInt32, _ evicting: (EvictedEntry) -> Void) {
        let size = Int(weight)
        while once.weight + onceGhosts.weight + size > capacity, onceGhosts.count > 0 {
            arena.drop(onceGhosts.oldest, from: &onceGhosts)
        }
        while once.weight + size > capacity, once.count > 0 {
            evicting(entry(once.oldest))
            arena.drop(once.oldest, from: &once)
        }
        while self.weight + onceGhosts.weight + againGhosts.weight + size > 2 * capacity, againGhosts.count > 0 {
            arena.drop(againGhosts.oldest, from: &againGhosts)
        }
        while self.weight + size > capacity, let victim = replace(isAgainGhost: false) { evicting(victim) }
        arena.add(key, weight: weight, mark: Self.inOnce, to: &once)
    }

    /// REPLACE of the paper.
    private mutating func replace(isAgainGhost: Bool) -> EvictedEntry? {
        guard count > 0 else { return nil }
        let isOverTarget = Double(once.weight) > target || isAgainGhost && Double(once.weight) == target
        if once.count > 0, isOverTarget || again.count == 0 {
            let position = once.oldest
            arena.unlink(position, from: &once)
            arena[position].mark = Self.onceGhost
            arena.link(position, into: &onceGhosts)
            return entry(position)
        }
        let position = again.oldest
        arena.unlink(position, from: &again)
        arena[position].mark = Self.againGhost
        arena.link(position, into: &againGhosts)
        return entry(position)
    }

    private func entry(_ position: UInt32) -> EvictedEntry {
        EvictedEntry(key: arena[position].key, weight: Int(arena[position].weight))
    }
}
