import GroveCoding
import GroveModel

/// Queued calls and lost keys, by key: a read looks up each of its keys, at a cost that does not grow with the queue.
///
/// An entry has the places of the queue from which and up to which it is there, so one table is a snapshot for each
/// reader. Entries come and end behind the lock of the state; a shard's own lock keeps readers out meanwhile. An
/// ``Overlay`` knows which ended entries no reader needs any more: those are taken out with no other lock held.
final class OverlayTable: Sendable {
    /// One call under one key.
    struct Entry: Sendable {
        /// A queued call, or an invalidation of one key that could not be stored.
        fileprivate(set) var call: PendingWrite
        /// The entry of the call's tree that is written under the key, if nothing else of the call is; -1 otherwise.
        fileprivate var node: Int32 = -1
        /// The place from which on it is there: that of a queued call.
        let from: QueuePlace
        /// The place from which on it is not.
        fileprivate var until = QueuePlace.last

        /// Whether it is of a lost key: such an invalidation was never queued.
        var isLost: Bool { call.place == .zero }
        /// Whether it has not ended.
        fileprivate var isPresent: Bool { until == .last }
    }

    /// Entries that ended: those of `call`, which are there from `from` on, under `hash`; under all its keys if that is
    /// `nil`.
    struct Ended: Sendable {
        let call: PendingWrite
        let from: QueuePlace
        var hash: UInt64?
    }

    private struct Shard {
        var byKey: [UInt64: [Entry]] = [:]
        /// Calls with more keys than ``mostKeys``: each finds its keys by itself, and the queue's bound in bytes keeps
        /// them few.
        var large: [Entry] = []
    }

    private let shards = Pools(count: OverlayTable.shardCount) { Shard() }
    private static let shardCount = 32

    /// A call with more keys is not taken apart.
    private static let mostKeys = 256

    // MARK: Readers

    /// The entries under `key` that a reader of `place` finds, but for calls up to `left`.
    ///
    /// Lost keys come first, and then calls in their order. Some of the calls may have no update of `key`.
    ///
    /// - Complexity: O(1) in the number of calls that have at most 256 keys, O(*m*) for *m* other calls.
    func entries(under key: UnsafeRawBufferPointer, at place: QueuePlace, behind left: QueuePlace) -> [Entry] {
        let hash = unsafe OverlayTable.hash(key)
        return withShard(of: hash) { shard in
            func isThere(_ entry: Entry) -> Bool {
                entry.from <= place && place < entry.until && (entry.isLost || entry.from > left)
            }
            let found = shard.byKey[hash]?.filter(isThere) ?? []
            if shard.large.isEmpty, found.count < 2 { return found }
            return (found + shard.large.filter(isThere)).sorted { $0.call.place < $1.call.place }
        }
    }

    /// Every call, and perhaps some that have left.
    ///
    /// - Complexity: linear in their keys.
    var calls: [PendingWrite] {
        var calls: [ObjectIdentifier: PendingWrite] = [:]
        shards.forEach { shard in
            for entry in shard.byKey.values.joined() { calls[ObjectIdentifier(entry.call)] = entry.call }
            for entry in shard.large { calls[ObjectIdentifier(entry.call)] = entry.call }
        }
        return Array(calls.values)
    }

    /// The invalidations of the keys that are lost.
    var lost: [PendingWrite] {
        var lost: [PendingWrite] = []
        shards.forEach { shard in
            for entry in shard.byKey.values.joined() where entry.isLost && entry.isPresent { lost.append(entry.call) }
        }
        return lost
    }

    // MARK: Behind the lock of the state

    /// Adds `call`, which has its place, behind all others.
    ///
    /// The entries that it overwrites end: a node that every queued call brings along, such as the sender of each
    /// message, costs a read one update.
    ///
    /// - Parameter seen: the place up to which readers that go on need entries. Later entries that end are gone at
    ///   once.
    /// - Returns: the entries that have ended and stay.
    func insert(_ call: PendingWrite, seen: QueuePlace) -> [Ended] {
        var ended: [Ended] = []
        guard call.keyCount <= OverlayTable.mostKeys else {
            shards.forEach { $0.large.append(Entry(call: call, from: call.place)) }
            return ended
        }
        call.forEachKey { hash, node in
            let entry = Entry(call: call, node: node, from: call.place)
            withShard(of: hash) { $0.byKey[hash, default: []].insert(entry, hash, seen, &ended) }
        }
        return ended
    }

    /// Ends `call` at `place`: it failed.
    func end(_ call: PendingWrite, at place: QueuePlace) {
        change(call, under: nil) { entries in
            for index in entries.indices where entries[index].call === call && entries[index].isPresent {
                entries[index].until = place
            }
        }
    }

    /// Adds `lost`, an invalidation of one key, from `place` on, or merges it with another one of that key.
    ///
    /// To earlier readers the merged one is the same, or forgets more.
    ///
    /// - Returns: the number of bytes that are lost in addition.
    func lose(_ lost: PendingWrite, from place: QueuePlace) -> Int {
        let key = lost.lostKey
        let hash = unsafe key.withUnsafeBytes { unsafe OverlayTable.hash($0) }
        return withShard(of: hash) { shard in
            guard let index = shard.byKey[hash]?.firstIndex(where: { $0.isPresent && $0.isLost(key) }),
                let before = shard.byKey[hash]?[index].call
            else {
                shard.byKey[hash, default: []].append(Entry(call: lost, from: place))
                return lost.byteCount
            }
            shard.byKey[hash]?[index].call = PendingWrite(forgettingAll: [before, lost])
            return 0
        }
    }

