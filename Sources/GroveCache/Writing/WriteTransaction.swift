import GroveCoding
import GroveModel

/// One transaction of the writer: the updates of a group of calls, applied one after the other.
struct WriteTransaction: ~Copyable {
    private(set) var transaction: any NodeTransaction
    var stored: StoreState
    private let original: StoreState
    private(set) var shift: CallNumber.Shift
    private var out = ByteBuffer(capacity: 1_024)
    var shapes = KnownShapes()
    /// The session that writes, and the place of the last of its queue's calls that were applied.
    private var writer: StoreState.Writer
    /// See ``RecordUpdate/renewal``.
    let renewal: UInt32?
    var written = Written()
    /// Its work for the budget.
    var eviction: EvictionWork
    /// Its work on lists.
    var lists: ListWork
    /// Its changes so far.
    var history: HistoryDraft

    init(
        _ transaction: any NodeTransaction, session: SessionID, shift: CallNumber.Shift, lastCommitted: CallNumber,
        eviction: EvictionWork = EvictionWork(), renewal: UInt32? = nil, history: HistoryLimit = .none,
        lists: ListWork = ListWork()
    ) throws(CacheError) {
        self.lists = lists
        self.transaction = transaction
        writer = StoreState.Writer(session: session, place: .zero)
        self.renewal = renewal
        self.eviction = eviction
        self.history = HistoryDraft(history)
        stored = try StoreState(transaction)
        original = stored
        // Another process has written since: this one's calls get numbers after its.
        self.shift = shift + CallNumber.numbers(after: lastCommitted, upTo: stored.sequence)
    }

    deinit { out.deallocate() }

    /// The results for the cache to remember, after ``finish()``.
    var summary: TransactionSummary {
        TransactionSummary(
            found: original, stored: stored, shift: shift, written: written, listEdits: lists.entries)
    }

    /// The evictor, if there is a budget.
    var evictor: Evictor? { eviction.evictor }

    /// The bytes of all keys and values.
    var payload: Int { stored.account?.payloadBytes ?? 0 }

    /// Applies all of `write`, then evicts until the stored records fit.
    mutating func apply(_ write: PendingWrite, limit: PayloadLimit = .none) throws(CacheError) -> ChangeSet {
        let number = write.sequence.number(shiftedBy: shift)
        eviction.ownNumbers = number...number
        eviction.own.removeAll()
        let set = try store(write)
        writer.place = max(writer.place, write.place)
        var evicted = try removeVictims(downToAll: limit.hard)
        let most = eviction.evictions(besideNext: write.entryCount)
        evicted.add(try removeVictims(downTo: limit.soft, most: most, isSoft: true))
        let changes = set.evicting(evicted)
        history.add(changes)
        return changes
    }

    /// Applies one call of a user's transaction; nothing is evicted before ``settle(_:)``.
    mutating func stage(_ write: PendingWrite) throws(CacheError) -> ChangeSet {
        let number = write.sequence.number(shiftedBy: shift)
        eviction.ownNumbers = min(eviction.ownNumbers.lowerBound, number)...CallNumber.max
        return try store(write)
    }

    /// The changes of a user's transaction within a budget, as long as they have not gone to the engine.
    var buffer: BufferedTransaction? { transaction as? BufferedTransaction }

