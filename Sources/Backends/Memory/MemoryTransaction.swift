public import GroveCache
public import GroveModel

/// A write transaction of a ``MemoryStore``: a tree of its own that shares what it has not changed.
public final class MemoryTransaction: NodeTransaction {
    /// False: a later `put` or `remove` frees the bytes that this transaction itself wrote under the same key.
    public static var keepsBytes: Bool { false }

    private let hash: ByteHash
    private var editor: ByteTrieEditor
    private var entries: Int
    private var payloadBytes: Int

    init(_ version: MemoryVersions.Version, hash: ByteHash) {
        self.hash = hash
        entries = version.entries
        payloadBytes = version.payloadBytes
        editor = ByteTrieEditor(version.trie.root, version: version.number + 1)
    }

    /// The value stored under `key`, this transaction's own writes included; valid until the next call.
    ///
    /// - Complexity: O(1) expected; nothing is copied or allocated.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        unsafe ByteTrie.find(editor.root, key, hash: hash(key))?.value
    }

    /// Stores `value` under `key`; both are copied, into one allocation.
    ///
    /// - Complexity: O(1) expected; the first write under a branch copies it.
    /// - Throws: ``CacheError`` with code `tooLarge` past 1 GB, or `full` where the system gives no memory.
    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        let entry = try unsafe TrieEntry.make(version: editor.version, hash: hash(key), key: key, value: value)
        payloadBytes += entry.payloadBytes
        if let replaced = editor.insert(entry) { payloadBytes -= replaced } else { entries += 1 }
    }

    /// Removes `key`; nothing is copied where it is not there.
    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        let hash = unsafe hash(key)
        guard let entry = unsafe ByteTrie.find(editor.root, key, hash: hash) else { return }
        payloadBytes -= entry.payloadBytes
        entries -= 1
        unsafe editor.remove(key, hash: hash)
    }

    /// Visits the entries whose keys begin with `prefix`, this transaction's own writes included, in byte order.
    ///
    /// - Complexity: O(*n* + *m* log *m*) for *m* such entries among *n*.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        for entry in unsafe ByteTrie.sorted(editor.root, prefix: prefix) {
            guard try unsafe visit(entry.key, entry.value) else { return }
        }
    }

    /// Does nothing: the store ends its transactions.
    public func end() {}

    /// Publishes the tree; the transaction is not used again.
    func commit(to versions: MemoryVersions) {
        versions.publish(
            MemoryVersions.Version(
                trie: ByteTrie(root: editor.root), number: editor.version, entries: entries,
                payloadBytes: payloadBytes),
            retired: editor.retired)
    }

    /// Frees what the transaction made; it is not used again.
    func abort() { editor.discard() }
}
