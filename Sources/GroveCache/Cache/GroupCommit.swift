import GroveModel

/// One transaction of the writer: the updates of a group of calls, applied one after the other.
struct GroupCommit: ~Copyable {
    let transaction: any NodeTransaction
    /// What may be evicted, where there is a budget.
    let index: EvictionIndex?
    var stored: StoreState
    private let original: StoreState
    private var shift: UInt64
    private var key = StoreKey()
    private var out = ByteBuffer(capacity: 1_024)
    var hasWritten = false
    /// Segments of the journal that have no live key left.
    var deadSegments: [UInt32] = []

    init(
        _ transaction: any NodeTransaction, shift: UInt64, lastCommitted: UInt64, index: EvictionIndex? = nil
    ) throws(CacheError) {
        self.transaction = transaction
        self.index = index
        stored = try StoreState(transaction)
        original = stored
        // Another process has written since: this one's calls get numbers after its.
        let foreign = stored.sequence > lastCommitted ? stored.sequence - lastCommitted : 0
        self.shift = shift + foreign
    }

    deinit { out.deallocate() }

    var summary: GroupSummary {
        GroupSummary(
            shift: shift, sequence: stored.sequence, forgottenDeletion: stored.forgottenDeletion,
            account: stored.account)
    }

    /// Applies all of `write`, then evicts until what is stored fits.
    mutating func apply(_ write: PendingWrite, limit: PayloadLimit = .none) throws(CacheError) -> ChangeSet {
        let sequence = write.sequence + shift
        var changed: [Int] = []
        var deleted: [ModelIdentifier] = []
        // Nodes that were deleted before, by their entries: holders that name them must be newer than the deletion.
        var deletions: [Int: UInt64] = [:]
        var unchangedHolders: [(entry: Int, sequence: UInt64)] = []

        if let tree = write.tree {
            let entries = tree.entries
            let order =
                tree.hasProjections ? entries.indices.sorted { entries[$0].order < entries[$1].order } : nil
            for place in entries.indices {
                let index = order?[place] ?? place
                unsafe key.set(Namespace.node, tree.identifier(of: entries[index]))
                var update = unsafe RecordUpdate(key: key.bytes, change: .node(tree, index), sequence: sequence)
                switch try perform(&update) {
                case .replaced(let bodyChanged): if bodyChanged { changed.append(index) }
                case .unchanged:
                    if entries[index].holdsReferences { unchangedHolders.append((index, update.storedSequence)) }
                case .superseded, .removed: break
                }
                if update.deletion.sequence > 0 { deletions[index] = update.deletion.sequence }
            }
            if !deletions.isEmpty {
                for holder in unchangedHolders
                where unsafe names(
                    deletions, after: holder.sequence, in: tree.body(of: entries[holder.entry]), tree)
                {
                    unsafe key.set(Namespace.node, tree.identifier(of: entries[holder.entry]))
                    var update = unsafe RecordUpdate(
                        key: key.bytes, change: .node(tree, holder.entry), sequence: sequence)
                    update.refreshes = true
                    _ = try perform(&update)
                }
            }
        }
        for extra in write.extras {
            let isReplaced = try apply(extra, sequence: sequence, tree: write.tree, deletions: deletions)
            if case .tombstone(let identifier) = extra, isReplaced { deleted.append(identifier) }
        }
        stored.sequence = max(stored.sequence, sequence)
        var evicted = try evict(downTo: limit.hard)
        // The rest goes with later writes, so that no transaction becomes much larger than what it is about.
        evicted += try evict(downTo: limit.soft, most: 2 * write.entryCount + 16)
        return ChangeSet(
            sequence: sequence, tree: write.tree, changed: changed, deleted: deleted, evicted: evicted)
    }

    private mutating func apply(
        _ extra: PendingWrite.Extra, sequence: UInt64, tree: NodeTree?, deletions: [Int: UInt64]
    ) throws(CacheError) -> Bool {
        let storeKey = extra.storeKey
        unsafe storeKey.withUnsafeBytes { unsafe key.set($0[0], UnsafeRawBufferPointer(rebasing: $0[1...])) }
        let change: RecordUpdate.Change
        switch extra {
        case .tombstone: change = .tombstone
        case .remove: change = .remove
        case .invalidate(_, let isDeletion): change = .invalidate(isDeletion: isDeletion)
        case .collection(_, let body, let holdsReferences): change = .bytes(body, holdsReferences: holdsReferences)
        case .alias(_, let body): change = .bytes(body, holdsReferences: true)
        }
        var update = unsafe RecordUpdate(key: key.bytes, change: change, sequence: sequence)
        let outcome = try perform(&update)
        if case .unchanged = outcome, let tree, !deletions.isEmpty, let body = extra.value?.body {
            let mustRefresh = unsafe body.withUnsafeBytes {
                unsafe names(deletions, after: update.storedSequence, in: $0, tree)
            }
            if mustRefresh {
                update.refreshes = true
                _ = try perform(&update)
            }
        }
        if case .replaced(let bodyChanged) = outcome { return bodyChanged }
        return false
    }

    /// Writes the store's own record, where anything was written.
    mutating func finish() throws(CacheError) {
        if hasWritten { try finishJournal() }
        guard hasWritten, stored != original else { return }
        try stored.write(transaction)
    }

    mutating func perform(_ update: inout RecordUpdate) throws(CacheError) -> RecordUpdate.Outcome {
        let existing = try unsafe transaction.get(update.key)
        let existingCount = unsafe existing?.count
        update.forgottenDeletion = stored.forgottenDeletion
        let outcome = try unsafe update.apply(to: existing, into: &out)
        if stored.forgottenDeletion < update.forgottenDeletion {
            stored.forgottenDeletion = update.forgottenDeletion
            hasWritten = true
        }
        switch outcome {
        case .replaced:
            hasWritten = true
            try unsafe transaction.put(update.key, out.bytes)
            try unsafe account(update.key, old: existingCount, new: out.count)
        case .removed:
            hasWritten = true
            try unsafe transaction.remove(update.key)
            try unsafe account(update.key, old: existingCount, new: nil)
        case .unchanged: unsafe index?.touch(update.key)
        case .superseded: break
        }
        return outcome
    }

    /// Whether `body` names a node that was deleted after `sequence`.
    private func names(
        _ deletions: [Int: UInt64], after sequence: UInt64, in body: UnsafeRawBufferPointer, _ tree: NodeTree
    ) -> Bool {
        var isNamed = false
        try? unsafe RecordBody.forEachReference(in: body) { identifier in
            let entry = unsafe tree.find(identifier, hash: NodeTree.hash(identifier))
            if let deletion = deletions[entry], deletion > sequence { isNamed = true }
        }
        return isNamed
    }
}

/// What a group commit leaves behind for the cache to remember.
struct GroupSummary {
    var shift: UInt64
    var sequence: UInt64
    var forgottenDeletion: UInt64
    var account: StoreState.Account?
}