    /// Gives the engine the changes so far.
    mutating func flush() throws(CacheError) {
        guard let buffer else { return }
        try buffer.flush()
        transaction = buffer.engine
        // The engine had no places for them before.
        for key in buffer.newKeys {
            try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe moveHand(to: key) }
        }
    }

    /// Ends a user's transaction: evicts until the stored records fit, but none that it wrote.
    ///
    /// - Returns: the names of the evicted records.
    mutating func settle(_ limit: PayloadLimit) throws(CacheError) -> EvictedNames {
        var evicted = try removeVictims(downToAll: limit.hard)
        evicted.add(try removeVictims(downTo: limit.soft, most: 2 * written.records + 16, isSoft: true))
        return evicted
    }

    /// Stores all of `write`, and evicts nothing.
    private mutating func store(_ write: PendingWrite) throws(CacheError) -> ChangeSet {
        let sequence = write.sequence.number(shiftedBy: shift)
        var changed: [Int] = []
        var isSuperseded = false
        var named = ChangeLists()
        lists.beginCall()
        // Nodes that were deleted before, by their entries: holders that name them must be newer than the deletion.
        var deletions: [Int: CallNumber] = [:]
        var unchangedHolders: [(entry: Int, sequence: CallNumber)] = []

        if let tree = write.tree {
            let order = tree.storeOrder()
            for place in 0..<tree.count {
                let index = order.map { Int($0[place]) } ?? place
                let node = tree.node(index)
                var update = unsafe write.update(node.key, .node(node), shift: shift)
                switch try perform(&update, tree, index) {
                case .replaced(let bodyChanged): if bodyChanged { changed.append(index) }
                case .unchanged, .renewed:
                    if node.holdsReferences { unchangedHolders.append((index, update.storedSequence)) }
                case .superseded: isSuperseded = true
                case .overtaken, .removed: break
                }
                if update.deletion.sequence > .zero { deletions[index] = update.deletion.sequence }
            }
            if !deletions.isEmpty {
                for holder in unchangedHolders {
                    let node = tree.node(holder.entry)
                    guard unsafe names(deletions, after: holder.sequence, in: node.body, tree) else { continue }
                    var update = unsafe write.update(node.key, .node(node), shift: shift)
                    update.refreshes = true
                    _ = try perform(&update)
                }
            }
        }
        var isKept = false
        for extra in write.extras {
            if case .unlist(let identifier) = extra {
                // A model that was changed since the place of its deletion stays in its lists too.
                if isKept, write.asOf != nil { continue }
                named.names.collections += try removeFromCollections(identifier, sequence: sequence)
                continue
            }
            let outcome = try apply(extra, of: write, sequence: sequence, deletions: deletions)
            isKept = if case .superseded = outcome { true } else { false }
            if isKept { isSuperseded = true }
            named.note(extra, outcome)
        }
        stored.sequence = max(stored.sequence, sequence)
        named.names.lists = lists.changes
        var set = ChangeSet(
            sequence: sequence, tree: write.tree, changed: changed, names: named.names,
            changesEverything: named.changesHolders)
        set.origin = write.origin
        set.ticket = write.content.ticket
        set.isSuperseded = isSuperseded
        if isSuperseded { write.noteSuperseded() }
        return set
    }

    private mutating func apply(
        _ extra: PendingWrite.Extra, of write: PendingWrite, sequence: CallNumber, deletions: [Int: CallNumber]
    ) throws(CacheError) -> RecordUpdate.Outcome {
        if case .pin(let pin) = extra {
            try apply(pin)
            return .unchanged
        }
        let storeKey = extra.storeKey
        if let outcome = try applyToCollection(extra, storeKey, of: write, sequence: sequence, deletions: deletions) {
            return outcome
        }
        guard let change = extra.change else { return .unchanged }
        return try unsafe storeKey.withUnsafeBytesTyped { (key) throws(CacheError) in
            var update = unsafe write.update(key, change, shift: shift)
            let outcome = try perform(&update)
            if outcome.isUnchanged, let tree = write.tree, !deletions.isEmpty, let body = extra.body {
                let mustRefresh = unsafe body.withUnsafeBytes {
                    unsafe names(deletions, after: update.storedSequence, in: $0, tree)
                }
                if mustRefresh {
                    update.refreshes = true
                    _ = try perform(&update)
                }
            }
            return outcome
        }
    }

    /// Writes the store's own record, if anything was written.
    mutating func finish() throws(CacheError) {
        guard written.isSomething else {
            stored = original
            return
        }
        try finishHistory()
        stored.note(writer)
        guard stored != original else { return }
        stored.clock.advance(evictor?.hitTime ?? 0)
        try stored.write(transaction)
    }

    /// Performs the update of a node of `tree`; a failure names the node and its type.
    private mutating func perform(
        _ update: inout RecordUpdate, _ tree: NodeTree, _ index: Int
    ) throws(CacheError) -> RecordUpdate.Outcome {
        do throws(CacheError) {
            return try perform(&update)
        } catch {
            let entry = tree.entries[index]
            throw error.concerning(field: tree.type(at: entry.type).name)
                .concerning(tree.modelIdentifier(of: entry))
        }
    }

    private mutating func put(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        written.note(key.count + out.count)
        try unsafe transaction.put(key, out.bytes)
    }

    /// Reads the stored record and applies `update` to it.
    mutating func perform(_ update: inout RecordUpdate) throws(CacheError) -> RecordUpdate.Outcome {
        let existing: UnsafeRawBufferPointer?
        if case .node(let node) = update.change {
            if update.shaped == nil { update.shaped = try shaped(node) }
            unsafe existing = try unsafe findNode(update.key, becoming: update.shaped)
        } else {
            unsafe existing = try unsafe transaction.get(update.key)
        }
        update.forgottenDeletion = stored.forgottenDeletion
        update.renewal = renewal
        let outcome = try unsafe update.apply(to: existing, into: &out, shapes: shapes.met)
        if stored.forgottenDeletion < update.forgottenDeletion {
            stored.forgottenDeletion = update.forgottenDeletion
            written.isSomething = true
        }
        switch outcome {
        case .replaced, .overtaken: try unsafe replace(update.key, existing)
        case .removed: try unsafe take(update.key, existing)
        case .unchanged: unsafe confirm(update.key)
        case .renewed:
            // The same bytes but for a time.
            unsafe confirm(update.key)
            try unsafe put(update.key)
        case .superseded: break
        }
        return outcome
    }

    /// Stores the bytes that `build` appends under `key`.
    mutating func store(
        _ key: UnsafeRawBufferPointer, _ build: (inout ByteBuffer) throws(CacheError) -> Void
    ) throws(CacheError) {
        out.removeAll()
        try build(&out)
        try unsafe replace(key, transaction.get(key))
    }

    /// Removes `key`, if it is there.
    mutating func discard(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        guard let existing = try unsafe transaction.get(key) else { return }
        try unsafe take(key, existing)
    }

    /// Puts the bytes in the buffer in the place of `existing`, which is stored under `key`.
    private mutating func replace(
        _ key: UnsafeRawBufferPointer, _ existing: UnsafeRawBufferPointer?
    ) throws(CacheError) {
        let existingCount = unsafe existing?.count
        let references = unsafe markedReferences(key, existing)
        try unsafe put(key)
        try unsafe account(key, old: existingCount, new: out.count)
        if let references { try unsafe follow(key, out.bytes, former: references) }
    }

    /// Removes `existing`, which is stored under `key`.
    private mutating func take(
        _ key: UnsafeRawBufferPointer, _ existing: UnsafeRawBufferPointer?
    ) throws(CacheError) {
        let existingCount = unsafe existing?.count
        let references = unsafe markedReferences(key, existing)
        written.isSomething = true
        try unsafe transaction.remove(key)
        try unsafe account(key, old: existingCount, new: nil)
        if let references { try unsafe follow(key, nil, former: references) }
    }

    /// Notes that the record under `key` was confirmed.
    mutating func confirm(_ key: UnsafeRawBufferPointer) {
        guard let evictor else { return }
        let hash = unsafe Evictor.hash(key)
        eviction.own.insert(hash)
        evictor.policy.stored(hash, weight: evictor.mean, isNew: false, now: now)
    }

    /// Whether `body` names a node that was deleted after `sequence`.
    func names(
        _ deletions: [Int: CallNumber], after sequence: CallNumber, in body: UnsafeRawBufferPointer, _ tree: NodeTree
    ) -> Bool {
        var isNamed = false
        try? unsafe RecordBody.forEachReference(in: body) { identifier in
            let entry = unsafe tree.find(identifier, hash: NodeTree.hash(identifier))
            if let deletion = deletions[entry], deletion > sequence { isNamed = true }
        }
        return isNamed
    }
}

/// The counts of a transaction: records put, and the bytes of their keys and values.
struct Written {
    /// Whether anything is not as it was, as after a removal.
    var isSomething = false
    private(set) var records = 0
    private(set) var bytes = 0

    /// Notes a record of so many bytes that was put.
    mutating func note(_ bytes: Int) {
        isSomething = true
        records += 1
        self.bytes += bytes
    }
}

/// The results of a transaction for the cache to remember.
struct TransactionSummary {
    /// The state of the store before.
    var found: StoreState
    /// The state of the store afterwards.
    var stored: StoreState
    var shift: CallNumber.Shift
    var written: Written
    /// The edits of lists, for the log.
    var listEdits: [ListLog.Entry]
}
