public import GroveCache
public import GroveModel

/// A write transaction of a ``MemoryStore``: a tree of its own that shares everything that it has not changed.
@_documentation(visibility: internal)
public final class MemoryTransaction: SweepableTransaction {
    /// False: a later `put` or `remove` frees the bytes that this transaction itself wrote under the same key.
    public static var keepsBytes: Bool { false }

    /// The content that the store has after a commit.
    // SAFETY: one thread uses a transaction, and what `scan` calls must not call it (`NodeView`'s contract).
    @safe @exclusivity(unchecked) var tree: ByteTree

    init(_ tree: ByteTree) { self.tree = tree }

    /// The value stored under `key`, this transaction's own writes included; valid until the next call.
    ///
    /// - Complexity: O(*k*) at most for a key of *k* bytes; nothing is copied or allocated.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        unsafe tree.root?.value(KeyBytes(key))
    }

    /// Stores `value` under `key`; both are copied, into one allocation.
    ///
    /// - Complexity: O(*k*) at most for a key of *k* bytes; the first write under a branch copies it.
    /// - Throws: ``CacheError`` with code `tooLarge` past 1 GB.
    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        guard max(key.count, value.count) <= MemoryStore.profile.maxValueBytes else {
            throw CacheError(.tooLarge, "The value has \(value.count) bytes; memory takes 1 GB.")
        }
        unsafe tree.put(KeyBytes(key), value)
    }

    /// Removes `key`; if it is missing, nothing is copied.
    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) { unsafe tree.remove(KeyBytes(key)) }

    /// Visits the entries whose keys begin with `prefix`, this transaction's own writes included, in byte order.
    ///
    /// - Complexity: O(*m*) for *m* such entries.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe tree.root?.scan(prefix: KeyBytes(prefix)) { entry throws(CacheError) in
            try unsafe visit(entry.key.bytes, entry.value)
        }
    }

    /// Visits at most `limit` entries whose keys come after the cursor's, in byte order, this transaction's own writes
    /// included.
    ///
    /// - Complexity: O(*k*) for a key of *k* bytes, and O(`limit`).
    public func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor? {
        guard let root = tree.root else { return nil }
        var last: TreeNode?
        var count = 0
        let isAtEnd = try unsafe (cursor?.bytes ?? []).withUnsafeBytesTyped { (start) throws(CacheError) in
            try unsafe root.scan(after: cursor == nil ? nil : KeyBytes(start)) { entry throws(CacheError) in
                last = entry
                count += 1
                return try unsafe visit(entry.key.bytes, entry.value) && count < limit
            }
        }
        guard !isAtEnd else { return nil }
        return last.map { unsafe SweepCursor(Array($0.key.bytes)) }
    }

    /// The place of `key`, which is the key itself.
    public func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor {
        unsafe SweepCursor(Array(key))
    }

    /// Does nothing: the store ends its transactions.
    public func end() {}
}
