/// S3-FIFO with a small queue that finds its own size.
///
/// The default. From Yang, Zhang, Qiu, Yue and Rashmi: *FIFO Queues are All You Need for Cache Eviction*, SOSP 2023, section 4, with
/// three changes, each measured in Docs/Guides/Eviction.md:
///
/// 1. *The small queue's share moves* between a tenth and eight tenths of the capacity. A clock runs in bytes: by the weight of
///    every entry that comes in, and of every one that is read and was not touched for half a capacity. It bounds how
///    much LRU would have had to hold to still have something. A ghost that comes back within one capacity would have
///    been a hit in a longer small queue, which grows by its weight; a hit in the main queue after more than one capacity
///    is one that a longer small queue would have cost, and shrinks it by its weight.
/// 2. *One read suffices* to pass to the main queue while that has less than four fifths of its share, and two do
///    afterwards: an empty main queue has nothing to protect.
/// 3. *Ghosts have the whole capacity*, not nine tenths of it.
///
/// A hit changes four bytes in memory. An entry takes 20 bytes and its ghost 8, with some 5 of index each; once a note is
/// set, an entry takes 4 more.
public struct AdaptiveS3FIFO: EvictionPolicy {
    /// `default`.
    public static let name = "default"

    /// The bytes that resident entries may have together.
    public let capacity: Int

    /// The bytes that the small queue should have.
    private(set) var target: Int

    private var arena = CompactArena()
    private var small = CompactQueue()
    private var main = CompactQueue()
    private var ghosts = GhostQueue()
    private var clock: UInt64 = 0

    private static let tag: UInt32 = 0x4633_5341

    private var leastTarget: Int { capacity / 10 }
    private var greatestTarget: Int { capacity - capacity / 5 }

    /// Makes an empty policy for `capacity` bytes.
    public init(capacity: Int) {
        precondition(capacity >= 0, "The capacity of a policy is not negative.")
        self.capacity = capacity
        target = capacity / 10
        let bits = Int.bitWidth - capacity.leadingZeroBitCount
        touchShift = UInt64(max(bits - 20, 0))
        ghostShift = UInt64(max(bits - 11, 0))
    }

    /// The bytes that resident entries have together.
    public var weight: Int { small.weight + main.weight }

    /// The number of resident entries.
    public var count: Int { small.count + main.count }

    /// The number of ghosts.
    var ghostCount: Int { ghosts.count }

    /// Bytes allocated for entries and ghosts.
    var bytes: Int { arena.bytes + ghosts.bytes }

    /// Whether `key` is resident.
    public func contains(_ key: UInt64) -> Bool { arena.find(key) != nil }

    /// Counts the read and returns whether `key` is resident.
    public mutating func access(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        hit(position)
        return true
    }

