import GroveCoding
import GroveModel

/// The basis of a read: a view of the store, the calls to apply over it, and the limits on both.
struct ReadBasis: ~Copyable {
    /// The snapshot that the read began with, or that the last one did.
    var snapshot: ReadSnapshot?
    private(set) var view: (any NodeView)?
    /// Whether bytes that the view returned outlive the next call.
    private(set) var keepsBytes = false
    /// Calls that the view may not show yet, if there are any.
    private(set) var pending: PendingReads?
    /// The placement of those calls over the view, once it was asked.
    private(set) var placement: PendingReads.Placement?
    /// Whether a stored record must be looked at before it is used: there are such calls, or ages count.
    @inline(__always)
    var mustLook: Bool { pending != nil || ageLimit != nil }
    /// The limit on the ages of records; `nil` if ages do not matter.
    private(set) var ageLimit: AgeLimit?
    /// Whether lists are read as they were committed, without queued calls.
    var readsCommittedLists = false

    /// Begins with `view`, or with nothing but `pending` if the store is about to be emptied.
    mutating func begin(_ view: (any NodeView)?, keepsBytes: Bool, pending: PendingReads?) {
        self.view = view
        self.keepsBytes = keepsBytes
        self.pending = pending
    }

    /// Lets go of the view, which ends by itself.
    mutating func dropView() { view = nil }

    /// Lets go of all of it, but for a snapshot that may still stand.
    ///
    /// - Returns: whether entries of the overlay that were kept for this read may go.
    @inline(__always)
    mutating func end() -> Bool {
        let hadView = view != nil
        view.take()?.end()
        readsCommittedLists = false
        if pending != nil { (pending, placement) = (nil, nil) }
        let isLast = snapshot?.leave() ?? false
        // The store may have been closed meanwhile; nothing at rest keeps it.
        if !hadView { snapshot = nil }
        return isLast
    }

    /// Makes lost keys good that `write` names; false if no lost key shows to the read.
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

    /// Makes records that `limit` does not accept missing from the tree that has begun.
    mutating func limitAges(_ limit: AgeLimit) { ageLimit = limit }

    /// Accepts any age again.
    mutating func endAgeLimit() { if ageLimit != nil { ageLimit = nil } }

    /// Whether the record in `bytes`, under `key`, is young enough.
    ///
    /// A damaged record passes, and is refused later. A record of several projections is judged when it is known which
    /// is read.
    func isYoungEnough(_ bytes: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer) -> Bool {
        guard let ageLimit, let header = unsafe try? RecordHeader(bytes, key: key) else { return true }
        return header.flags.contains(.projections) || ageLimit.accepts(header)
    }

    /// Whether the fields that `projection` reads of a record that several projections wrote are young enough.
    func isYoungEnough(_ table: ProjectionTable, fieldCount: Int, as projection: UnsafeRawBufferPointer) -> Bool {
        guard let ageLimit else { return true }
        return unsafe ageLimit.accepts(table, fieldCount: fieldCount, as: projection)
    }
}
