import GroveCoding
import GroveModel

/// What a transaction that may evict knows of ages.
struct ExpirySearch {
    let now: Double
    /// What was last confirmed before is expired, where there is a budget that says so.
    let oldest: Double?
    /// How many more records may be looked at.
    var looks = 0

    /// A search by what `index` knows; `nil` where nothing can have expired.
    init?(_ index: EvictionIndex, now: Double) {
        let age = index.budget.expiresAfter
        guard age != nil || !index.expiry.isEmpty else { return nil }
        self.now = now
        oldest = age.flatMap { now.isFinite ? now - $0 : nil }
    }
}

/// Expired records are the first to go.
///
/// The journal lists keys in the order in which they came, so the search begins with the oldest and goes round; it looks
/// at a few records for each that is written or evicted, and only where there is no room.
extension WriteTransaction {
    /// Removes expired records until what `write` brings has room, or none are found.
    ///
    /// - Returns: the nodes that went.
    mutating func makeRoom(for write: PendingWrite, limit: PayloadLimit) throws(CacheError) -> [ModelIdentifier] {
        guard expiry != nil, let index else { return [] }
        var evicted: [ModelIdentifier] = []
        let (entries, bytes) = index.newPayload(of: write)
        expiry?.looks += 4 * entries + 16
        while index.policy.count + index.pins.count + entries > index.budget.nodes ?? .max
            || (stored.account?.payloadBytes ?? 0) + index.journal.pendingBytes + bytes > min(limit.hard, limit.soft)
        {
            guard let gone = try removeExpired(index, sparing: write) else { break }
            evicted += gone
        }
        return evicted
    }

