import GroveModel

/// Pins inside the transaction that writes: marks follow what it stores, and walks release what nobody holds any more.
extension GroupCommit {
    // MARK: Roots

    /// Retains a root, or lets go of it.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where what is reachable from it does not fit, and `closed` where
    ///   the handle is closed by now.
    mutating func apply(_ pin: PinChange) throws(CacheError) {
        if pin.isPersistent { try store(pin) }
        guard let index else { return }
        if pin.isRetaining, index.pins.hasLeft(pin.handle) { throw .isClosed }
        if index.pins.isStale { try remark(index) }
        let isOther = index.pins.change(pin.root) { root in
            if pin.isPersistent { return root.isPersistent = pin.isRetaining }
            let count = (root.handles[pin.handle] ?? 0) + (pin.isRetaining ? 1 : -1)
            root.handles[pin.handle] = count > 0 ? count : nil
        }
        guard pin.isRetaining else {
            // What did not fit may fit now.
            if isOther, index.pins.isIncomplete { index.pins.isStale = true }
            return
        }
        if index.pins.isIncomplete {
            try remark(index, isComplete: true)
            try checkPins(index)
        }
        // The record of a pin takes room too, also where there is nothing yet that it would hold.
        try checkPins(index)
        guard isOther else { return }
        try mark(PinTable.keys(of: pin.root), index)
    }

