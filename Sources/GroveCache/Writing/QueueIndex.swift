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
        /// The entry of the call's tree that is written under the key, where nothing else of the call is; -1 otherwise.
        let entry: Int32

        /// Whether nothing shows of this item once `later` is applied.
        ///
        /// So it is where the same projection writes the same fields again: a node that every queued call brings along,
        /// such as the sender of each message, costs a read one update.
        func isOverwritten(by later: Item) -> Bool {
            guard entry >= 0, later.entry >= 0, let tree = call.tree, let laterTree = later.call.tree,
                call.sequence < later.call.sequence
            else { return false }
            let (node, other) = (tree.node(Int(entry)), laterTree.node(Int(later.entry)))
            guard unsafe isEqual(node.key, other.key), unsafe isEqual(node.recordName, other.recordName),
                unsafe isEqual(node.projection, other.projection)
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
        /// One item, as almost every key has it: no array for it.
        case leaf(hash: UInt64, Item)
        case leaves(hash: UInt64, [Item])
        case branch(Node)

        /// The hash of what lies here, but for a branch.
        var hash: UInt64? {
            switch self {
            case .leaf(let hash, _), .leaves(let hash, _): hash
            case .branch: nil
            }
        }
    }

    fileprivate enum Change {
        case insert(Item)
        case remove(PendingWrite)
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
        var found: [PendingWrite] = []
        previous.forEachItem(hash) { found.append($0.call) }
        current.forEachItem(hash) { found.append($0.call) }
        guard !previous.large.isEmpty || !current.large.isEmpty else { return found }
        return (found + previous.large + current.large).sorted { $0.place < $1.place }
    }

    /// Every call, and perhaps some that have left; in no order, some more than once.
    ///
    /// - Complexity: linear in their keys.
    var calls: [PendingWrite] { previous.calls + current.calls }

    /// Adds `call`, which has its place, behind all others.
    mutating func insert(_ call: PendingWrite) {
        current.lastPlace = call.place
        guard call.keyCount <= QueueIndex.mostKeys else { return current.large.append(call) }
        call.forEachKey { hash, entry in
            current.apply(.insert(Item(call: call, entry: entry)), hash)
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

    /// Applies `change` to the items under `hash`, in `node` or below, whose hashes agree below bit `level`; emptied leaves
    /// stay until the index is empty.
    fileprivate static func apply(_ change: Change, _ node: inout Node, _ hash: UInt64, _ level: UInt64) {
        if !isKnownUniquelyReferenced(&node) { node = Node(bits: node.bits, children: node.children) }
        let bit = bit(hash, level)
        let position = position(bit, node.bits)
        guard node.bits & bit != 0 else {
            guard case .insert(let item) = change else { return }
            node.children.insert(.leaf(hash: hash, item), at: position)
            node.bits |= bit
            return
        }
        // Taken out while it is changed, or it would be referenced twice.
        let child = node.children[position]
        node.children[position] = .leaves(hash: 0, [])
        switch consume child {
        case .branch(var branch):
            apply(change, &branch, hash, level + 5)
            node.children[position] = .branch(branch)
        case .leaf(hash, let old):
            node.children[position] = apply(change, to: old, hash)
        case .leaves(hash, var items):
            apply(change, to: &items)
            node.children[position] = .leaves(hash: hash, items)
        case let other:
            var branch = Node(bits: QueueIndex.bit(other.hash ?? 0, level + 5), children: [other])
            apply(change, &branch, hash, level + 5)
            node.children[position] = .branch(branch)
        }
    }

    private static func apply(_ change: Change, to old: Item, _ hash: UInt64) -> Child {
        switch change {
        case .insert(let item) where old.isOverwritten(by: item): return .leaf(hash: hash, item)
        case .insert(let item): return .leaves(hash: hash, [old, item])
        case .remove(let call): return old.call === call ? .leaves(hash: hash, []) : .leaf(hash: hash, old)
        }
    }

    private static func apply(_ change: Change, to items: inout [Item]) {
        switch change {
        case .insert(let item):
            if let last = items.last, last.isOverwritten(by: item) { items.removeLast() }
            items.append(item)
        case .remove(let call): items.removeAll { $0.call === call }
        }
    }
}

extension QueueIndex.Generation {
    fileprivate var calls: [PendingWrite] {
        var found = large
        var nodes = root.map { [$0] } ?? []
        while let node = nodes.popLast() {
            for child in node.children {
                switch child {
                case .leaf(_, let item): found.append(item.call)
                case .leaves(_, let items): found += items.map(\.call)
                case .branch(let next): nodes.append(next)
                }
            }
        }
        return found
    }

    fileprivate func forEachItem(_ hash: UInt64, _ visit: (QueueIndex.Item) -> Void) {
        guard var node = root else { return }
        var level: UInt64 = 0
        while true {
            let bit = QueueIndex.bit(hash, level)
            guard node.bits & bit != 0 else { return }
            switch node.children[QueueIndex.position(bit, node.bits)] {
            case .branch(let next): node = next
            case .leaf(hash, let item): return visit(item)
            case .leaves(hash, let items): return items.forEach(visit)
            case .leaf, .leaves: return
            }
            level += 5
        }
    }

    fileprivate mutating func apply(_ change: QueueIndex.Change, _ hash: UInt64) {
        var node = root.take() ?? QueueIndex.Node()
        QueueIndex.apply(change, &node, hash, 0)
        root = node
    }

    fileprivate mutating func remove(_ call: PendingWrite) {
        guard root != nil || !large.isEmpty else { return }
        guard call.keyCount <= QueueIndex.mostKeys else { return large.removeAll { $0 === call } }
        call.forEachKey { hash, _ in apply(.remove(call), hash) }
    }
}

extension PendingWrite {
    /// How many keys the call names, those that it names twice counted twice.
    fileprivate var keyCount: Int { (tree?.count ?? 0) + extras.count }

    /// Visits the hash of each key once, with the entry of the tree where nothing else of the call is under the key, or -1.
    fileprivate func forEachKey(_ visit: (UInt64, Int32) -> Void) {
        if extras.isEmpty, let tree, tree.count == 1 {
            return visit(QueueIndex.hash(Namespace.node, tree.entries[0].hash), 0)
        }
        var keys: [(hash: UInt64, entry: Int32)] = []
        keys.reserveCapacity(keyCount)
        if let tree {
            for (index, entry) in tree.entries.enumerated() {
                keys.append((QueueIndex.hash(Namespace.node, entry.hash), Int32(truncatingIfNeeded: index)))
            }
        }
        for extra in extras {
            let key = extra.storeKey
            keys.append((unsafe key.withUnsafeBytes { unsafe QueueIndex.hash($0) }, -1))
        }
        keys.sort { $0.hash < $1.hash }
        var index = 0
        while index < keys.count {
            let key = keys[index]
            var end = index + 1
            while end < keys.count, keys[end].hash == key.hash { end += 1 }
            visit(key.hash, end == index + 1 ? key.entry : -1)
            index = end
        }
    }
}
