import GroveModel

/// Pins inside the transaction that writes: marks follow what it stores.
extension WriteTransaction {
    /// Retains a root, or lets go of it.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where what is reachable from it does not fit, and `closed` where
    ///   the handle is closed by now.
    mutating func apply(_ pin: PinChange) throws(CacheError) {
        guard let index else { return }
        guard pin.isRetaining else {
            _ = index.pins.change(pin.root, of: pin.handle, by: -1)
            return
        }
        if index.pins.hasLeft(pin.handle) { throw .isClosed }
        let isNew = index.pins.change(pin.root, of: pin.handle, by: 1)
        if isNew { try mark(PinTable.keys(of: pin.root), index, isComplete: true) }
        if index.pins.isIncomplete { try markAgain(index, isComplete: true) }
        try checkPins(index)
    }

    /// What `stored`, which is about to be replaced or removed, names, where it is marked; `nil` where it is not.
    func markedReferences(_ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer?) -> Set<UInt64>? {
        guard let index, staged == nil, !index.pins.isEmpty, unsafe index.pins.isMarked(EvictionIndex.hash(key))
        else { return nil }
        guard let stored = unsafe stored else { return [] }
        return unsafe Set(WriteTransaction.references(of: key, stored).map(WriteTransaction.hash))
    }

    /// Marks what `stored`, the new value under a marked key, names; `nil` for none.
    ///
    /// - Parameter former: what the old value named.
    mutating func follow(
        _ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer?, former: Set<UInt64>
    ) throws(CacheError) {
        guard let index else { return }
        let children = unsafe stored.map { unsafe WriteTransaction.references(of: key, $0) } ?? []
        index.pins.letGo(former.subtracting(children.map(WriteTransaction.hash)).count)
        guard unsafe stored != nil else { return }
        try mark(children, index, isComplete: true)
        try checkPins(index)
    }

    /// Marks everything that is reachable from the roots as the store has it now, and gives what is not back to the policy.
    ///
    /// - Parameter isComplete: whether what does not fit is marked nevertheless, for the caller to refuse.
    mutating func markAgain(_ index: EvictionIndex, isComplete: Bool = false) throws(CacheError) {
        let former = index.pins.beginMarking()
        for root in index.pins.roots.keys { try mark(PinTable.keys(of: root), index, isComplete: isComplete) }
        for (hash, bytes) in former where bytes > 0 && !index.pins.isMarked(hash) {
            index.giveBack(hash, weight: index.countsEntries ? 1 : Int(bytes))
        }
    }

    /// Marks `keys` and everything that is reachable from them.
    private func mark(_ keys: [[UInt8]], _ index: EvictionIndex, isComplete: Bool) throws(CacheError) {
        var work = keys
        while let key = work.popLast() {
            let hash = WriteTransaction.hash(key)
            guard index.pins.mark(hash) else { continue }
            try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                guard let stored = try unsafe transaction.get(key) else { return }
                unsafe index.pin(key, hash, valueCount: stored.count)
                if index.pinsTooMuch, !isComplete {
                    // The budget has shrunk, or others have written: what does not fit may go.
                    unsafe index.unpin(key, hash, valueCount: stored.count)
                } else {
                    unsafe work += WriteTransaction.references(of: key, stored)
                }
            }
        }
    }

    /// Makes the marks again after something that is marked was written.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where more is pinned than fits.
    mutating func remark(_ index: EvictionIndex) throws(CacheError) {
        try markAgain(index, isComplete: true)
        try checkPins(index)
    }

    /// - Throws: ``CacheError`` with code `overBudget` where more is pinned than fits.
    private mutating func checkPins(_ index: EvictionIndex) throws(CacheError) {
        // What is not reachable any more may still be counted.
        if index.pinsTooMuch, !index.pins.isExact { try markAgain(index, isComplete: true) }
        guard index.pinsTooMuch else { return }
        throw CacheError(.overBudget, "What is pinned would take more than the part of the budget that pins may have.")
    }

    /// The keys of the nodes that `stored` refers to, or of its chunks, in order; none where it cannot be read.
    private static func references(of key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> [[UInt8]] {
        guard let header = try? unsafe RecordHeader(stored, key: key) else { return [] }
        if header.flags.contains(.chunks) { return (try? CollectionHead(header))?.chunkKeys ?? [] }
        guard header.flags.contains(.references) else { return [] }
        var keys: [[UInt8]] = []
        try? unsafe RecordBody.forEachReference(in: header.body) { identifier in
            unsafe keys.append([Namespace.node] + identifier)
        }
        return keys
    }

    private static func hash(_ key: [UInt8]) -> UInt64 { unsafe key.withUnsafeBytes { unsafe EvictionIndex.hash($0) } }
}
