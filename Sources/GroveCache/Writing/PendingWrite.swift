import GroveCoding
import GroveModel

/// One call that writes, from the moment it was made until its commit is visible to every reader.
final class PendingWrite: Sendable {
    /// A change to a key that is not a node of the call's tree.
    enum Extra: Sendable {
        /// Mark the node of this identifier as deleted.
        case tombstone(ModelIdentifier)
        /// Store a collection, or its first page: an encoded array of references.
        case collection(key: [UInt8], body: [UInt8], WholeList = .set)
        /// Change some elements of a collection.
        case edit(key: [UInt8], ListOperation)
        /// Store an alias: an encoded reference.
        case alias(key: [UInt8], body: [UInt8])
        /// Keep something that no budget evicts, under a name.
        case kept(key: [UInt8], body: [UInt8])
        /// Let holders that named the node of this identifier before its deletion show it again.
        case undelete(ModelIdentifier)
        /// Take the node of this identifier, whose tombstone comes before, out of every collection that has it as an
        /// element.
        case unlist(ModelIdentifier)
        /// Forget a whole key of the store, its namespace included.
        case remove(storeKey: [UInt8])
        /// Forget a whole key of the store because the value that should be under it was not stored.
        case invalidate(storeKey: [UInt8], Invalidation)
        /// Retain something, or let go of it.
        case pin(PinChange)
    }

    /// The reason why a key is forgotten: the value that should be under it was not stored.
    struct Invalidation: Sendable {
        var isDeletion = false
        /// The number of the deletion, if nothing else failed of the key: it is made now, as of then.
        var deletion: LocalNumber?
        /// The place of the call, or of its answer: a record that was changed since stays; `nil` if none does.
        var asOf: StoredPlace.Numbers?
        /// The number after which changes by this process win, too; `nil` if none does.
        var ownNumber: CallNumber?

        /// This and `other`, of the same key.
        func merged(with other: Invalidation) -> Invalidation {
            var merged = Invalidation(isDeletion: isDeletion || other.isDeletion)
            if let deletion, let others = other.deletion { merged.deletion = max(deletion, others) }
            if let asOf, let others = other.asOf { merged.asOf = asOf.number < others.number ? others : asOf }
            if let ownNumber, let others = other.ownNumber { merged.ownNumber = max(ownNumber, others) }
            return merged
        }

        /// The number after which a change to the record wins; `nil` if none does.
        func yieldsAfter(_ shift: CallNumber.Shift) -> CallNumber? {
            // Numbers that another process has given since are not told from those of calls before the place.
            asOf.flatMap { $0.shift == shift ? ownNumber : $0.committed }
        }
    }

    /// The kind of a call.
    enum Kind: Sendable {
        /// It changes the keys that it names.
        case change
        /// It only forgets keys that an earlier call could not store.
        case invalidation
        /// It empties the store: nothing before it shows any more.
        case wipe
    }

    /// The number of the call, taken when it was made.
    let sequence: LocalNumber
    /// The time at which its content was confirmed, in seconds since 1970; 0 if it confirms nothing.
    let time: UInt32
    /// The tree and the other changes that it writes.
    let content: Content
    let kind: Kind
    /// The place of the call in the queue: calls are committed in this order; 0 before it is queued.
    var place: QueuePlace { unsafe queuePlace }
    // SAFETY: set once, under the lock of the queue, before any other thread can see the call.
    private nonisolated(unsafe) var queuePlace = QueuePlace.zero
    /// Whether some of the call's changes had no effect, because newer ones were there.
    var isSuperseded: Bool { unsafe hasNoSay }
    // SAFETY: set by the writer, and read by it after that.
    private nonisolated(unsafe) var hasNoSay = false
    /// Whether the call is done only when the commit survives loss of power.
    let isDurable: Bool
    /// The follower that made the call.
    let origin: FollowerID
    /// Called once with the outcome of a call for which no caller waits: if it is stored, whether all of it is.
    let settled: (@Sendable (Result<Bool, CacheError>) -> Void)?
    /// Called once with the outcome of the call, after its commit is visible; may be called on any thread.
    let completion: (@Sendable (Result<ChangeSet, CacheError>) -> Void)?
    /// The bytes that the call holds in memory while it waits; an estimate.
    let byteCount: Int
    /// The indices in `extras` of the keys of a large invalidation.
    private let places: [[UInt8]: Int]?

    init(
        _ content: Content = Content(), sequence: LocalNumber, time: UInt32 = 0, kind: Kind = .change,
        isDurable: Bool = false, origin: FollowerID = .none,
        settled: (@Sendable (Result<Bool, CacheError>) -> Void)? = nil,
        completion: (@Sendable (Result<ChangeSet, CacheError>) -> Void)? = nil
    ) {
        self.content = content
        self.sequence = sequence
        self.time = time
        self.kind = kind
        self.isDurable = isDurable
        self.origin = origin
        self.settled = settled
        self.completion = completion
        let extras = content.extras
        byteCount = extras.reduce(256 + (content.tree?.byteCount ?? 0)) { $0 + $1.byteCount }
        // No two keys of an invalidation are the same.
        places =
            kind == .invalidation && extras.count > 8
            ? Dictionary(uniqueKeysWithValues: extras.indices.map { (extras[$0].storeKey, $0) }) : nil
    }

