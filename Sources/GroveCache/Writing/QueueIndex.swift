import GroveCoding
import GroveModel

/// Queued calls by the keys that they name: what a read looks up for each key, at a cost that does not grow with the queue.
///
/// A persistent hash trie (Bagwell, *Ideal Hash Trees*, 2001) of 32-way nodes: a copy is a snapshot, taken in O(1), that no
/// later change shows in. Calls with many keys are not taken apart: each finds its keys by itself, and the queue's bound in
/// bytes keeps them few.
struct QueueIndex: Sendable {
    /// One call under one key, in the order of places.
    private struct Item: Sendable {
        let call: PendingWrite
        /// The entry of the call's tree that is written under the key, where nothing else of the call is.
        let entry: Int?

        /// Whether nothing shows of this item once `later` is applied.
        ///
        /// So it is where the same projection writes the same fields again: a node that every queued call brings along,
        /// such as the sender of each message, costs a read one update.
        func isOverwritten(by later: Item) -> Bool {
            guard let entry, let laterEntry = later.entry, let tree = call.tree, let laterTree = later.call.tree,
                call.sequence < later.call.sequence
            else { return false }
            let (node, other) = (tree.node(entry), laterTree.node(laterEntry))
            guard unsafe isEqual(node.recordName, other.recordName), unsafe isEqual(node.projection, other.projection)
            else { return false }
            if unsafe isEqual(node.body, other.body) { return true }
            guard let fields = unsafe try? RecordBody(node.body).fields,
                let others = unsafe try? RecordBody(other.body).fields
            else { return false }
            return unsafe fields.elementsEqual(others) { unsafe isEqual($0.key, $1.key) }
        }
    }

    private indirect enum Trie: Sendable {
        case leaf(hash: UInt64, items: [Item])
        case branch(bits: UInt32, children: [Trie])
    }

    private var root = Trie.branch(bits: 0, children: [])
    /// Calls with more keys than ``mostKeys``, oldest first.
    private var large: [PendingWrite] = []
    private var count = 0

    /// A call with more keys is kept whole.
    private static let mostKeys = 256

    var isEmpty: Bool { count == 0 }

    /// The calls that name `key`, oldest first, and perhaps others, whose updates of `key` are none.
    ///
    /// - Complexity: O(1) in the number of calls that have at most 256 keys, O(*m*) for *m* others.
    func calls(naming key: UnsafeRawBufferPointer) -> [PendingWrite] {
        let found = unsafe items(QueueIndex.hash(key)).map(\.call)
        guard !large.isEmpty else { return found }
        return (found + large).sorted { $0.place < $1.place }
    }

    /// Adds `call`, which has its place, behind all others.
    mutating func insert(_ call: PendingWrite) {
        count += 1
        guard call.keyCount <= QueueIndex.mostKeys else { return large.append(call) }
        call.forEachKey { hash, entry in
            let item = Item(call: call, entry: entry)
            root = QueueIndex.changed(root, hash, 0) { items in
                if let last = items.last, last.isOverwritten(by: item) { items.removeLast() }
                items.append(item)
            }
        }
    }

    /// Removes `call`, which was inserted.
    mutating func remove(_ call: PendingWrite) {
        count -= 1
        guard count > 0 else {
            self = QueueIndex()
            return
        }
        guard call.keyCount <= QueueIndex.mostKeys else { return large.removeAll { $0 === call } }
        call.forEachKey { hash, _ in
            root = QueueIndex.changed(root, hash, 0) { items in items.removeAll { $0.call === call } }
        }
    }

    /// The hash of a whole key of a store, its namespace included.
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        unsafe hash(key[0], NodeTree.hash(UnsafeRawBufferPointer(rebasing: key[1...])))
    }

    /// The same, where the hash of what follows the namespace is known.
    static func hash(_ namespace: UInt8, _ name: UInt64) -> UInt64 {
        name &+ UInt64(namespace) &* 0x9E37_79B9_7F4A_7C15
    }

    private func items(_ hash: UInt64) -> [Item] {
        var trie = root
        var level: UInt64 = 0
        while true {
            switch trie {
            case .leaf(let found, let items): return found == hash ? items : []
            case .branch(let bits, let children):
                let bit = QueueIndex.bit(hash, level)
                guard bits & bit != 0 else { return [] }
                trie = children[QueueIndex.position(bit, bits)]
                level += 5
            }
        }
    }

    private static func bit(_ hash: UInt64, _ level: UInt64) -> UInt32 { 1 << UInt32(hash >> level & 31) }

    private static func position(_ bit: UInt32, _ bits: UInt32) -> Int { (bits & (bit - 1)).nonzeroBitCount }

    /// `trie`, whose hashes agree below bit `level`, with what `change` makes of the items under `hash`; emptied leaves stay
    /// until the index is empty.
    private static func changed(
        _ trie: Trie, _ hash: UInt64, _ level: UInt64, _ change: (inout [Item]) -> Void
    ) -> Trie {
        switch trie {
        case .leaf(let found, var items):
            guard found != hash else {
                change(&items)
                return .leaf(hash: hash, items: items)
            }
            let branch = Trie.branch(bits: bit(found, level), children: [trie])
            return changed(branch, hash, level, change)
        case .branch(let bits, var children):
            let bit = bit(hash, level)
            let position = position(bit, bits)
            if bits & bit != 0 {
                children[position] = changed(children[position], hash, level + 5, change)
                return .branch(bits: bits, children: children)
            }
            var items: [Item] = []
            change(&items)
            children.insert(.leaf(hash: hash, items: items), at: position)
            return .branch(bits: bits | bit, children: children)
        }
    }
}

extension PendingWrite {
    /// How many keys the call names, those that it names twice counted twice.
    fileprivate var keyCount: Int { (tree?.count ?? 0) + extras.count }

    /// Visits the hash of each key once, with the entry of the tree where nothing else of the call is under the key.
    fileprivate func forEachKey(_ visit: (UInt64, Int?) -> Void) {
        var keys: [(hash: UInt64, entry: Int?)] = []
        keys.reserveCapacity(keyCount)
        if let tree {
            for (index, entry) in tree.entries.enumerated() {
                keys.append((QueueIndex.hash(Namespace.node, entry.hash), index))
            }
        }
        for extra in extras {
            let key = extra.storeKey
            keys.append((unsafe key.withUnsafeBytes { unsafe QueueIndex.hash($0) }, nil))
        }
        guard keys.count > 1 else { return keys.forEach { visit($0.hash, $0.entry) } }
        keys.sort { $0.hash < $1.hash }
        var index = 0
        while index < keys.count {
            let key = keys[index]
            var end = index + 1
            while end < keys.count, keys[end].hash == key.hash { end += 1 }
            visit(key.hash, end == index + 1 ? key.entry : nil)
            index = end
        }
    }
}
