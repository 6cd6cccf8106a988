import GroveCoding
import GroveModel

/// Queued calls by the keys that they name: what a read looks up for each key, at a cost that does not grow with the queue.
///
/// A persistent hash trie (Bagwell, *Ideal Hash Trees*, 2001) of 32-way nodes: a copy is a snapshot, taken in O(1), that no
/// later change shows in. Nodes that no snapshot holds are changed in place. Calls with many keys are not taken apart: each finds its keys by itself, and the queue's bound in
/// bytes keeps them few.
struct QueueIndex: Sendable {
    /// One call under one key, in the order of places.
    fileprivate struct Item: Sendable {
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

    /// A node of the trie; changed in place where no snapshot holds it.
    // SAFETY: whoever changes a node has made sure that no other reference to it exists.
    fileprivate final class Node: @unchecked Sendable {
        var bits: UInt32
        var children: [Child]

        init(bits: UInt32 = 0, children: [Child] = []) {
            self.bits = bits
            self.children = children
        }
    }

    fileprivate enum Child: Sendable {
        case leaf(hash: UInt64, items: [Item])
        case branch(Node)
    }

    /// Calls that were added at about one time, and go together.
    struct Generation: Sendable {
        /// `nil` where there is nothing.
        fileprivate var root: Node?
        /// Calls with more keys than ``mostKeys``, oldest first.
        fileprivate var large: [PendingWrite] = []
        /// The place of the last call.
        fileprivate var lastPlace: UInt64 = 0
    }

    private var current = Generation()
    private var previous = Generation()

    /// A call with more keys is kept whole.
    fileprivate static let mostKeys = 256

    /// Whether it has no call whose place is behind `place`.
    func isEmpty(behind place: UInt64) -> Bool { max(current.lastPlace, previous.lastPlace) <= place }

    /// The calls that name `key`, oldest first, and perhaps others, whose updates of `key` are none.
    ///
    /// Calls that left stay for a while: the caller knows up to which place.
    ///
    /// - Complexity: O(1) in the number of calls that have at most 256 keys, O(*m*) for *m* others.
    func calls(naming key: UnsafeRawBufferPointer) -> [PendingWrite] {
        let hash = unsafe QueueIndex.hash(key)
        let found = (previous.items(hash) + current.items(hash)).map(\.call)
        let large = previous.large + current.large
        guard !large.isEmpty else { return found }
        return (found + large).sorted { $0.place < $1.place }
    }

    /// Adds `call`, which has its place, behind all others.
    mutating func insert(_ call: PendingWrite) {
        current.lastPlace = call.place
        guard call.keyCount <= QueueIndex.mostKeys else { return current.large.append(call) }
        call.forEachKey { hash, entry in
            let item = Item(call: call, entry: entry)
            current.change(hash) { items in
                if let last = items.last, last.isOverwritten(by: item) { items.removeLast() }
                items.append(item)
            }
        }
    }

    /// Lets go of the generations whose calls have all left.
    ///
    /// - Parameter place: up to which calls have left.
    /// - Returns: what was let go of; it takes a moment to take apart, which a lock should not be held for.
    mutating func forget(upTo place: UInt64) -> [Generation] {
        guard previous.lastPlace <= place else { return [] }
        defer { current = Generation() }
        guard current.lastPlace > place else {
            defer { previous = Generation() }
            return [previous, current]
        }
        defer { previous = current }
        return [previous]
    }

    /// Removes `call`, which was inserted.
    ///
    /// An older call that it had overwritten is not put back: what both name is not what was last set.
    mutating func remove(_ call: PendingWrite) {
        current.remove(call)
        previous.remove(call)
    }

    /// The hash of a whole key of a store, its namespace included.
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        unsafe hash(key[0], NodeTree.hash(UnsafeRawBufferPointer(rebasing: key[1...])))
    }

    /// The same, where the hash of what follows the namespace is known.
    static func hash(_ namespace: UInt8, _ name: UInt64) -> UInt64 {
        name &+ UInt64(namespace) &* 0x9E37_79B9_7F4A_7C15
    }

    fileprivate static func bit(_ hash: UInt64, _ level: UInt64) -> UInt32 { 1 << UInt32(hash >> level & 31) }

    fileprivate static func position(_ bit: UInt32, _ bits: UInt32) -> Int { (bits & (bit - 1)).nonzeroBitCount }

    /// Lets `change` change the items under `hash`, in `node` or below, whose hashes agree below bit `level`; emptied leaves
    /// stay until the index is empty.
    fileprivate static func change(
        _ node: inout Node, _ hash: UInt64, _ level: UInt64, _ change: (inout [Item]) -> Void
    ) {
        if !isKnownUniquelyReferenced(&node) { node = Node(bits: node.bits, children: node.children) }
        let bit = bit(hash, level)
        let position = position(bit, node.bits)
        guard node.bits & bit != 0 else {
            var items: [Item] = []
            change(&items)
            node.children.insert(.leaf(hash: hash, items: items), at: position)
            node.bits |= bit
            return
        }
        let child = node.children[position]
        node.children[position] = .leaf(hash: 0, items: [])
        switch consume child {
        case .leaf(let found, var items) where found == hash:
            change(&items)
            node.children[position] = .leaf(hash: hash, items: items)
        case .leaf(let found, let items):
            var branch = Node(
                bits: QueueIndex.bit(found, level + 5), children: [.leaf(hash: found, items: items)])
            QueueIndex.change(&branch, hash, level + 5, change)
            node.children[position] = .branch(branch)
        case .branch(var branch):
            QueueIndex.change(&branch, hash, level + 5, change)
            node.children[position] = .branch(branch)
        }
    }
}

extension QueueIndex.Generation {
    fileprivate func items(_ hash: UInt64) -> [QueueIndex.Item] {
        guard var node = root else { return [] }
        var level: UInt64 = 0
        while true {
            let bit = QueueIndex.bit(hash, level)
            guard node.bits & bit != 0 else { return [] }
            switch node.children[QueueIndex.position(bit, node.bits)] {
            case .leaf(let found, let items): return found == hash ? items : []
            case .branch(let next): node = next
            }
            level += 5
        }
    }

    fileprivate mutating func change(_ hash: UInt64, _ change: (inout [QueueIndex.Item]) -> Void) {
        // Taken out while it is changed, or it would be referenced twice.
        var node = root.take() ?? QueueIndex.Node()
        QueueIndex.change(&node, hash, 0, change)
        root = node
    }

    fileprivate mutating func remove(_ call: PendingWrite) {
        guard root != nil || !large.isEmpty else { return }
        guard call.keyCount <= QueueIndex.mostKeys else { return large.removeAll { $0 === call } }
        call.forEachKey { hash, _ in
            change(hash) { items in items.removeAll { $0.call === call } }
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