    var tree: NodeTree? { content.tree }
    var extras: [Extra] { content.extras }
    var asOf: StoredPlace? { content.asOf }
    var isWipe: Bool { kind == .wipe }

    /// Whether the call names no key, as a flush and a wipe do.
    var isEmpty: Bool { tree == nil && extras.isEmpty }

    /// Notes, on the writer, that some of the call's nodes were changed or deleted since the place that it is as of.
    func noteSuperseded() { unsafe hasNoSay = true }

    /// Gives the call its place in the queue, once.
    func take(place: QueuePlace) { unsafe queuePlace = place }

    /// A call that forgets every key that this one writes: the old values must not be read as current.
    ///
    /// - Parameter place: the place of this call, if no earlier one is still to be committed.
    func invalidation(at place: StoredPlace.Numbers? = nil) -> PendingWrite {
        var keys: [[UInt8]: Invalidation] = [:]
        func add(_ key: [UInt8], _ invalidation: Invalidation) {
            keys[key] = keys[key]?.merged(with: invalidation) ?? invalidation
        }
        // What was refused before is tried again as of its place, and is the same call.
        let place = asOf == nil ? place : asOf?.numbers
        let number = asOf == nil ? sequence : place.map { LocalNumber($0.number, shiftedBy: $0.shift) }
        // A record of the same number is of the same call, which was stored by another attempt, unless it is of an
        // answer.
        let isAnswer = asOf.map { $0.time > 0 } ?? false
        let own = isAnswer ? place?.number : place?.number.previous
        for extra in extras where !extra.isPin {
            if extra.isDeletion {
                // A later call of this process is told by its number.
                add(extra.storeKey, Invalidation(isDeletion: true, deletion: number, asOf: place))
            } else if extra.storeKey.first == Namespace.collection, asOf == nil {
                // A list that a call could not set is no better once it is edited.
                add(extra.storeKey, Invalidation(asOf: place))
            } else {
                add(extra.storeKey, Invalidation(asOf: place, ownNumber: own))
            }
        }
        // A stored node is no older than one that only fills gaps.
        for key in content.fillsOnly ? [] : treeKeys { add(key, Invalidation(asOf: place, ownNumber: own)) }
        return PendingWrite(sequence: sequence, forgetting: keys)
    }

    /// An invalidation of `keys`, and whether each was about a deletion.
    private convenience init(sequence: LocalNumber, forgetting keys: [[UInt8]: Invalidation]) {
        self.init(
            Content(extras: keys.map { .invalidate(storeKey: $0.key, $0.value) }), sequence: sequence,
            kind: .invalidation)
    }

    /// All of `invalidations` in one; it may forget values that were written between them.
    convenience init(forgettingAll invalidations: [PendingWrite]) {
        var keys: [[UInt8]: Invalidation] = [:]
        for case .invalidate(let key, let invalidation) in invalidations.flatMap(\.extras) {
            keys[key] = keys[key]?.merged(with: invalidation) ?? invalidation
        }
        self.init(sequence: invalidations.map(\.sequence).max() ?? .zero, forgetting: keys)
    }

    /// This invalidation in two, or nothing if it is about one key.
    var halves: [PendingWrite] {
        guard extras.count > 1 else { return [] }
        let middle = extras.count / 2
        return [extras[..<middle], extras[middle...]].map {
            PendingWrite(Content(extras: Array($0)), sequence: sequence, kind: .invalidation)
        }
    }

    /// The store's keys of the nodes in the tree.
    private var treeKeys: [[UInt8]] {
        guard let tree else { return [] }
        return (0..<tree.count).map { unsafe Array(tree.key($0)) }
    }

    /// The identifier that the call is about, for messages: its first root, or else the first key that it names.
    var subject: ModelIdentifier? {
        if let tree, let first = tree.entries.min(by: { $0.order < $1.order }) {
            return tree.modelIdentifier(of: first)
        }
        return extras.first.map { ModelIdentifier(String(decoding: $0.storeKey.dropFirst(), as: UTF8.self)) }
    }

    /// The most records that the call writes; of lists, about.
    var entryCount: Int { extras.reduce(tree?.count ?? 0) { $0 + $1.entryCount } }