    /// Ends the entry of the lost key `key` at `place`, if it `isSettled`.
    ///
    /// - Returns: the entry that has ended.
    func settle(_ key: [UInt8], at place: QueuePlace, if isSettled: (Entry) -> Bool) -> Ended? {
        let hash = unsafe key.withUnsafeBytes { unsafe OverlayTable.hash($0) }
        return withShard(of: hash) { shard in
            guard let index = shard.byKey[hash]?.firstIndex(where: { $0.isPresent && $0.isLost(key) && isSettled($0) }),
                let entry = shard.byKey[hash]?[index]
            else { return nil }
            shard.byKey[hash]?[index].until = place
            return Ended(call: entry.call, from: entry.from, hash: hash)
        }
    }

    // MARK: With no other lock

    /// Takes out the entries that have `ended`.
    func remove(_ ended: [Ended]) {
        for entry in ended {
            change(entry.call, under: entry.hash) { $0.removeAll { $0.call === entry.call } }
        }
    }

    /// Changes the entries that are beside those of `call`, under `hash` or all its keys.
    private func change(_ call: PendingWrite, under hash: UInt64?, _ body: (inout [Entry]) -> Void) {
        func change(_ hash: UInt64) {
            withShard(of: hash) { shard in
                guard let index = shard.byKey.index(forKey: hash) else { return }
                body(&shard.byKey.values[index])
                if shard.byKey.values[index].isEmpty { shard.byKey.remove(at: index) }
                // Memory that a burst has needed is given back.
                if shard.byKey.isEmpty, shard.byKey.capacity > 64 { shard.byKey = [:] }
            }
        }
        guard call.keyCount <= OverlayTable.mostKeys else { return shards.forEach { body(&$0.large) } }
        if let hash { change(hash) } else { call.forEachKey { hash, _ in change(hash) } }
    }

    @inline(__always)
    private func withShard<Result>(of hash: UInt64, _ body: (inout Shard) -> Result) -> Result {
        shards.withLock(of: Int(truncatingIfNeeded: hash) & (OverlayTable.shardCount - 1), body)
    }

    /// The hash of a whole key of a store, its namespace included.
    fileprivate static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        unsafe hash(key[0], NodeTree.hash(UnsafeRawBufferPointer(rebasing: key[1...])))
    }

    /// The same, from the hash of the key without its namespace.
    fileprivate static func hash(_ namespace: UInt8, _ name: UInt64) -> UInt64 {
        name &+ UInt64(namespace) &* 0x9E37_79B9_7F4A_7C15
    }
}

extension [OverlayTable.Entry] {
    /// Adds `entry` to those under `hash`; see ``OverlayTable/insert(_:seen:)``.
    fileprivate mutating func insert(
        _ entry: Element, _ hash: UInt64, _ seen: QueuePlace, _ ended: inout [OverlayTable.Ended]
    ) {
        if let last = lastIndex(where: { $0.isPresent && !$0.isLost }) {
            // The call names the key twice.
            if self[last].call === entry.call { return self[last].node = -1 }
            if self[last].isOverwritten(by: entry) {
                if self[last].from > seen { return self[last] = entry }
                self[last].until = entry.from
                ended.append(OverlayTable.Ended(call: self[last].call, from: self[last].from, hash: hash))
            }
        }
        append(entry)
    }
}

extension OverlayTable.Entry {
    /// Whether it is of `key`, which is lost.
    fileprivate func isLost(_ key: [UInt8]) -> Bool { isLost && call.lostKey == key }

    /// Whether nothing shows of this entry once `later`, under a key of the same hash, is applied.
    ///
    /// So it is if the same projection writes the same fields again.
    fileprivate func isOverwritten(by later: OverlayTable.Entry) -> Bool {
        guard node >= 0, later.node >= 0, let tree = call.tree, let laterTree = later.call.tree,
            // An answer may be older than what it would overwrite, and a call that fills gaps overwrites nothing.
            call.sequence < later.call.sequence, later.call.asOf == nil, !later.call.content.fillsOnly
        else { return false }
        let (node, other) = (tree.node(Int(node)), laterTree.node(Int(later.node)))
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

extension PendingWrite {
    /// The number of keys that the call names; a key that it names twice counts twice.
    fileprivate var keyCount: Int { (tree?.count ?? 0) + extras.count }

    /// The key of an invalidation of one key.
    fileprivate var lostKey: [UInt8] { extras[0].storeKey }

    /// Visits the hash of each key that the call names, with the entry of the tree that names it, or -1.
    fileprivate func forEachKey(_ visit: (UInt64, Int32) -> Void) {
        if let tree {
            for (index, entry) in tree.entries.enumerated() {
                visit(OverlayTable.hash(Namespace.node, entry.hash), Int32(truncatingIfNeeded: index))
            }
        }
        for extra in extras {
            visit(unsafe extra.storeKey.withUnsafeBytes { unsafe OverlayTable.hash($0) }, -1)
        }
    }
}
