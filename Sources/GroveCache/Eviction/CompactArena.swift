/// A queue through a ``CompactArena``, linked from old to new; what was removed does not count.
struct CompactQueue: Sendable {
    var oldest = UInt32.max
    var newest = UInt32.max
    var weight = 0
    var count = 0
}

/// Entries that are only added at one end of a queue and taken at the other, and so need one link each.
///
/// What is removed from the middle is marked, and unlinked when its turn comes or when ``sweep(_:)`` is called.
struct CompactArena: Sendable {
    private var entries: ContiguousArray<CompactEntry> = []
    private var index = KeyIndex<CompactEntry>()
    private var free = UInt32.max
    /// What the owner notes of each place in `entries`; empty until something is noted.
    private var notes: ContiguousArray<UInt32> = []

    /// Entries that were removed and are still linked.
    private(set) var removed = 0

    /// Bytes allocated.
    var bytes: Int {
        entries.capacity * MemoryLayout<CompactEntry>.stride + index.bytes
            + notes.capacity * MemoryLayout<UInt32>.stride
    }

    /// The entry at `position`.
    subscript(position: Int) -> CompactEntry {
        @inline(__always) get { entries[position] }
        @inline(__always) _modify { yield &entries[position] }
    }

    /// The position of `key`.
    func find(_ key: UInt64) -> Int? { index.position(of: key, in: entries) }

    /// Makes room for `count` entries altogether.
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        index.reserve(count, in: entries)
    }

    /// Adds an entry as the newest of `queue`.
    mutating func add(_ entry: CompactEntry, to queue: inout CompactQueue) {
        let position: Int
        if free != .max {
            position = Int(free)
            free = entries[position].newer
            entries[position] = entry
            setNote(0, at: position)
        } else {
            entries.growGently()
            position = entries.count
            entries.append(entry)
            if !notes.isEmpty {
                notes.growGently()
                notes.append(0)
            }
        }
        index.add(position, in: entries)
        link(position, into: &queue)
    }

    /// Makes the entry at `position`, which is in no queue, the newest of `queue`.
    mutating func link(_ position: Int, into queue: inout CompactQueue) {
        entries[position].newer = .max
        if queue.newest == .max {
            queue.oldest = UInt32(position)
        } else {
            entries[Int(queue.newest)].newer = UInt32(position)
        }
        queue.newest = UInt32(position)
        queue.weight += Int(entries[position].weight)
        queue.count += 1
    }

    /// Unlinks the oldest entry of a queue that has one, passing over what was removed.
    mutating func takeOldest(of queue: inout CompactQueue) -> Int {
        while true {
            let position = Int(queue.oldest)
            queue.oldest = entries[position].newer
            if queue.oldest == .max { queue.newest = .max }
            guard entries[position].isRemoved else {
                queue.weight -= Int(entries[position].weight)
                queue.count -= 1
                return position
            }
            release(position)
            removed -= 1
        }
    }

    /// Forgets an entry that is in no queue.
    mutating func drop(_ position: Int) {
        index.remove(position, in: entries)
        release(position)
    }

    /// Forgets an entry of `queue`, wherever it is.
    mutating func remove(_ position: Int, from queue: inout CompactQueue) {
        index.remove(position, in: entries)
        queue.weight -= Int(entries[position].weight)
        queue.count -= 1
        entries[position].isRemoved = true
        removed += 1
    }

    /// Gives the entry at `position` a weight anew, and forgets its note.
    mutating func setWeight(_ weight: UInt32, of position: Int, in queue: inout CompactQueue) {
        queue.weight += Int(weight) - Int(entries[position].weight)
        entries[position].weight = weight
        setNote(0, at: position)
    }

    /// The note of the entry at `position`, 0 where there is none.
    func note(at position: Int) -> UInt32 { notes.isEmpty ? 0 : notes[position] }

    /// Notes something of the entry at `position`.
    mutating func setNote(_ note: UInt32, at position: Int) {
        if notes.isEmpty {
            guard note != 0 else { return }
            notes = ContiguousArray(repeating: 0, count: entries.count)
        }
        notes[position] = note
    }

    /// Forgets all notes.
    mutating func removeNotes() { notes = [] }

    /// Unlinks what was removed from `queue`, in as many steps as it is long.
    mutating func sweep(_ queue: inout CompactQueue) {
        var position = queue.oldest
        queue = CompactQueue()
        while position != .max {
            let newer = entries[Int(position)].newer
            if entries[Int(position)].isRemoved {
                release(Int(position))
                removed -= 1
            } else {
                link(Int(position), into: &queue)
            }
            position = newer
        }
    }

    /// Calls `body` with every entry of `queue`, the oldest first.
    func forEach(in queue: CompactQueue, _ body: (CompactEntry) -> Void) {
        var position = queue.oldest
        while position != .max {
            if !entries[Int(position)].isRemoved { body(entries[Int(position)]) }
            position = entries[Int(position)].newer
        }
    }

    private mutating func release(_ position: Int) {
        entries[position].newer = free
        free = UInt32(position)
    }
}