    /// The bytes that the call's records take in the store, keys and values, if names are in the records; an estimate.
    var payloadBytes: Int {
        var bytes = 0
        if let tree {
            for (index, entry) in tree.entries.enumerated() {
                bytes += 2 * entry.identifierCount + tree.namedBodyCount(index) + RecordHeader.leastBytes
            }
        }
        for extra in extras where !extra.isPin {
            bytes += 2 * extra.storeKey.count + (extra.body?.count ?? 0) + 64 * extra.entryCount
        }
        return bytes
    }

    /// Every key of the store that the call sets or forgets.
    ///
    /// Edits are left out: a list that was lost is no better once it is edited.
    var storeKeys: Set<[UInt8]> {
        Set(treeKeys + extras.filter { !$0.isEdit && !$0.isPin }.map(\.storeKey))
    }

    /// The updates of the call to `key`, a store's key, in their order; valid while this call is held.
    func updates(of key: UnsafeRawBufferPointer, shift: CallNumber.Shift) -> [RecordUpdate] {
        var updates: [RecordUpdate] = []
        if let tree, unsafe key[0] == Namespace.node {
            let identifier = unsafe UnsafeRawBufferPointer(rebasing: key[1...])
            var index = unsafe tree.find(identifier, hash: NodeTree.hash(identifier))
            var found: [Int] = []
            while index >= 0 {
                found.append(index)
                index = tree.entries[index].previous
            }
            found.sort { tree.entries[$0].order < tree.entries[$1].order }
            updates = found.map { index in
                unsafe update(key, .node(tree.node(index)), shift: shift)
            }
        }
        for change in unsafe extras(under: key).compactMap(\.change) {
            unsafe updates.append(update(key, change, shift: shift))
        }
        return updates
    }

    /// The other changes to `key`, a store's key, in their order.
    private func extras(under key: UnsafeRawBufferPointer) -> [Extra] {
        guard let places else { return extras.filter { unsafe $0.storeKey.elementsEqual(key) } }
        return unsafe places[Array(key)].map { [extras[$0]] } ?? []
    }

    /// The update that does `change` to `key`, as of the place that the call speaks of.
    func update(_ key: UnsafeRawBufferPointer, _ change: RecordUpdate.Change, shift: CallNumber.Shift) -> RecordUpdate {
        let call = sequence.number(shiftedBy: shift)
        guard case .invalidate(let invalidation) = change else {
            var update = unsafe RecordUpdate(
                key: key, change: change, sequence: asOf?.numbers?.number ?? call, time: time,
                fillsOnly: content.fillsOnly)
            update.yieldsAfter = since(shift)
            return update
        }
        let deletion = invalidation.deletion?.number(shiftedBy: shift)
        var update = unsafe RecordUpdate(
            key: key, change: deletion == nil ? change : .tombstone,
            sequence: deletion ?? invalidation.asOf?.number ?? call, time: 0)
        update.yieldsAfter = invalidation.yieldsAfter(shift)
        return update
    }
}

extension PendingWrite {
    /// The number after which calls are later than the place that this call is as of; `nil` if that is the call itself.
    ///
    /// Numbers that another process has given since are not told from those of calls before the place.
    func since(_ shift: CallNumber.Shift) -> CallNumber? {
        asOf?.numbers.map { $0.shift == shift ? $0.number : $0.committed }
    }

    /// The updates of the call to the collection under `key`, a store's key, in their order.
    func collectionUpdates(of key: UnsafeRawBufferPointer, shift: CallNumber.Shift) -> [CollectionUpdate] {
        unsafe extras(under: key).compactMap { extra in
            let change: CollectionUpdate.Change
            switch extra {
            case .collection(_, let body, let kind): change = .set(body, kind)
            case .edit(_, let edit): change = .edit(edit)
            case .remove: change = .forget(isInvalidation: false)
            case .invalidate: change = .forget(isInvalidation: true)
            case .tombstone, .undelete, .unlist, .alias, .kept, .pin: return nil
            }
            return CollectionUpdate(
                change: change, sequence: asOf?.numbers?.number ?? sequence.number(shiftedBy: shift),
                since: since(shift), call: sequence.number(shiftedBy: shift), time: time)
        }
    }
}

extension PendingWrite {
    /// The content of a call: its tree and its other changes.
    struct Content: Sendable {
        var tree: NodeTree?
        /// Whether only those of the tree's nodes are stored of whose projections the store has no record.
        var fillsOnly = false
        var extras: [Extra] = []
        /// The number that the follower gave to its edit of a list, if it is one.
        var ticket = EditTicket.none
        /// The place that it is as of; `nil` if that is the call itself.
        var asOf: StoredPlace?
        /// The number of wipes by this process when the call was made; `nil` if no wipe since then takes the call
        /// along.
        var wipes: WipeCount?
        /// Whether the content comes from the source of the models, so that their ages start again from zero.
        var isConfirmed = false
    }
}

extension CacheError {
    /// The same error, said of `identifier` if there is one.
    func concerning(optional identifier: ModelIdentifier?) -> CacheError {
        identifier.map { concerning($0) } ?? self
    }
}
