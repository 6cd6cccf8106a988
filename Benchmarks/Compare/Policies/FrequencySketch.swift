/// How often keys were seen lately, roughly: a count-min sketch of four-bit counters that halves them now and then.
///
/// Einziger, Friedman and Manes: *TinyLFU: A Highly Efficient Cache Admission Policy*, ACM Transactions on Storage
/// 13(4), 2017, sections 3.2 and 3.3: counters stop at 15, and all are halved after ten requests for each.
struct FrequencySketch: Sendable {
    /// Sixteen counters a word; their number is a power of two.
    private var words: ContiguousArray<UInt64> = ContiguousArray(repeating: 0, count: 16)
    private var sample = 0

    private var counters: Int { words.count * 16 }

    /// Bytes allocated.
    var bytes: Int { words.capacity * 8 }

    /// Makes it fit `count` entries; what was counted stays, as twice as many counters hold the old ones twice.
    mutating func fit(_ count: Int) {
        while counters < count * 4 { words.append(contentsOf: ContiguousArray(words)) }
    }

    /// Counts one request for `key`.
    mutating func note(_ key: UInt64) {
        var hasGrown = false
        let hash = mixedHash(key)
        for row in 0..<4 {
            let (word, shift) = place(hash, row)
            guard words[word] >> shift & 15 < 15 else { continue }
            words[word] += 1 << shift
            hasGrown = true
        }
        guard hasGrown else { return }
        sample += 1
        if sample >= counters / 4 * 10 { halve() }
    }

    /// The number of requests for `key`, at most 15, and at times too many.
    func frequency(_ key: UInt64) -> UInt64 {
        let hash = mixedHash(key)
        var least: UInt64 = 15
        for row in 0..<4 {
            let (word, shift) = place(hash, row)
            least = min(least, words[word] >> shift & 15)
        }
        return least
    }

    init() {}

    @inline(__always)
    private func place(_ hash: UInt64, _ row: Int) -> (word: Int, shift: UInt64) {
        let low = UInt32(truncatingIfNeeded: hash)
        let high = UInt32(truncatingIfNeeded: hash >> 32) | 1
        let position = Int(low &+ UInt32(truncatingIfNeeded: row) &* high &+ high >> 16) & (counters - 1)
        return (position >> 4, UInt64(position & 15) * 4)
    }

    private mutating func halve() {
        for word in words.indices { words[word] = words[word] >> 1 & 0x7777_7777_7777_7777 }
        sample /= 2
    }
}
