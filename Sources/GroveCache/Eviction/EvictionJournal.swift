import GroveModel

/// Which keys the cache may evict, as records in the store itself: segments that are appended to.
///
/// A policy knows hashes; the journal has the keys. It is written inside the transactions that write the records, so
/// that after a kill at any moment both say the same. A segment is a record under ``Namespace/journal`` and its number,
/// big-endian, and holds entries of
///
/// ```
/// 2  length of the key     4  weight     …  the store's key
/// ```
///
/// A key that was evicted, or stands in a later segment too, is dead; a segment without live keys is removed, and while
/// more than a third of the journal is dead its oldest segments are rewritten at its end.
struct EvictionJournal {
    /// An entry of a segment.
    @safe
    struct Entry {
        let key: UnsafeRawBufferPointer
        let weight: Int
    }

    /// The bytes of a segment beyond which it is closed: six fit into a page of 4,096 bytes, with what an engine adds.
    ///
    /// LMDB splits a page so that the last of the records before goes along with the new one: of six, five stay.
    static let segmentBytes = 640

    /// What an entry takes beside its key.
    static let entryBytes = 6

    /// The number of the segment that is appended to.
    private(set) var open: UInt32 = 0
    private(set) var openBytes: [UInt8] = []
    /// Live keys by segment; a segment that is not here is not stored.
    private(set) var live: [UInt32: UInt32] = [:]
    /// The segments' bytes, keys included, and those of live entries.
    var bytes = 0
    var liveBytes = 0
    var isOpenDirty = false
    /// Where to look for the oldest segment.
    private var oldest: UInt32 = 0

    /// Bytes allocated for ``live``: an eighth of a byte says whether a place is taken, and three quarters may be.
    var liveTableBytes: Int { live.capacity * 4 / 3 * (2 * MemoryLayout<UInt32>.stride * 8 + 1) / 8 }

    /// The key of segment `number` in the store.
    static func key(_ number: UInt32) -> [UInt8] {
        [Namespace.journal] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }

    /// The number of the segment under `key`.
    static func number(_ key: UnsafeRawBufferPointer) -> UInt32? {
        guard key.count == 5, unsafe key[0] == Namespace.journal else { return nil }
        return unsafe UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
    }

    /// Visits the entries of a segment, in order, until `visit` returns false; what is damaged ends it.
    static func forEach(in segment: UnsafeRawBufferPointer, _ visit: (Entry) -> Bool) {
        var offset = 0
        while segment.count - offset >= entryBytes {
            let count = unsafe Int(UInt16(littleEndian: segment.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
            let weight = unsafe UInt32(
                littleEndian: segment.loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self))
            offset += entryBytes
            guard count > 0, segment.count - offset >= count else { return }
            let key = unsafe UnsafeRawBufferPointer(rebasing: segment[offset..<(offset + count)])
            guard unsafe visit(Entry(key: key, weight: Int(weight))) else { return }
            offset += count
        }
    }

    /// Begins where the store stands: segment `open` holds `bytes`.
    init(open: UInt32 = 0, openBytes: [UInt8] = []) {
        self.open = open
        self.openBytes = openBytes
        oldest = open
    }

    /// Goes on where another process has left the journal.
    mutating func resume(open: UInt32, openBytes: [UInt8]) {
        self.open = open
        self.openBytes = openBytes
    }

    /// Appends a key to the open segment and returns the segment's number.
    mutating func append(_ key: UnsafeRawBufferPointer, weight: Int) -> UInt32 {
        isOpenDirty = true
        unsafe withUnsafeBytes(of: UInt16(truncatingIfNeeded: key.count).littleEndian) {
            unsafe openBytes.append(contentsOf: $0)
        }
        unsafe withUnsafeBytes(of: UInt32(clamping: weight).littleEndian) { unsafe openBytes.append(contentsOf: $0) }
        unsafe openBytes.append(contentsOf: key)
        return open
    }

    /// A segment that is not behind the oldest one.
    var first: UInt32 { min(oldest, open) }

    /// Whether the open segment has room for no more.
    var isOpenFull: Bool { openBytes.count >= EvictionJournal.segmentBytes }

    /// What the open segment will add to the store, at most.
    var pendingBytes: Int { isOpenDirty ? openBytes.count + 5 : 0 }

    /// Begins the next segment.
    mutating func beginNext() {
        open &+= 1
        openBytes = []
        isOpenDirty = false
    }

    /// Notes that a key of `count` bytes in `segment` is live.
    mutating func enliven(_ segment: UInt32, keyCount count: Int) {
        live[segment, default: 0] += 1
        liveBytes += count + EvictionJournal.entryBytes
        oldest = min(oldest, segment)
    }

    /// Notes that a key of `count` bytes in `segment` is dead; returns whether it was the last one.
    mutating func kill(_ segment: UInt32, keyCount count: Int) -> Bool {
        liveBytes = max(liveBytes - count - EvictionJournal.entryBytes, 0)
        guard let left = live[segment], left > 0 else { return false }
        live[segment] = left - 1
        return left == 1 && segment != open
    }

    /// Forgets a segment that is no longer stored.
    mutating func drop(_ segment: UInt32) { live[segment] = nil }

    /// The whole number of a segment that ends in the 24 bits of `low`.
    func number(endingIn low: UInt32) -> UInt32 { open &- ((open &- low) & 0xff_ffff) }

    /// The oldest segment, where more than a third of the journal is dead.
    mutating func segmentToRewrite() -> UInt32? {
        guard bytes > liveBytes * 3 / 2 + 4 * EvictionJournal.segmentBytes else { return nil }
        while oldest < open {
            if live[oldest] != nil { return oldest }
            oldest += 1
        }
        return nil
    }
}
