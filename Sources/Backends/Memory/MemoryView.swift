public import GroveCache
public import GroveModel

/// A read view of a ``MemoryStore``: one version of its tree, which lives until the view ends.
public final class MemoryView: NodeView {
    /// True: the tree does not change, so its bytes stay where they are until the view ends.
    public static var keepsBytes: Bool { true }

    private let root: TrieBranch
    private let hash: ByteHash
    private let number: UInt64
    private var versions: MemoryVersions?

    init(_ version: MemoryVersions.Version, of versions: MemoryVersions, hash: ByteHash) {
        root = version.trie.root
        number = version.number
        self.hash = hash
        self.versions = versions
    }

    deinit { versions?.release(number) }

    /// The value stored under `key`, or `nil` where there is none; valid until the view ends.
    ///
    /// - Complexity: O(1) expected; nothing is copied or allocated.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        unsafe ByteTrie.find(root, key, hash: hash(key))?.value
    }

    /// Visits the entries whose keys begin with `prefix`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(*n* + *m* log *m*) for *m* such entries among *n*: the tree is ordered by hash, so the whole of
    ///   it is looked through and what matches is sorted.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        for entry in unsafe ByteTrie.sorted(root, prefix: prefix) {
            guard try unsafe visit(entry.key, entry.value) else { return }
        }
    }

    /// Lets go of the version; a second call does nothing.
    public func end() {
        versions?.release(number)
        versions = nil
    }
}
