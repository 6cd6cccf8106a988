public import GroveCache
public import GroveModel

/// A read view of a ``MemoryStore``: one version of its tree, which lives until the view ends.
@_documentation(visibility: internal)
public final class MemoryView: NodeView {
    /// True: the tree does not change, so its bytes stay where they are until the view ends.
    public static var keepsBytes: Bool { true }

    /// The version, which keeps the nodes that `root` reaches.
    private var version: TreeVersion?
    private var root: TreeNode?

    init(_ version: TreeVersion) {
        self.version = version
        root = version.tree.root
    }

    /// The value stored under `key`, or `nil` if there is none; valid until the view ends.
    ///
    /// - Complexity: O(*k*) at most for a key of *k* bytes, however much the store holds; nothing is copied or
    ///   allocated.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        unsafe root?.value(KeyBytes(key))
    }

    /// Visits the entries whose keys begin with `prefix`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(*m*) for *m* such entries.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe root?.scan(prefix: KeyBytes(prefix)) { entry throws(CacheError) in
            try unsafe visit(entry.key.bytes, entry.value)
        }
    }

    /// Visits the entries with the prefix that come after `start`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(*k*) for a key of *k* bytes, and O(*m*) for *m* entries that are visited.
    /// - Throws: as ``scan(prefix:_:)``.
    public func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        guard let root, unsafe prefix.lexicographicallyPrecedes(start) else {
            return try unsafe scan(prefix: prefix) { (key, value) throws(CacheError) in
                guard unsafe start.lexicographicallyPrecedes(key) else { return true }
                return try unsafe visit(key, value)
            }
        }
        _ = try unsafe root.scan(after: KeyBytes(start)) { entry throws(CacheError) in
            guard unsafe entry.key.bytes.starts(with: prefix) else { return false }
            return try unsafe visit(entry.key.bytes, entry.value)
        }
    }

    /// Releases the version; a second call does nothing.
    public func end() {
        root = nil
        version = nil
    }
}
