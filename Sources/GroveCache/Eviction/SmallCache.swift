/// A cache in miniature, of some sampled keys: it tells how an order does while another is in charge.
struct SmallCache: Sendable {
    private struct Entry {
        let hash: UInt64
        let weight: Int
        let written: UInt64
    }

    private var order: TouchOrder
    private let capacity: Int
    private var entries: [Entry] = []
    private var places: [UInt64: Int] = [:]
    private var weight = 0
    private var hand = 0
    private var now: UInt64 = 0

    init(_ kind: TouchOrder.Kind, capacity: Int) {
        self.capacity = max(capacity, 1)
        order = TouchOrder(kind, capacity: capacity, slots: TouchTable.leastSlots)
    }

    /// Asks for a key, which is stored if it is missing and fits; returns whether it was there.
    mutating func access(_ hash: UInt64, weight: Int) -> Bool {
        if let place = places[hash] {
            now += UInt64(order.hit(hash, weight: entries[place].weight, now: now))
            return true
        }
        guard weight <= capacity else { return false }
        now += UInt64(weight)
        while self.weight + weight > capacity, !entries.isEmpty { evict() }
        order.came(hash, weight: weight, now: now)
        places[hash] = entries.count
        entries.append(Entry(hash: hash, weight: weight, written: now))
        self.weight += weight
        return false
    }

    private mutating func evict() {
        var (worst, worstScore) = (0, -1.0)
        for _ in 0..<min(128, entries.count) {
            hand = hand + 1 < entries.count ? hand + 1 : 0
            let score = order.score(entries[hand].hash, written: entries[hand].written, now: now)
            if order.goes(score) {
                worst = hand
                break
            }
            if score > worstScore { (worst, worstScore) = (hand, score) }
        }
        let entry = entries[worst]
        order.went(entry.hash, written: entry.written, now: now)
        weight -= entry.weight
        places[entry.hash] = nil
        let last = entries.removeLast()
        if worst < entries.count {
            entries[worst] = last
            places[last.hash] = worst
        }
    }
}
