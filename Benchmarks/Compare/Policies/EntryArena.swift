/// One entry of a policy, in a queue or free: 24 bytes.
struct PolicyEntry: IndexedEntry, Sendable {
    let key: UInt64
    fileprivate(set) var weight: UInt32
    /// The neighbour that is newer, and the one that is older; ``EntryArena/none`` at the ends.
    fileprivate(set) var newer: UInt32
    fileprivate var older: UInt32
    /// What the policy notes: which queue, bits for hits.
    var mark: UInt32

    @inline(__always)
    static func hash(of key: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: mixedHash(key) >> 32) }
}

/// A doubly linked queue through an arena, the newest first.
struct EntryQueue: Sendable {
    fileprivate(set) var newest = EntryArena.none
    fileprivate(set) var oldest = EntryArena.none
    fileprivate(set) var weight = 0
    fileprivate(set) var count = 0

    init() {}
}

/// The entries of a policy in one array, linked into queues by position, and found by key.
struct EntryArena: Sendable {
    /// No position.
    static let none = UInt32.max

    private var entries: ContiguousArray<PolicyEntry> = []
    private var index = KeyIndex<PolicyEntry>()
    private var free = EntryArena.none

    init() {}

    /// Entries in queues.
    var count: Int { index.count }

    /// Bytes allocated.
    var bytes: Int { entries.capacity * MemoryLayout<PolicyEntry>.stride + index.bytes }

    /// The entry at `position`.
    subscript(position: UInt32) -> PolicyEntry {
        @inline(__always) get { entries[Int(position)] }
        @inline(__always) _modify { yield &entries[Int(position)] }
    }

    /// The position of `key`.
    func find(_ key: UInt64) -> UInt32? {
        guard let position = index.position(of: key, in: entries) else { return nil }
        return UInt32(position)
    }

    /// Adds an entry as the newest of `queue`.
    @discardableResult
    mutating func add(_ key: UInt64, weight: UInt32, mark: UInt32, to queue: inout EntryQueue) -> UInt32 {
        let entry = PolicyEntry(key: key, weight: weight, newer: Self.none, older: Self.none, mark: mark)
        let position: UInt32
        if free != Self.none {
            position = free
            free = entries[Int(position)].older
            entries[Int(position)] = entry
        } else {
            entries.growGently()
            position = UInt32(entries.count)
            entries.append(entry)
        }
        index.add(Int(position), in: entries)
        link(position, into: &queue)
        return position
    }

    /// Takes the entry at `position` out of `queue` and forgets it.
    mutating func drop(_ position: UInt32, from queue: inout EntryQueue) {
        unlink(position, from: &queue)
        index.remove(Int(position), in: entries)
        entries[Int(position)].older = free
        free = position
    }

    /// Makes the entry at `position`, which is in no queue, the newest of `queue`.
    mutating func link(_ position: UInt32, into queue: inout EntryQueue) {
        entries[Int(position)].newer = Self.none
        entries[Int(position)].older = queue.newest
        if queue.newest == Self.none {
            queue.oldest = position
        } else {
            entries[Int(queue.newest)].newer = position
        }
        queue.newest = position
        queue.weight += Int(entries[Int(position)].weight)
        queue.count += 1
    }

    /// Takes the entry at `position` out of `queue`.
    mutating func unlink(_ position: UInt32, from queue: inout EntryQueue) {
        let entry = entries[Int(position)]
        if entry.newer == Self.none {
            queue.newest = entry.older
        } else {
            entries[Int(entry.newer)].older = entry.older
        }
        if entry.older == Self.none {
            queue.oldest = entry.newer
        } else {
            entries[Int(entry.older)].newer = entry.newer
        }
        queue.weight -= Int(entry.weight)
        queue.count -= 1
    }

    /// Makes the entry at `position` the newest of its queue.
    mutating func renew(_ position: UInt32, in queue: inout EntryQueue) {
        guard queue.newest != position else { return }
        unlink(position, from: &queue)
        link(position, into: &queue)
    }

    /// Gives the entry at `position` another weight.
    mutating func setWeight(_ weight: UInt32, of position: UInt32, in queue: inout EntryQueue) {
        queue.weight += Int(weight) - Int(entries[Int(position)].weight)
        entries[Int(position)].weight = weight
    }

    /// Calls `body` with every entry of `queue`, the oldest first.
    func forEach(in queue: EntryQueue, _ body: (PolicyEntry) -> Void) {
        var position = queue.oldest
        while position != Self.none {
            body(entries[Int(position)])
            position = entries[Int(position)].newer
        }
    }
}

extension ContiguousArray {
    /// Makes room for one more element, by a thirty-second of what there is rather than by as much again.
    @inline(__always)
    mutating func growGently() {
        if count == capacity { reserveCapacity(count + count / 32 + 16) }
    }
}
