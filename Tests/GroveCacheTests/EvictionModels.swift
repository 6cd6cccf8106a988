import StoreTesting

@testable import GroveCache

/// Every policy of the module, by type, for tests that hold for all of them.
let everyPolicy: [any EvictionPolicy.Type] = [LRU.self, AdaptiveS3FIFO.self]

/// LRU as one would write it on a blackboard.
struct NaiveLRU {
    let capacity: Int
    var entries: [EvictedEntry] = []

    mutating func apply(_ step: Step) -> (hit: Bool, victims: [EvictedEntry]) {
        switch step {
        case .read(let key):
            guard let place = entries.firstIndex(where: { $0.key == key }) else { return (false, []) }
            entries.append(entries.remove(at: place))
            return (true, [])
        case .insert(let key, let weight):
            guard weight <= capacity else { return (false, []) }
            entries.removeAll { $0.key == key }
            entries.append(EvictedEntry(key: key, weight: weight))
            var victims: [EvictedEntry] = []
            while entries.reduce(0, { $0 + $1.weight }) > capacity { victims.append(entries.removeFirst()) }
            return (true, victims)
        case .remove(let key):
            guard let place = entries.firstIndex(where: { $0.key == key }) else { return (false, []) }
            entries.remove(at: place)
            return (true, [])
        case .evict:
            return (true, entries.isEmpty ? [] : [entries.removeFirst()])
        }
    }
}

/// The default as in its documentation, with arrays that are searched and times that do not wrap around.
struct NaiveAdaptiveS3FIFO {
    struct Entry {
        var key: UInt64
        var weight: Int
        var reads = 0
        var touched: Int
    }

    let capacity: Int
    var target: Int
    var small: [Entry] = []
    var main: [Entry] = []
    var ghosts: [Entry] = []
    var clock = 0

    init(capacity: Int) {
        self.capacity = capacity
        target = capacity / 10
    }

    private func weight(_ queue: [Entry]) -> Int { queue.reduce(0) { $0 + $1.weight } }

    private mutating func hit(_ entry: inout Entry, isMain: Bool) {
        if clock - entry.touched > capacity / 2 { clock += entry.weight }
        if isMain, clock - entry.touched > capacity { target = max(target - entry.weight, capacity / 10) }
        entry.reads = min(entry.reads + 1, 3)
        entry.touched = clock
    }

    private mutating func read(_ key: UInt64, newWeight: Int?) -> Bool {
        if let place = small.firstIndex(where: { $0.key == key }) {
            var entry = small[place]
            hit(&entry, isMain: false)
            entry.weight = newWeight ?? entry.weight
            small[place] = entry
            return true
        }
        guard let place = main.firstIndex(where: { $0.key == key }) else { return false }
        var entry = main[place]
        hit(&entry, isMain: true)
        entry.weight = newWeight ?? entry.weight
        main[place] = entry
        return true
    }

    private mutating func evict() -> EvictedEntry? {
        while !small.isEmpty || !main.isEmpty {
            if !small.isEmpty, weight(small) > target || main.isEmpty {
                var entry = small.removeFirst()
                if entry.reads >= (weight(main) < (capacity - target) / 5 * 4 ? 1 : 2) {
                    entry.reads = 0
                    main.append(entry)
                    continue
                }
                ghosts.append(entry)
                while weight(ghosts) > capacity { ghosts.removeFirst() }
                return EvictedEntry(key: entry.key, weight: entry.weight)
            }
            var entry = main.removeFirst()
            guard entry.reads > 0 else { return EvictedEntry(key: entry.key, weight: entry.weight) }
            entry.reads -= 1
            main.append(entry)
        }
        return nil
    }

    mutating func apply(_ step: Step) -> (hit: Bool, victims: [EvictedEntry]) {
        switch step {
        case .read(let key): return (read(key, newWeight: nil), [])
        case .insert(let key, let size):
            guard size <= capacity else { return (false, []) }
            var victims: [EvictedEntry] = []
            if read(key, newWeight: size) {
                while weight(small) + weight(main) > capacity, let victim = evict() { victims.append(victim) }
                return (!victims.contains { $0.key == key }, victims)
            }
            var entry = Entry(key: key, weight: size, touched: 0)
            let ghost = ghosts.firstIndex { $0.key == key }
            if let ghost, clock - ghosts.remove(at: ghost).touched <= capacity {
                target = min(target + size, capacity - capacity / 5)
            }
            clock += size
            while weight(small) + weight(main) + size > capacity, let victim = evict() { victims.append(victim) }
            entry.touched = clock
            if ghost == nil { small.append(entry) } else { main.append(entry) }
            return (true, victims)
        case .remove(let key):
            ghosts.removeAll { $0.key == key }
            let before = small.count + main.count
            small.removeAll { $0.key == key }
            main.removeAll { $0.key == key }
            return (small.count + main.count < before, [])
        case .evict:
            return (true, evict().map { [$0] } ?? [])
        }
    }
}
