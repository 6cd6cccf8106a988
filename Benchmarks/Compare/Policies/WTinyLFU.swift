/// A small LRU window, and behind it a segmented LRU that lets in only what is requested more often than its victim.
///
/// Einziger, Friedman and Manes: *TinyLFU: A Highly Efficient Cache Admission Policy*, ACM Transactions on Storage
/// 13(4), 2017, section 4, with its constants: one hundredth for the window, four fifths of the rest protected. Absent
/// keys that are asked for are counted in the sketch.
struct WTinyLFU: SimulatedPolicy {
    /// `wtinylfu`.
    static let name = "wtinylfu"

    /// The bytes that resident entries may have together.
    let capacity: Int

    private var arena = EntryArena()
    private var sketch = FrequencySketch()
    private var window = EntryQueue()
    private var probation = EntryQueue()
    private var protected = EntryQueue()

    private static let inWindow: UInt32 = 0
    private static let inProbation: UInt32 = 1
    private static let inProtected: UInt32 = 2

    private var windowCapacity: Int { max(capacity / 100, 1) }
    private var protectedCapacity: Int { (capacity - windowCapacity) / 5 * 4 }

    /// Makes an empty policy for `capacity` bytes.
    init(capacity: Int) {
        precondition(capacity >= 0, "The capacity of a policy is not negative.")
        self.capacity = capacity
    }

    /// The bytes that resident entries have together.
    var weight: Int { window.weight + probation.weight + protected.weight }

    /// The number of resident entries.
    var count: Int { arena.count }

    /// Whether `key` is resident.
    func contains(_ key: UInt64) -> Bool { arena.find(key) != nil }

    /// Counts the request, moves `key` up, and returns whether it is resident.
    mutating func access(_ key: UInt64) -> Bool {
        sketch.note(key)
        guard let position = arena.find(key) else { return false }
        hit(position)
        return true
    }

    /// Adds `key` to the window, whose oldest entries then contend with those of the main queue.
    mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
        guard let accepted = accepted(weight) else { return false }
        if let position = arena.find(key) {
            sketch.note(key)
            hit(position)
            switch arena[position].mark {
            case Self.inWindow: arena.setWeight(accepted, of: position, in: &window)
            case Self.inProbation: arena.setWeight(accepted, of: position, in: &probation)
            default: arena.setWeight(accepted, of: position, in: &protected)
            }
            trimProtected()
        } else {
            arena.add(key, weight: accepted, mark: Self.inWindow, to: &window)
            sketch.fit(arena.count)
        }
        var isResident = true
        while self.weight > capacity, let victim = evict() {
            if victim.key == key { isResident = false }
            evicting(victim)
        }
        while window.weight > windowCapacity { admit(window.oldest) }
        return isResident
    }

    /// Forgets `key` and returns whether it was resident.
    mutating func remove(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        drop(position)
        return true
    }

    /// Evicts the less requested of the window's oldest entry and the main queue's, where the window is too large.
    mutating func evict() -> EvictedEntry? {
        let victim = probation.count > 0 ? probation.oldest : protected.oldest
        let candidate = window.oldest
        guard victim != EntryArena.none else {
            return candidate == EntryArena.none ? nil : drop(candidate)
        }
        guard candidate != EntryArena.none, window.weight > windowCapacity else { return drop(victim) }
        guard sketch.frequency(arena[candidate].key) > sketch.frequency(arena[victim].key) else {
            return drop(candidate)
        }
        admit(candidate)
        return drop(victim)
    }

    /// Calls `body` with every resident entry: the window, then what is on probation, then what is protected.
    func forEachResident(_ body: (UInt64, Int) -> Void) {
        for queue in [window, probation, protected] {
            arena.forEach(in: queue) { body($0.key, Int($0.weight)) }
        }
    }

    private mutating func hit(_ position: UInt32) {
        switch arena[position].mark {
        case Self.inWindow: arena.renew(position, in: &window)
        case Self.inProtected: arena.renew(position, in: &protected)
        default:
            arena.unlink(position, from: &probation)
            arena[position].mark = Self.inProtected
            arena.link(position, into: &protected)
            trimProtected()
        }
    }

    private mutating func trimProtected() {
        while protected.weight > protectedCapacity, protected.count > 1 {
            let position = protected.oldest
            arena.unlink(position, from: &protected)
            arena[position].mark = Self.inProbation
            arena.link(position, into: &probation)
        }
    }

    private mutating func admit(_ position: UInt32) {
        arena.unlink(position, from: &window)
        arena[position].mark = Self.inProbation
        arena.link(position, into: &probation)
    }

    @discardableResult
    private mutating func drop(_ position: UInt32) -> EvictedEntry {
        let entry = EvictedEntry(key: arena[position].key, weight: Int(arena[position].weight))
        switch arena[position].mark {
        case Self.inWindow: arena.drop(position, from: &window)
        case Self.inProbation: arena.drop(position, from: &probation)
        default: arena.drop(position, from: &protected)
        }
        return entry
    }
}
