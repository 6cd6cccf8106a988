import GroveModel

/// What a read reads: a view of the store, what is laid over it, and what of all that counts.
struct ReadBasis: ~Copyable {
    /// What the read began with, or the last one did; see ``ReadSnapshot``.
    var snapshot: ReadSnapshot?
    private(set) var view: (any NodeView)?
    /// Whether bytes that the view returned outlive the next call.
    private(set) var keepsBytes = false
    /// Calls that the view may not show yet, if there are any.
    private(set) var pending: PendingReads?
    /// What the view shows of them, once it was asked.
    private(set) var placement: PendingReads.Placement?
    /// Whether what is stored must be looked at before it is used: there are such calls, or ages count.
    private(set) var mustLook = false
    /// How old what is found may be; `nil` if that does not matter.
    private(set) var ageLimit: AgeLimit?
    /// Whether lists are read as they were committed, without what is queued.
    var readsCommittedLists = false

    /// Begins with `view`, or with nothing but `pending` if the store is about to be emptied.
    mutating func begin(_ view: (any NodeView)?, keepsBytes: Bool, pending: PendingReads?) {
        self.view = view
        self.keepsBytes = keepsBytes
        if let pending {
            mustLook = true
            self.pending = pending
        } else {
            mustLook = false
        }
    }

    /// Lets go of all of it, but for a snapshot that may stand still.
    ///
    /// - Returns: whether something may go that was kept for this read.
    @inline(__always)
    mutating func end() -> Bool {
        let hadView = view != nil
        view.take()?.end()
        readsCommittedLists = false
        if mustLook {
            pending = nil
            placement = nil
            mustLook = false
        }
        let isLast = snapshot?.leave() ?? false
        // The store may have been closed meanwhile; nothing at rest keeps it.
        if !hadView { snapshot = nil }
        return isLast
    }

    /// Makes good what failed under the keys of `write`; false if nothing had failed.
    mutating func settle(by write: PendingWrite) -> Bool {
        guard let pending else { return false }
        self.pending = pending.settled(by: write)
        return true
    }

    // MARK: Queued calls

    /// The updates of the node or alias under `key` that the view does not show, in their order.
    ///
    /// Bytes that the view returned before may be gone afterwards.
    mutating func updates(of key: UnsafeRawBufferPointer) throws(CacheError) -> [RecordUpdate] {
        try unsafe pending?.updates(of: key, over: view, &placement) ?? []
    }

    /// The same of a collection: `key` is one's.
    mutating func collectionUpdates(of key: UnsafeRawBufferPointer) throws(CacheError) -> [CollectionUpdate] {
        try unsafe pending?.collectionUpdates(of: key, over: view, &placement) ?? []
    }

    // MARK: Ages

    /// Makes what `limit` does not accept missing from the tree that has begun.
    mutating func limitAges(_ limit: AgeLimit) {
        ageLimit = limit
        mustLook = true
    }

    /// Accepts any age again.
    mutating func endAgeLimit() { if ageLimit != nil { ageLimit = nil } }

    /// Whether the record in `bytes`, under `key`, is young enough.
    ///
    /// Damage is for others to find, and a record of several projections is judged when it is known which of them is read.
    func isYoungEnough(_ bytes: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer) -> Bool {
        guard let ageLimit, let header = unsafe try? RecordHeader(bytes, key: key) else { return true }
        return header.flags.contains(.projections) || ageLimit.accepts(header)
    }

    /// Whether what `projection` reads of a record that several projections wrote is young enough.
    func isYoungEnough(_ table: ProjectionTable, fieldCount: Int, as projection: UnsafeRawBufferPointer) -> Bool {
        guard let ageLimit else { return true }
        return unsafe ageLimit.accepts(table, fieldCount: fieldCount, as: projection)
    }
}