    /// Removes one expired record.
    ///
    /// - Parameter write: what is about to be written, which stays.
    /// - Returns: the node that went, or nothing for a collection or an alias; `nil` where no expired record was found.
    mutating func removeExpired(
        _ index: EvictionIndex, sparing write: PendingWrite? = nil
    ) throws(CacheError) -> [ModelIdentifier]? {
        guard let search = expiry else { return nil }
        // What is pinned stays, however old.
        if index.pins.mustMark { try markAgain(index) }
        while let candidate = index.expiry.next() {
            guard !index.pins.isMarked(candidate.hash), let number = index.segment(of: candidate.hash),
                let key = try key(candidate.hash, in: number, index)
            else { continue }
            let limit = AgeLimit(oldest: candidate.oldest, now: search.now)
            let stays = try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) -> Bool in
                try unsafe isYoung(key, limit)
            }
            if !stays, write?.names(key) != true, !protected.contains(candidate.hash) {
                return try remove(key, candidate.hash, index)
            }
        }
        guard let oldest = search.oldest else { return nil }
        let limit = AgeLimit(oldest: oldest, now: search.now)
        while expiry?.looks ?? 0 > 0 {
            guard let found = try lookAtNext(limit, index, sparing: write) else { continue }
            return try remove(found.key, found.hash, index)
        }
        return nil
    }

    /// Looks at the next entry of the journal; an expired record's key and its hash.
    private mutating func lookAtNext(
        _ limit: AgeLimit, _ index: EvictionIndex, sparing write: PendingWrite?
    ) throws(CacheError) -> (key: [UInt8], hash: UInt64)? {
        let number = index.expiry.segment
        guard number >= index.journal.first, number <= index.journal.open else {
            expiry?.looks -= 1
            (index.expiry.segment, index.expiry.entry) = (index.journal.first, 0)
            return nil
        }
        let bytes = number == index.journal.open ? index.journal.openBytes : try segment(number) ?? []
        var entries: [(key: [UInt8], hash: UInt64)] = []
        var skipped = 0
        let (first, looks) = (index.expiry.entry, expiry?.looks ?? 0)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe EvictionJournal.forEach(in: bytes) { entry in
                if skipped < first {
                    skipped += 1
                    return true
                }
                unsafe entries.append((Array(entry.key), EvictionIndex.hash(entry.key)))
                return entries.count < looks
            }
        }
        for entry in entries {
            index.expiry.entry += 1
            expiry?.looks -= 1
            // One that is listed again in a later segment is looked at there.
            guard index.segment(of: entry.hash) == number, !index.pins.isMarked(entry.hash),
                !protected.contains(entry.hash), write?.names(entry.key) != true
            else { continue }
            let isExpired = try unsafe entry.key.withUnsafeBytesTyped { (key) throws(CacheError) -> Bool in
                try unsafe !isYoung(key, limit, isKnown: true)
            }
            if isExpired { return entry }
        }
        if entries.count < looks {
            expiry?.looks -= 1
            (index.expiry.segment, index.expiry.entry) = (number == index.journal.open ? .max : number + 1, 0)
        }
        return nil
    }

    /// Whether the record under `key` is young enough for `limit`, or none that has an age.
    ///
    /// - Parameter isKnown: whether one of unknown age counts as young.
    private func isYoung(
        _ key: UnsafeRawBufferPointer, _ limit: AgeLimit, isKnown: Bool = false
    ) throws(CacheError) -> Bool {
        guard let stored = try unsafe transaction.get(key), let header = unsafe try? RecordHeader(stored, key: key),
            !header.flags.contains(.tombstone)
        else { return true }
        guard header.flags.contains(.projections) else {
            return limit.accepts(header.time) || isKnown && header.time == 0
        }
        let count = unsafe RecordBody.fieldCount(header.body)
        guard let table = try? ProjectionTable(header, fieldCount: count) else { return true }
        return table.rows.contains { limit.accepts($0.time) || isKnown && $0.time == 0 }
    }

    private mutating func remove(
        _ key: [UInt8], _ hash: UInt64, _ index: EvictionIndex
    ) throws(CacheError) -> [ModelIdentifier] {
        index.counters.evictions += 1
        let before = stored.account?.payloadBytes ?? 0
        return try unsafe key.withUnsafeBytesTyped { (bytes) throws(CacheError) -> [ModelIdentifier] in
            try unsafe forgetRecord(bytes)
            index.counters.evictedBytes += before - (stored.account?.payloadBytes ?? 0)
            guard unsafe bytes[0] == Namespace.node else { return [] }
            return unsafe [
                ModelIdentifier(String(decoding: UnsafeRawBufferPointer(rebasing: bytes[1...]), as: UTF8.self))
            ]
        }
    }
}

extension EvictionIndex {
    /// How many records `write` adds to those that are there, and the bytes of their keys and values.
    func newPayload(of write: PendingWrite) -> (entries: Int, bytes: Int) {
        var (entries, bytes) = (0, 0)
        // One copy of the policy for all keys: a batch has hundreds.
        let (policy, pins) = (policy, pins)
        func count(_ key: UnsafeRawBufferPointer, _ valueCount: Int) {
            let hash = unsafe EvictionIndex.hash(key)
            guard !policy.contains(hash), !pins.isMarked(hash) else { return }
            entries += 1
            bytes += 2 * key.count + valueCount + RecordHeader.leastBytes
        }
        if let tree = write.tree {
            for index in 0..<tree.count {
                unsafe count(tree.key(index), tree.namedBodyCount(index))
            }
        }
        for extra in write.extras where !extra.isPin {
            let valueCount = extra.body?.count ?? 0
            unsafe extra.storeKey.withUnsafeBytes { unsafe count($0, valueCount) }
        }
        return (entries, bytes)
    }
}

extension PendingWrite {
    /// Whether the call is about `key`, a key of the store.
    func names(_ key: [UInt8]) -> Bool {
        if let tree, key.first == Namespace.node {
            let isThere = unsafe key.withUnsafeBytes { key in
                let identifier = unsafe UnsafeRawBufferPointer(rebasing: key[1...])
                return unsafe tree.find(identifier, hash: NodeTree.hash(identifier)) >= 0
            }
            if isThere { return true }
        }
        return extras.contains { $0.storeKey == key }
    }
}