    /// Writes the store's own record of a pin, or removes it.
    private mutating func store(_ pin: PinChange) throws(CacheError) {
        let key = pin.storeKey
        let old = try size(key)
        guard pin.isRetaining != (old != nil) else { return }
        hasWritten = true
        count(keyCount: key.count, old: old, new: pin.isRetaining ? PinChange.record.count : nil)
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
            guard pin.isRetaining else { return try unsafe transaction.remove(key) }
            try unsafe PinChange.record.withUnsafeBytesTyped { (value) throws(CacheError) in
                try unsafe transaction.put(key, value)
            }
        }
    }

    /// Reads which roots the store remembers.
    func loadPins(_ index: EvictionIndex) throws(CacheError) {
        var roots: Set<[UInt8]> = []
        try unsafe [Namespace.pin].withUnsafeBytesTyped { (prefix) throws(CacheError) in
            try unsafe transaction.scan(prefix: prefix) { (key, _) throws(CacheError) in
                unsafe roots.insert(Array(key.dropFirst()))
                return true
            }
        }
        index.pins.setPersistent(roots)
    }

    // MARK: Marks

    /// What `stored`, which is about to be replaced or removed, names, where it is marked; `nil` where it is not.
    mutating func markedReferences(
        _ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer?
    ) -> Set<UInt64>? {
        guard let index, !index.pins.isEmpty, unsafe index.pins.isMarked(EvictionIndex.hash(key)) else { return nil }
        var hashes: Set<UInt64> = []
        if let stored = unsafe stored {
            for child in unsafe GroupCommit.references(of: key, stored) {
                _ = unsafe child.withUnsafeBytes { unsafe hashes.insert(EvictionIndex.hash($0)) }
            }
        }
        return hashes
    }

    /// Marks what `stored`, the new value under a marked key, names; `nil` for none.
    ///
    /// - Parameter former: what the old value named.
    mutating func follow(
        _ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer?, former: Set<UInt64>
    ) throws(CacheError) {
        guard let index else { return }
        let children = unsafe stored.map { unsafe GroupCommit.references(of: key, $0) } ?? []
        var lost = former
        for child in children { _ = unsafe child.withUnsafeBytes { unsafe lost.remove(EvictionIndex.hash($0)) } }
        // A holder that the walk never meets is released without those that it names now.
        let isDoubtful = unsafe !children.isEmpty && index.pins.isFormer(EvictionIndex.hash(key))
        if !lost.isEmpty || isDoubtful { index.pins.letGo() }
        guard unsafe stored != nil else { return }
        try checkPins(index)
        // Making room may have released the holder itself.
        guard unsafe index.pins.isMarked(EvictionIndex.hash(key)) else { return }
        try mark(children, index)
    }

    /// Marks `keys` and everything that is reachable from them.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where that does not fit.
    private mutating func mark(_ keys: [[UInt8]], _ index: EvictionIndex) throws(CacheError) {
        var work: [[UInt8]] = []
        note(keys, index, &work)
        while let key = work.popLast() {
            guard let children = try pin(key, index) else { continue }
            try checkPins(index)
            note(children, index, &work)
        }
    }

    /// Marks `keys` themselves, and leaves those that were not marked in `work`.
    private func note(_ keys: [[UInt8]], _ index: EvictionIndex, _ work: inout [[UInt8]]) {
        for key in keys {
            let hash = unsafe key.withUnsafeBytes { unsafe EvictionIndex.hash($0) }
            switch index.pins.mark(hash) {
            case .new: work.append(key)
            case .former: index.pins.follow(key)
            case .current: break
            }
        }
    }

    /// Takes what is stored under a marked key out of the policy and returns what it names; `nil` where nothing is
    /// stored, or it is not marked.
    private func pin(_ key: [UInt8], _ index: EvictionIndex) throws(CacheError) -> [[UInt8]]? {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) -> [[UInt8]]? in
            let hash = unsafe EvictionIndex.hash(key)
            guard index.pins.isMarked(hash) else { return nil }
            guard let stored = try unsafe transaction.get(key) else {
                index.pins.note(hash, bytes: 0)
                return nil
            }
            unsafe index.pin(key, hash, valueCount: stored.count)
            return unsafe GroupCommit.references(of: key, stored)
        }
    }

    /// - Throws: ``CacheError`` with code `overBudget` where more is pinned than fits, also once all is released that
    ///   nobody holds.
    private mutating func checkPins(_ index: EvictionIndex) throws(CacheError) {
        guard index.pinsTooMuch else { return }
        // Others may have removed what is still counted.
        if index.pins.isStale { try remark(index, isComplete: true) }
        while index.pins.isReleasing { try releasePins(most: 1_024, isComplete: true) }
        guard index.pinsTooMuch else { return }
        throw CacheError(.overBudget, "What is pinned would take more than the part of the budget that pins may have.")
    }

    /// The keys of the nodes that `stored` refers to, in order; none where it cannot be read.
    private static func references(of key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> [[UInt8]] {
        guard let header = try? unsafe RecordHeader(stored, key: key), header.flags.contains(.references) else {
            return []
        }
        var keys: [[UInt8]] = []
        try? unsafe RecordBody.forEachReference(in: header.body) { identifier in
            unsafe keys.append([Namespace.node] + identifier)
        }
        return keys
    }

    // MARK: Releasing

    /// Goes on releasing, as much as a transaction that writes `entries` records should.
    mutating func releasePins(beside entries: Int) throws(CacheError) {
        guard let index else { return }
        try releasePins(most: max(2 * entries + index.pins.pace, 1))
    }

    /// Walks on from what is retained, and gives back to the policy what no walk has met.
    ///
    /// - Parameters:
    ///   - most: how many records are read or given back.
    ///   - isComplete: whether what does not fit is marked nevertheless, for the caller to refuse.
    mutating func releasePins(most: Int, isComplete: Bool = false) throws(CacheError) {
        guard let index, index.pins.isReleasing else { return }
        for _ in 0..<most {
            if let key = index.pins.nextToFollow() {
                guard let children = try pin(key, index) else { continue }
                if index.pinsTooMuch, !isComplete {
                    // The budget has shrunk, or others have written: what does not fit may go.
                    unsafe key.withUnsafeBytes { unsafe index.unpin(EvictionIndex.hash($0)) }
                    index.pins.leaveOut()
                    continue
                }
                var work: [[UInt8]] = []
                note(children, index, &work)
                for key in work { index.pins.follow(key) }
            } else if let hash = index.pins.nextToRelease() {
                index.unpin(hash)
            } else {
                break
            }
        }
    }

    /// Marks everything that is reachable as the store has it now, as far as it fits.
    ///
    /// - Parameter isComplete: whether what does not fit is marked nevertheless, for the caller to refuse.
    mutating func remark(_ index: EvictionIndex, isComplete: Bool = false) throws(CacheError) {
        index.pins.isStale = false
        index.pins.beginAgain()
        while let key = index.pins.nextToFollow() {
            index.pins.follow(key)
            try releasePins(most: 1_024, isComplete: isComplete)
        }
    }
}

/// One call that retains something or lets go of it.
struct PinChange: Sendable {
    /// The store's key of what is retained: a node's, or a collection's.
    let root: [UInt8]
    let isRetaining: Bool
    /// Whether the store is to remember it.
    let isPersistent: Bool
    /// Who calls.
    let handle: UInt64

    /// The key of the store's own record of it.
    var storeKey: [UInt8] { [Namespace.pin] + root }

    /// What the store keeps under it: the format's version.
    static let record: [UInt8] = [1]

    /// The bytes of the store's own record of a pin of `root`, its key included.
    static func recordBytes(of root: [UInt8]) -> Int { 1 + root.count + record.count }
}
