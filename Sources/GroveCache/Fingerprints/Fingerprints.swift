import GroveModel

/// What this process knows of the records that it wrote or compared last: whether a body that comes is another one.
///
/// A node that is known holds a record of one projection that follows no deletion; a body of another fingerprint then
/// takes its place without a look at it. Equal or unknown means read and compare, so a fingerprint that fits by chance
/// costs a look and nothing else. Whoever else commits to the store makes everything unknown.
///
/// A value that one group commit holds at a time: where that fails, what is known goes with it.
struct Fingerprints: Sendable {
    /// What there is to know of one node: its key's hash, and its fingerprint: 48 bits of the body's hash, and its type.
    struct Node {
        fileprivate let key: UInt64
        /// `nil` where nothing is known.
        fileprivate let value: UInt64?
    }

    private var table = FingerprintTable()
    /// What the transaction that is under way has written.
    private var staged: [Node] = []
    private var types: [NodeTree.TypeNames] = []
    private let seed = UInt64.random(in: .min ... .max)
    /// The number of the last write in the store, as the last transaction left it.
    private var storedSequence: UInt64?

    /// Nodes that are known.
    var count: Int { table.count }

    /// Bytes of heap.
    var byteCount: Int { table.byteCount }

    /// Begins a transaction on a store whose last write has the number `sequence`.
    mutating func begin(at sequence: UInt64) {
        if sequence != storedSequence { table.removeAll() }
    }

    /// Keeps what the transaction wrote: it was committed, and left the number `sequence` in the store.
    mutating func commit(at sequence: UInt64) {
        for node in staged {
            if let value = node.value { table.set(node.key, value) } else { table.remove(node.key) }
        }
        staged.removeAll(keepingCapacity: staged.count <= 4_096)
        storedSequence = sequence
    }

    /// The fingerprint of a node that is about to be written, `type` being the number of its names.
    func node(_ key: UnsafeRawBufferPointer, type: UInt16?, _ body: UnsafeRawBufferPointer) -> Node {
        let hash = unsafe hash64(body, seed: seed)
        return unsafe Node(key: hash64(key, seed: seed), value: type.map { hash & ~0xFFFF | UInt64($0) })
    }

    /// Whether the store holds another body of the same type under the node's key, which nothing but this process wrote.
    func isOther(_ node: Node) -> Bool {
        guard let value = node.value, let known = table.find(node.key) else { return false }
        return known != value && known & 0xFFFF == value & 0xFFFF
    }

    /// Notes that the transaction leaves `node` in the store; it is unknown until that is committed.
    mutating func stage(_ node: Node) {
        table.remove(node.key)
        staged.append(node)
    }

    /// Notes that the transaction leaves something else under `key`.
    mutating func forget(_ key: UnsafeRawBufferPointer) {
        let node = unsafe Node(key: hash64(key, seed: seed), value: nil)
        table.remove(node.key)
        staged.append(node)
    }

    /// The number of `names`, or `nil` where there are too many.
    mutating func type(_ names: NodeTree.TypeNames) -> UInt16? {
        if let index = types.firstIndex(of: names) { return UInt16(index) }
        guard types.count < UInt16.max else { return nil }
        types.append(names)
        return UInt16(types.count - 1)
    }
}