    /// Makes room, and adds `key` to the small queue, or to the main one where there is a ghost of it.
    public mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
        guard let accepted = accepted(weight) else { return false }
        if let position = arena.find(key) {
            return update(position, accepted, evicting)
        }
        var wasGhost = false
        if let touched = ghosts.take(CompactEntry.hash(of: key)) {
            wasGhost = true
            let age = UInt16(truncatingIfNeeded: clock >> ghostShift) &- touched
            if UInt64(age) << ghostShift <= UInt64(capacity) { target = min(target + weight, greatestTarget) }
        }
        clock &+= UInt64(accepted)
        while self.weight + weight > capacity, let victim = evict() { evicting(victim) }
        add(CompactEntry(key: key, weight: accepted, isMain: wasGhost, touched: now))
        return true
    }

    /// Forgets `key`, its ghost too, and returns whether it was resident.
    public mutating func remove(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else {
            _ = ghosts.take(CompactEntry.hash(of: key))
            return false
        }
        if arena[position].isMain { arena.remove(position, from: &main) } else { arena.remove(position, from: &small) }
        if arena.removed > count / 4 + 16 {
            arena.sweep(&small)
            arena.sweep(&main)
        }
        return true
    }

    /// Evicts from the small queue while that has more than its share, else from the main one.
    public mutating func evict() -> EvictedEntry? {
        while count > 0 {
            if small.count > 0, small.weight > target || main.count == 0 {
                let position = arena.takeOldest(of: &small)
                let neededReads: UInt32 = main.weight < (capacity - target) / 5 * 4 ? 1 : 2
                if arena[position].reads >= neededReads {
                    arena[position].reads = 0
                    arena[position].isMain = true
                    arena.link(position, into: &main)
                    continue
                }
                let victim = forget(position)
                ghosts.trim(to: capacity)
                return victim
            }
            let position = arena.takeOldest(of: &main)
            if arena[position].reads > 0 {
                arena[position].reads -= 1
                arena.link(position, into: &main)
                continue
            }
            return forget(position)
        }
        return nil
    }

    /// Calls `body` with every resident entry, the small queue first.
    public func forEachResident(_ body: (UInt64, Int) -> Void) {
        arena.forEach(in: small) { body($0.key, Int($0.weight)) }
        arena.forEach(in: main) { body($0.key, Int($0.weight)) }
    }

    // MARK: Notes

    /// `true`.
    public static let keepsNotes = true

    /// The weight and the note of `key`, where it is resident.
    public func note(of key: UInt64) -> (weight: Int, note: UInt32)? {
        arena.find(key).map { (Int(arena[$0].weight), arena.note(at: $0)) }
    }

    /// Gives `key` a note, where it is resident with the weight `weight`.
    public mutating func setNote(_ note: UInt32, of key: UInt64, weight: Int) {
        guard let position = arena.find(key), Int(arena[position].weight) == weight else { return }
        arena.setNote(note, at: position)
    }

    /// Forgets all notes, and gives their memory back.
    public mutating func removeNotes() { arena.removeNotes() }

    // MARK: Time

    /// An entry's time is the clock in units of a power of two, at most 2⁻¹⁹ of the capacity; 2²⁸ of them wrap around
    /// after at least 256 capacities, and cost one wrong step of the target.
    private let touchShift: UInt64

    /// The same for ghosts: 2⁻¹⁰ of the capacity, 2¹⁶ of them.
    private let ghostShift: UInt64

    private var now: UInt32 { UInt32(truncatingIfNeeded: clock >> touchShift) & 0xfff_ffff }

    private func age(_ position: Int) -> Int {
        Int(UInt64((now &- arena[position].touched) & 0xfff_ffff) << touchShift)
    }

    private mutating func hit(_ position: Int) {
        if age(position) > capacity / 2 { clock &+= UInt64(arena[position].weight) }
        if arena[position].isMain, age(position) > capacity {
            target = max(target - Int(arena[position].weight), leastTarget)
        }
        arena[position].reads += 1
        arena[position].touched = now
    }

    // MARK: Queues

    private mutating func update(
        _ position: Int, _ weight: UInt32, _ evicting: (EvictedEntry) -> Void
    ) -> Bool {
        hit(position)
        let key = arena[position].key
        if arena[position].isMain {
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

    private mutating func add(_ entry: CompactEntry) {
        if entry.isMain { arena.add(entry, to: &main) } else { arena.add(entry, to: &small) }
    }

    /// Forgets an entry that is in no queue; one of the small queue leaves a ghost.
    private mutating func forget(_ position: Int) -> EvictedEntry {
        let entry = arena[position]
        if !entry.isMain {
            let touched = clock &- UInt64(age(position))
            ghosts.add(
                CompactEntry.hash(of: entry.key), touched: UInt16(truncatingIfNeeded: touched >> ghostShift),
                weight: entry.weight)
        }
        arena.drop(position)
        return EvictedEntry(key: entry.key, weight: Int(entry.weight))
    }

    // MARK: Saving

    /// The queues with their counters and times, the ghosts, the clock and the target as bytes.
    ///
    /// Times are saved as ages, so that they mean the same with another capacity.
    public func save() -> [UInt8] {
        var writer = PolicyStateWriter(policy: Self.tag, reserving: count * 16 + ghosts.count * 8 + 80)
        for word in [UInt64(capacity), UInt64(target), clock, touchShift, ghostShift] { writer.word(word) }
        for queue in [small, main] {
            writer.word(UInt64(queue.count))
            arena.forEach(in: queue) { entry in
                writer.word(entry.key)
                writer.word(entry.weight)
                writer.word((now &- entry.touched) << 4 | entry.reads)
            }
        }
        writer.word(UInt64(ghosts.count))
        let ghostNow = UInt16(truncatingIfNeeded: clock >> ghostShift)
        ghosts.forEach { ghost in
            writer.word(ghost.key)
            writer.word(ghostNow &- ghost.touched)
            writer.word(ghost.packedWeight)
        }
        return writer.finished()
    }

    /// Makes a policy from what ``save()`` returned; `nil` where the bytes are not that.
    public init?(restoring bytes: [UInt8], capacity: Int) {
        self.init(capacity: capacity)
        guard var reader = PolicyStateReader(bytes, policy: Self.tag), let oldCapacity = reader.word(UInt64.self),
            let oldTarget = reader.word(UInt64.self), let oldClock = reader.word(UInt64.self),
            let oldTouchShift = reader.word(UInt64.self), let oldGhostShift = reader.word(UInt64.self),
            oldTarget <= oldCapacity, oldTouchShift < 64, oldGhostShift < 64
        else { return nil }
        clock = oldClock
        if oldCapacity == UInt64(capacity) {
            target = Int(oldTarget)
        } else {
            let share = Double(oldTarget) / Double(max(oldCapacity, 1))
            target = Int(share * Double(capacity) * 0.999_999)
        }
        target = min(max(target, leastTarget), greatestTarget)
        for isMain in [false, true] {
            guard let count = reader.count(ofSize: 16) else { return nil }
            arena.reserve(self.count + count)
            for _ in 0..<count {
                guard let key = reader.word(UInt64.self), let weight = reader.word(UInt32.self),
                    let mark = reader.word(UInt32.self), weight > 0, mark & 12 == 0, !contains(key)
                else { return nil }
                let age = aged(mark >> 4, from: oldTouchShift, to: touchShift)
                var entry = CompactEntry(key: key, weight: weight, isMain: isMain, touched: now &- age)
                entry.reads = mark & 3
                add(entry)
            }
        }
        guard let count = reader.count(ofSize: 8) else { return nil }
        ghosts.reserve(count)
        let ghostNow = UInt16(truncatingIfNeeded: clock >> ghostShift)
        for _ in 0..<count {
            guard let key = reader.word(UInt32.self), let age = reader.word(UInt16.self),
                let packedWeight = reader.word(UInt16.self), packedWeight & 0x7ff > 0, packedWeight >> 11 <= 21
            else { return nil }
            let newAge = UInt16(truncatingIfNeeded: min(aged(UInt32(age), from: oldGhostShift, to: ghostShift), 0xffff))
            ghosts.append(GhostQueue.Ghost(key: key, touched: ghostNow &- newAge, packedWeight: packedWeight))
        }
        ghosts.trim(to: capacity)
        guard reader.isAtEnd else { return nil }
    }

    /// An age in units of one power of two in those of another.
    private func aged(_ age: UInt32, from old: UInt64, to new: UInt64) -> UInt32 {
        guard old != new else { return age }
        let bytes = UInt64(age).multipliedReportingOverflow(by: 1 << old)
        return UInt32(min(bytes.overflow ? .max : bytes.partialValue >> new, 0xfff_ffff))
    }
}
