import GroveCache
import GroveCoding
import GroveModel
import GrovePlatform

/// The puts and removals of a transaction, the last one of each key, in a hash table that owns its bytes.
///
/// Bytes are copied once, to blocks that do not move. So the bytes that `find` returned stay in place until the same
/// key is written again.
@safe struct LevelDBOverlay: ~Copyable {
    /// The last put or removal of a key.
    @safe struct Entry {
        fileprivate let hash: UInt64
        fileprivate let keyStart: UnsafeMutableRawPointer
        fileprivate let keyCount: Int
        fileprivate var valueStart: UnsafeMutableRawPointer
        fileprivate var valueCount: Int
        fileprivate var valueCapacity: Int
        /// Whether the key was removed rather than put.
        fileprivate(set) var isRemoval: Bool

        /// The key's bytes.
        var key: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: keyStart, count: keyCount) }

        /// The value's bytes; empty for a removal.
        var value: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: valueStart, count: valueCount) }
    }

    /// The entries, one for each key, in the order in which the keys were first written.
    private(set) var entries: [Entry] = []

    /// Bytes of all keys and values in ``entries``.
    private(set) var payloadBytes = 0

    /// The hash table: positions in ``entries`` plus one, or 0 for an empty place; a power of two of them, at most half
    /// in use.
    private var places: [UInt32] = []
    private var blocks: [UnsafeMutableRawPointer] = unsafe []
    private var free: UnsafeMutableRawPointer?
    private var freeCount = 0
    private let seed = UInt64.random(in: .min ... .max)

    init() {}

    deinit { unsafe blocks.forEach { unsafe $0.deallocate() } }

    /// The last put or removal of `key`, or `nil` if the transaction has not written it.
    ///
    /// - Complexity: O(1) expected.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer) -> Entry? {
        guard !entries.isEmpty, let position = unsafe position(of: key, hash: hash64(key, seed: seed)) else {
            return nil
        }
        return entries[position]
    }

    /// Notes a put of `value` under `key`, or a removal if `value` is `nil`; both are copied.
    mutating func set(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) {
        let hash = unsafe hash64(key, seed: seed)
        let count = unsafe value?.count ?? 0
        if let position = unsafe position(of: key, hash: hash) {
            var entry = entries[position]
            payloadBytes += count - entry.valueCount
            if count > entry.valueCapacity {
                unsafe entry.valueStart = unsafe take(count)
                entry.valueCapacity = count
            }
            // The new value may lie within the old one.
            if let base = unsafe value?.baseAddress { unsafe memmove(entry.valueStart, base, count) }
            entry.valueCount = count
            entry.isRemoval = unsafe value == nil
            entries[position] = entry
            return
        }
        if (entries.count + 1) * 2 > places.count { grow() }
        let start = unsafe take(key.count + count)
        if let base = key.baseAddress { unsafe memcpy(start, base, key.count) }
        if let base = unsafe value?.baseAddress { unsafe memcpy(start + key.count, base, count) }
        unsafe entries.append(
            Entry(
                hash: hash, keyStart: start, keyCount: key.count, valueStart: start + key.count, valueCount: count,
                valueCapacity: count, isRemoval: value == nil))
        payloadBytes += key.count + count
        place(UInt32(truncatingIfNeeded: entries.count), hash: hash)
    }

    /// The entries whose keys begin with `prefix`, in the order of their keys' bytes.
    func sorted(prefix: UnsafeRawBufferPointer) -> [Entry] {
        entries.filter { unsafe $0.key.begins(with: prefix) }.sorted { unsafe lexicographicOrder($0.key, $1.key) < 0 }
    }

    @inline(__always)
    private func position(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
        guard !places.isEmpty else { return nil }
        let mask = places.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while places[index] != 0 {
            let position = Int(places[index]) - 1
            if entries[position].hash == hash, unsafe isEqual(entries[position].key, key) { return position }
            index = (index + 1) & mask
        }
        return nil
    }

    @inline(__always)
    private mutating func place(_ number: UInt32, hash: UInt64) {
        let mask = places.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while places[index] != 0 { index = (index + 1) & mask }
        places[index] = number
    }

    private mutating func grow() {
        places = [UInt32](repeating: 0, count: max(64, places.count * 4))
        for (index, entry) in entries.enumerated() {
            place(UInt32(truncatingIfNeeded: index + 1), hash: entry.hash)
        }
    }

    /// Room for `count` bytes that does not move.
    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeMutableRawPointer {
        if let start = unsafe free, freeCount >= count {
            unsafe free = unsafe start + count
            freeCount -= count
            return unsafe start
        }
        let size = unsafe max(count, min(4096 << min(blocks.count, 8), 1 << 20))
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        unsafe blocks.append(block)
        if size - count > freeCount {
            unsafe free = unsafe block + count
            freeCount = size - count
        }
        return unsafe block
    }
}
