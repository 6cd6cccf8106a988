/// Three queues in order of arrival: a small one that sorts out what is read once, the main one, and ghosts.
///
/// Yang, Zhang, Qiu, Yue and Rashmi: *FIFO Queues are All You Need for Cache Eviction*, SOSP 2023, section 4 and
/// algorithm 1, with its constants: a tenth of the capacity for the small queue, ghosts for the other nine tenths,
/// two reads to pass from the small to the main queue, counters up to three. Ghosts have the weight of their entries.
///
/// The default of earlier versions grew out of it.
struct S3FIFO: SimulatedPolicy {
    /// `s3fifo`.
    static let name = "s3fifo"

    /// The bytes that resident entries may have together.
    let capacity: Int

    private var arena = EntryArena()
    private var small = EntryQueue()
    private var main = EntryQueue()
    private var ghosts = EntryQueue()

    // The mark: which queue in the high bits, the counter in the two low ones.
    private static let inSmall: UInt32 = 0
    private static let inMain: UInt32 = 4
    private static let isGhost: UInt32 = 8
    private static let counter: UInt32 = 3

    private var smallCapacity: Int { capacity / 10 }
    private var ghostCapacity: Int { capacity - smallCapacity }

    /// Makes an empty policy for `capacity` bytes.
    init(capacity: Int) {
        precondition(capacity >= 0, "The capacity of a policy is not negative.")
        self.capacity = capacity
    }

    /// The bytes that resident entries have together.
    var weight: Int { small.weight + main.weight }

    /// The number of resident entries.
    var count: Int { small.count + main.count }

    /// Whether `key` is resident.
    func contains(_ key: UInt64) -> Bool { resident(key) != nil }

    /// Counts the read and returns whether `key` is resident.
    mutating func access(_ key: UInt64) -> Bool {
        guard let position = resident(key) else { return false }
        hit(position)
        return true
    }

    /// Makes room, and adds `key` to the small queue, or to the main one where there is a ghost of it.
    mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
        guard let accepted = accepted(weight) else { return false }
        var wasGhost = false
        if let position = arena.find(key) {
            if arena[position].mark & Self.isGhost == 0 {
                return update(position, key, accepted, evicting)
            }
            wasGhost = true
            arena.drop(position, from: &ghosts)
        }
        while self.weight + weight > capacity, let victim = evict() { evicting(victim) }
        if wasGhost {
            arena.add(key, weight: accepted, mark: Self.inMain, to: &main)
        } else {
            arena.add(key, weight: accepted, mark: Self.inSmall, to: &small)
        }
        return true
    }

    /// Forgets `key`, its ghost too, and returns whether it was resident.
    mutating func remove(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        switch arena[position].mark & ~Self.counter {
        case Self.inSmall: arena.drop(position, from: &small)
        case Self.inMain: arena.drop(position, from: &main)
        default:
            arena.drop(position, from: &ghosts)
            return false
        }
        return true
    }

    /// Evicts from the small queue while that has more than its share, else from the main one.
    mutating func evict() -> EvictedEntry? {
        while count > 0 {
            if small.count > 0, small.weight > smallCapacity || main.count == 0 {
                let position = small.oldest
                arena.unlink(position, from: &small)
                if arena[position].mark & Self.counter > 1 {
                    arena[position].mark = Self.inMain
                    arena.link(position, into: &main)
                    continue
                }
                let victim = EvictedEntry(key: arena[position].key, weight: Int(arena[position].weight))
                arena[position].mark = Self.isGhost
                arena.link(position, into: &ghosts)
                while ghosts.weight > ghostCapacity { arena.drop(ghosts.oldest, from: &ghosts) }
                return victim
            }
            let position = main.oldest
            if arena[position].mark & Self.counter > 0 {
                arena[position].mark -= 1
                arena.renew(position, in: &main)
                continue
            }
            let victim = EvictedEntry(key: arena[position].key, weight: Int(arena[position].weight))
            arena.drop(position, from: &main)
            return victim
        }
        return nil
    }

    /// Calls `body` with every resident entry, the small queue first.
    func forEachResident(_ body: (UInt64, Int) -> Void) {
        arena.forEach(in: small) { body($0.key, Int($0.weight)) }
        arena.forEach(in: main) { body($0.key, Int($0.weight)) }
    }

    private func resident(_ key: UInt64) -> UInt32? {
        guard let position = arena.find(key), arena[position].mark & Self.isGhost == 0 else { return nil }
        return position
    }

    private mutating func hit(_ position: UInt32) {
        if arena[position].mark & Self.counter < 3 { arena[position].mark += 1 }
    }

    private mutating func update(
        _ position: UInt32, _ key: UInt64, _ weight: UInt32, _ evicting: (EvictedEntry) -> Void
    ) -> Bool {
        hit(position)
        if arena[position].mark & Self.inMain != 0 {
            arena.setWeight(weight, of: position, in: &main)
        } else {
            arena.setWeight(weight, of: position, in: &small)
        }
        var isResident = true
        while self.weight > capacity, let victim = evict() {
            if victim.key == key { isResident = false }
            evicting(victim)
        }
        return isResident
    }
}
