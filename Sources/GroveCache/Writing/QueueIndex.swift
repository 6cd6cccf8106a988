import GroveCoding
import GroveModel

/// Queued calls by the keys that they name: what a read looks up for each key, at a cost that does not grow with the queue.
///
/// A persistent hash tree of 32-way branches over small buckets (Fagin et al., *Extendible Hashing*, 1979; Bagwell, *Ideal
/// Hash Trees*, 2001): a copy is a snapshot, taken in O(1), that no later change shows in. Nodes that no snapshot holds are
/// changed in place. Calls with many keys are not taken apart: each finds its keys by itself, and the queue's bound in
/// bytes keeps them few.
struct QueueIndex: Sendable {
    /// One call under one key, in the order of places.
    fileprivate struct Item: Sendable {
        let call: PendingWrite
        /// The hash of the key.
        let hash: UInt64
        /// The entry of the call's tree that is written under the key, if nothing else of the call is; -1 otherwise.
        let entry: Int32

        /// Whether nothing shows of this item once `later` is applied.
        ///
        /// So it is if the same projection writes the same fields again: a node that every queued call brings along,
        /// such as the sender of each message, costs a read one update.
        func isOverwritten(by later: Item) -> Bool {
            guard hash == later.hash, entry >= 0, later.entry >= 0, let tree = call.tree,
                let laterTree = later.call.tree,
                // An answer may be older than what it would overwrite, and what fills gaps overwrites nothing.
                call.sequence < later.call.sequence, later.call.asOf == nil, !later.call.fillsOnly
            else { return false }
            let (node, other) = (tree.node(Int(entry)), laterTree.node(Int(later.entry)))
            guard unsafe isEqual(node.key, other.key), unsafe isEqual(node.recordName, other.recordName),
                unsafe isEqual(node.projection, other.projection)
            else { return false }
            if let hash = unsafe node.shape?.takeUnretainedValue().hash {
                return unsafe hash == other.shape?.takeUnretainedValue().hash
            }
            if unsafe other.shape == nil, unsafe isEqual(node.body, other.body) { return true }
            guard let fields = unsafe try? RecordBody(node).fields, let others = unsafe try? RecordBody(other).fields
            else { return false }
            return unsafe fields.elementsEqual(others) { unsafe isEqual($0.key, $1.key) }
        }
    }

    /// A bucket of items, or once it had too many of them a branch; changed in place if no snapshot holds it.
    // SAFETY: the code that changes a node has made sure that no other reference to it exists.
    fileprivate final class Node: @unchecked Sendable {
        /// The items of a bucket; those of one hash are in the order of places.
        private(set) var items: [Item]
        /// A bit for each hash that a bucket has, and perhaps for some that it had: most reads need not look at the items.
        private var sketch: UInt64
        /// What is below a branch, by five bits of the hash; empty for a bucket.
        private(set) var below: [Node?]

        init(items: [Item] = [], sketch: UInt64 = 0, below: [Node?] = []) {
            self.items = items
            self.sketch = sketch
            self.below = below
        }

        /// The node below for `hash`, whose first `level` bits led here; `nil` if nothing is there.
        ///
        /// The node is not retained: that costs more than the look-up. The caller keeps the root.
        @inline(__always)
        func child(_ hash: UInt64, _ level: UInt64) -> Unmanaged<Node>? {
            unsafe below[Node.slot(hash, level)].map { unsafe Unmanaged.passUnretained($0) }
        }

        /// Whether this bucket may have an item under `hash`.
        func mayHold(_ hash: UInt64) -> Bool { sketch & Node.bit(hash) != 0 }

        /// The bit of `hash`, by six bits of it that lead through no branch.
        private static func bit(_ hash: UInt64) -> UInt64 { 1 << (hash >> 58) }

        /// The same, to be changed: made if nothing is there, and copied if a snapshot holds it.
        func ownedChild(_ hash: UInt64, _ level: UInt64) -> Node { Node.owned(&below[Node.slot(hash, level)]) }

        /// `node`, to be changed: made if there is none, and copied if a snapshot holds it.
        static func owned(_ node: inout Node?) -> Node {
            if isKnownUniquelyReferenced(&node), let node { return node }
            let copy = Node(items: node?.items ?? [], sketch: node?.sketch ?? 0, below: node?.below ?? [])
            node = copy
            return copy
        }

        /// Adds `item` to this bucket, whose hashes agree in their first `level` bits.
        func insert(_ item: Item, _ level: UInt64) {
            if let last = items.lastIndex(where: { $0.hash == item.hash }), items[last].isOverwritten(by: item) {
                items[last] = item
                return
            }
            append(item)
            // One key may have many items, which no branch tells apart; so a bucket is looked through each time it doubled.
            guard items.count >= Node.mostItems, items.count.nonzeroBitCount == 1, level < 55,
                items.contains(where: { $0.hash != item.hash })
            else { return }
            below = [Node?](repeating: nil, count: 32)
            for item in items { ownedChild(item.hash, level).append(item) }
            items = []
        }

        private func append(_ item: Item) {
            items.append(item)
            sketch |= Node.bit(item.hash)
        }

        /// Removes the items of `call` under `hash` from this bucket.
        func remove(_ call: PendingWrite, _ hash: UInt64) {
            items.removeAll { $0.hash == hash && $0.call === call }
        }

        /// Visits the items under `hash` of this bucket, in the order of places.
        func forEachItem(_ hash: UInt64, _ visit: (Item) -> Void) {
            // By index: an iterator would retain each item's call.
            for index in items.indices where items[index].hash == hash { visit(items[index]) }
        }

        /// How many items make a branch of a bucket; a power of two.
        private static let mostItems = 16

        /// Visits the hashes of all items, some more than once.
        func forEachHash(_ visit: (UInt64) -> Void) {
            for item in items { visit(item.hash) }
            for node in below { node?.forEachHash(visit) }
        }

        private static func slot(_ hash: UInt64, _ level: UInt64) -> Int { Int(truncatingIfNeeded: hash >> level & 31) }
    }

