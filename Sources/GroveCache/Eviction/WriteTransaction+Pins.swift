import GroveCoding
import GroveModel

/// Pins inside the transaction that writes: marks follow the records that it stores.
extension WriteTransaction {
    /// Retains a root, or lets go of it.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` if the records reachable from it do not fit, and `closed` if
    ///   the handle is closed by now.
    mutating func apply(_ pin: PinChange) throws(CacheError) {
        guard let evictor else { return }
        guard pin.isRetaining else {
            _ = evictor.pins.change(pin.root, of: pin.handle, by: -1)
            return
        }
        guard evictor.pins.handles.isOpen(pin.handle) else { throw .isClosed }
        guard evictor.pins.change(pin.root, of: pin.handle, by: 1) else { return }
        try mark(PinTable.keys(of: pin.root), evictor)
        // Records that are not reachable any more may still be counted.
        if evictor.pins.isOver, !evictor.pins.isExact { try markAll(evictor) }
        guard evictor.pins.isOver else { return }
        throw CacheError(.overBudget, "What is pinned would take more than the part of the budget that pins may have.")
    }

    /// The hashes of the keys that `stored` names, which is about to be replaced or removed; `nil` if `key` is not
    /// marked.
    func markedReferences(_ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer?) -> Set<UInt64>? {
        guard let evictor, !evictor.pins.isEmpty, unsafe evictor.pins.isMarked(Evictor.hash(key)) else { return nil }
        guard let stored = unsafe stored else { return [] }
        return unsafe Set(WriteTransaction.references(of: key, stored).map(WriteTransaction.hash))
    }

    /// Marks the records that `stored` names, the new value under a marked key, or `nil` for none; if not all fit, the
    /// oldest lose their marks.
    ///
    /// - Parameter former: the hashes of the keys that the old value named.
    mutating func follow(
        _ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer?, former: Set<UInt64>
    ) throws(CacheError) {
        guard let evictor else { return }
        let children = unsafe stored.map { unsafe WriteTransaction.references(of: key, $0) } ?? []
        evictor.pins.letGo(former.subtracting(children.map(WriteTransaction.hash)).count)
        guard unsafe stored != nil else { return }
        // Only new names: a record that lost its mark while this value named it gets none.
        try mark(children.filter { !former.contains(WriteTransaction.hash($0)) }, evictor)
        guard evictor.pins.isOver else { return }
        if evictor.pins.isExact { evictor.pins.releaseOldest() } else { try markAgain(evictor) }
    }

    /// Marks every record that is reachable from the roots as the store has them now, but the oldest if not all fit.
    mutating func markAgain(_ evictor: Evictor) throws(CacheError) {
        try markAll(evictor)
        if evictor.pins.isOver { evictor.pins.releaseOldest() }
    }

    private mutating func markAll(_ evictor: Evictor) throws(CacheError) {
        evictor.pins.beginMarking()
        for root in evictor.pins.roots.keys { try mark(PinTable.keys(of: root), evictor) }
    }

    /// Marks `keys` and everything that is reachable from them.
    private func mark(_ keys: [[UInt8]], _ evictor: Evictor) throws(CacheError) {
        var work = keys
        while let key = work.popLast() {
            let hash = WriteTransaction.hash(key)
            guard evictor.pins.mark(hash) else { continue }
            try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                guard let stored = try unsafe transaction.get(key) else { return }
                let number = unsafe RecordGlance(stored)?.sequence ?? .zero
                evictor.pins.note(hash, bytes: key.count + stored.count, number: number)
                unsafe work += WriteTransaction.references(of: key, stored)
            }
        }
    }

    /// The keys of the nodes that `stored` refers to, or of its chunks, in order; none if it cannot be read.
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

    private static func hash(_ key: [UInt8]) -> UInt64 { unsafe key.withUnsafeBytes { unsafe Evictor.hash($0) } }
}
