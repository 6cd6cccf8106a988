import GroveModel

/// What a user's transaction has changed and the index has not heard of: so that one that is given up leaves nothing to undo.
struct StagedAccount {
    /// The bytes of the value under each key before and now, by the key; `nil` for none.
    fileprivate var entries: [[UInt8]: (old: Int?, new: Int?)] = [:]

    /// The hashes of the keys whose records said already what the transaction wrote.
    fileprivate var confirmed: Set<UInt64> = []

    /// Notes that what is under `key` says already what was written.
    mutating func confirm(_ key: UnsafeRawBufferPointer) { unsafe confirmed.insert(EvictionIndex.hash(key)) }

    /// Notes that the value under `key` had `old` bytes and has `new`.
    mutating func note(_ key: UnsafeRawBufferPointer, old: Int?, new: Int?) {
        let key = unsafe Array(key)
        if entries[key] == nil { entries[key] = (old, nil) }
        entries[key]?.new = new
    }
}

extension WriteTransaction {
    /// Applies one call of a user's transaction; nothing is evicted, and the index does not hear of it yet.
    mutating func stage(_ write: PendingWrite) throws(CacheError) -> ChangeSet {
        if staged == nil { staged = StagedAccount() }
        return try store(write)
    }

    /// Ends a user's transaction: tells the index of what it changed, and evicts until what is stored fits, but for what it wrote.
    ///
    /// - Returns: the nodes that were evicted.
    mutating func settleStaged(_ limit: PayloadLimit) throws(CacheError) -> [ModelIdentifier] {
        guard let staged = staged.take(), let index else { return [] }
        let entries = staged.entries
        protected.formUnion(staged.confirmed)
        index.touch(ContiguousArray(staged.confirmed))
        var isMarked = false
        for (key, (old, new)) in entries where old != nil || new != nil {
            try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                let hash = unsafe EvictionIndex.hash(key)
                isMarked = isMarked || index.pins.isMarked(hash)
                if new != nil { protected.insert(hash) }
                try unsafe list(key, old: old, new: new)
            }
        }
        if isMarked { try remark(index) }
        let evicted = try removeVictims(downTo: limit.hard)
        return evicted + (try removeVictims(downTo: limit.soft, most: 2 * entries.count + 16))
    }
}