    /// Calls that were added at about one time, and go together.
    struct Generation: Sendable {
        /// `nil` if there is nothing.
        fileprivate var root: Node?
        /// The hashes below the root, once there are some hundreds: most reads need not look there.
        fileprivate var filter: KeyFilter?
        /// Calls with more keys than ``mostKeys``, oldest first.
        fileprivate var large: [PendingWrite] = []
        /// The place of the last call.
        fileprivate var lastPlace = QueuePlace.zero
    }

    private var current = Generation()
    private var previous = Generation()

    /// A call with more keys is kept whole.
    fileprivate static let mostKeys = 256

    /// Whether it has no call whose place is behind `place`.
    func isEmpty(behind place: QueuePlace) -> Bool { max(current.lastPlace, previous.lastPlace) <= place }

    /// Whether a call may name `key`; if none does, the answer is nearly always no.
    ///
    /// - Complexity: O(1).
    func mayName(_ key: UnsafeRawBufferPointer) -> Bool {
        let hash = unsafe QueueIndex.hash(key)
        return current.mayName(hash) || previous.mayName(hash)
    }

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
            current.insert(Item(call: call, hash: hash, entry: entry))
        }
    }

    /// Lets go of the generations whose calls have all left.
    ///
    /// - Parameter place: up to which calls have left.
    /// - Returns: what was let go of; it takes a moment to take apart, which a lock should not be held for.
    mutating func forget(upTo place: QueuePlace) -> [Generation] {
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

    /// The same, if the hash of what follows the namespace is known.
    static func hash(_ namespace: UInt8, _ name: UInt64) -> UInt64 {
        name &+ UInt64(namespace) &* 0x9E37_79B9_7F4A_7C15
    }
}

extension QueueIndex.Generation {
    fileprivate var calls: [PendingWrite] {
        var found = large
        var nodes = root.map { [$0] } ?? []
        while let node = nodes.popLast() {
            found += node.items.map(\.call)
            nodes += node.below.compactMap { $0 }
        }
        return found
    }

    fileprivate func mayName(_ hash: UInt64) -> Bool {
        if !large.isEmpty { return true }
        if let filter { return filter.mayHold(hash) }
        return withBucket(of: hash) { $0.mayHold(hash) } ?? false
    }

    fileprivate func forEachItem(_ hash: UInt64, _ visit: (QueueIndex.Item) -> Void) {
        withBucket(of: hash) { if $0.mayHold(hash) { $0.forEachItem(hash, visit) } }
    }

    /// Runs `body` with the bucket of `hash`, if there is one.
    @inline(__always)
    private func withBucket<Result>(of hash: UInt64, _ body: (QueueIndex.Node) -> Result) -> Result? {
        guard let root else { return nil }
        // The root keeps all that is below it.
        return withExtendedLifetime(root) {
            var node = unsafe Unmanaged.passUnretained(root)
            var level: UInt64 = 0
            while unsafe node._withUnsafeGuaranteedRef({ !$0.below.isEmpty }) {
                guard let below = unsafe node._withUnsafeGuaranteedRef({ unsafe $0.child(hash, level) }) else {
                    return nil
                }
                unsafe node = unsafe below
                level += 5
            }
            return unsafe node._withUnsafeGuaranteedRef(body)
        }
    }

    fileprivate mutating func insert(_ item: QueueIndex.Item) {
        let (bucket, level) = ownedBucket(item.hash)
        bucket.insert(item, level)
        if let filter {
            filter.insert(item.hash)
        } else if level > 0, !bucket.below.isEmpty {
            let filter = KeyFilter()
            root?.forEachHash(filter.insert)
            self.filter = filter
        }
    }

    /// The bucket of `hash`, to be changed, and how many bits of the hash lead there.
    fileprivate mutating func ownedBucket(_ hash: UInt64) -> (bucket: QueueIndex.Node, level: UInt64) {
        var node = QueueIndex.Node.owned(&root)
        var level: UInt64 = 0
        while !node.below.isEmpty {
            node = node.ownedChild(hash, level)
            level += 5
        }
        return (node, level)
    }

    fileprivate mutating func remove(_ call: PendingWrite) {
        guard root != nil || !large.isEmpty else { return }
        guard call.keyCount <= QueueIndex.mostKeys else { return large.removeAll { $0 === call } }
        call.forEachKey { hash, _ in ownedBucket(hash).bucket.remove(call, hash) }
    }
}

extension PendingWrite {
    /// How many keys the call names, those that it names twice counted twice.
    fileprivate var keyCount: Int { (tree?.count ?? 0) + extras.count }

    /// Visits the hash of each key once, with the entry of the tree if nothing else of the call is under the key, or -1.
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
