import GroveCoding
import GroveModel

/// What this process knows of the records that it wrote or compared last: whether a body that comes is another one.
///
/// A node that is known holds a record of one projection that follows no deletion; a body of another fingerprint then
/// takes its place without a look at it. Equal or unknown means read and compare, so a fingerprint that fits by chance
/// costs a look and nothing else. Whoever else commits to the store makes everything unknown.
///
/// Within a budget of bytes they are 32 bits beside the weights of the policy, from which it follows how much of the
/// account a record has that is replaced without a look; else they are in a table of their own.
///
/// A value that one group commit holds at a time: where that fails, what is known goes with it.
struct Fingerprints: Sendable {
    /// What there is to know of one node.
    struct Node {
        /// The hash of its key, as the table or the policy has it.
        fileprivate let key: UInt64
        /// Its fingerprint, `nil` where nothing is known: 48 bits of the body's hash and 16 of its type, or a note.
        fileprivate let value: UInt64?
        /// What the policy gives it, once it is stored.
        fileprivate var weight: UInt32 = 0
    }

    private var table = FingerprintTable()
    /// Where there is a budget, whose policy has the notes.
    private let index: EvictionIndex?
    /// What the transaction that is under way has written.
    private var staged: [Node] = []
    private var types: [NodeType] = []
    private let seed = UInt64.random(in: .min ... .max)
    /// What the store said of itself when the last transaction left it.
    private var last: StoreState?

    init(_ index: EvictionIndex? = nil) { self.index = index }

    /// Nodes that are known, but for those of a budget.
    var count: Int { table.count }

    /// Bytes of heap, but for a budget's.
    var byteCount: Int { table.byteCount }

    /// Begins a transaction on a store that says `stored` of itself.
    ///
    /// Whoever else has written, or evicted, makes everything unknown. Fingerprints that are new, with another seed and other numbers of
    /// types, forget what those before them noted, which may be about a transaction that failed.
    mutating func begin(at stored: StoreState) {
        guard stored != last else { return }
        table.removeAll()
        index?.policy.removeNotes()
    }

    /// Keeps what the transaction wrote: it was committed, and left `stored` in the store.
    mutating func commit(at stored: StoreState) {
        for node in staged {
            guard let value = node.value else {
                remove(node)
                continue
            }
            if let index {
                index.policy.setNote(UInt32(value), of: node.key, weight: Int(node.weight))
            } else {
                table.set(node.key, value)
            }
        }
        staged.removeAll(keepingCapacity: staged.count <= 4_096)
        last = stored
    }

    /// The fingerprint of a node that is about to be written, `type` being the number of its names.
    func node(_ key: UnsafeRawBufferPointer, type: UInt16?, _ body: UnsafeRawBufferPointer) -> Node {
        let hash = unsafe hash64(body, seed: seed)
        guard index != nil else {
            return unsafe Node(key: hash64(key, seed: seed), value: type.map { hash & ~0xFFFF | UInt64($0) })
        }
        // 12 bits of the type and 20 of the body. The types of two keys that the policy takes for one are told apart too.
        let mixed = unsafe hash64(key, seed: seed)
        let note = type.flatMap { $0 > 0xFFF ? nil : (UInt64($0) ^ mixed & 0xFFF) << 20 | max(hash & 0xF_FFFF, 1) }
        return unsafe Node(key: EvictionIndex.hash(key), value: note)
    }

    /// The bytes of the value that the store holds under the node's key, where that is certainly another body of the same
    /// type, which nothing but this process wrote; 0 where there is no budget that asks for them.
    func other(than node: Node, keyCount: Int) -> Int? {
        guard let value = node.value else { return nil }
        if let index {
            guard let (note, valueCount) = index.note(of: node.key, keyCount: keyCount) else { return nil }
            return UInt64(note) != value && UInt64(note) >> 20 == value >> 20 ? valueCount : nil
        }
        guard let known = table.find(node.key) else { return nil }
        return known != value && known & 0xFFFF == value & 0xFFFF ? 0 : nil
    }

    /// Notes that the transaction leaves `node` in the store, in a value of `valueCount` bytes; it is unknown until that is
    /// committed.
    mutating func stage(_ node: Node, keyCount: Int, valueCount: Int) {
        var node = node
        node.weight = UInt32(clamping: EvictionIndex.weight(keyCount: keyCount, valueCount: valueCount))
        // A rewrite that changed nothing leaves it as known as it was.
        if let index, let known = index.policy.note(of: node.key), let value = node.value, known.note == value,
            known.weight == node.weight
        {
            return
        }
        stage(node)
    }

    /// Notes that the transaction leaves something else under `key`.
    mutating func forget(_ key: UnsafeRawBufferPointer) {
        stage(unsafe Node(key: index == nil ? hash64(key, seed: seed) : EvictionIndex.hash(key), value: nil))
    }

    private mutating func stage(_ node: Node) {
        remove(node)
        staged.append(node)
    }

    private mutating func remove(_ node: Node) {
        if let index { index.removeNote(of: node.key) } else { table.remove(node.key) }
    }

    /// The number of the names of `type`, or `nil` where there are too many.
    mutating func number(of type: NodeType) -> UInt16? {
        if let index = types.firstIndex(where: { $0.hasNames(of: type) }) { return UInt16(index) }
        guard types.count < UInt16.max else { return nil }
        types.append(type)
        return UInt16(types.count - 1)
    }
}
