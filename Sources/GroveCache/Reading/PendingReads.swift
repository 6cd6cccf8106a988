import GroveModel

/// What a read applies over its view: the calls that were queued when it began, and what could not be stored.
struct PendingReads: Sendable {
    /// Invalidations of what could not be stored; older than every queued call.
    private var failedWrites: [PendingWrite]
    private let core: CacheCore
    private let queue: QueueIndex
    /// The place in the queue of the last call that the view shows, or that empties the store.
    private var afterPlace: UInt64
    /// The number of the last call that nothing is left of.
    private let afterNumber: UInt64
    /// What is added to the calls' numbers: what other processes' writes added to those of the store.
    private var shift: UInt64
    /// See ``StoreState/forgottenDeletion``.
    private(set) var forgottenDeletion: UInt64
    /// Whether the view was asked which of the calls it shows.
    private var isPlaced = false

    init(
        _ core: CacheCore, failedWrites: [PendingWrite], queue: QueueIndex, afterPlace: UInt64, afterNumber: UInt64,
        shift: UInt64, forgottenDeletion: UInt64
    ) {
        self.core = core
        self.failedWrites = failedWrites
        self.queue = queue
        self.afterPlace = afterPlace
        self.afterNumber = afterNumber
        self.shift = shift
        self.forgottenDeletion = forgottenDeletion
    }

    /// What a user's transaction applies: nothing is queued before it, and it has the writer's turn.
    init(_ core: CacheCore, failedWrites: [PendingWrite]) {
        self.init(
            core, failedWrites: failedWrites, queue: QueueIndex(), afterPlace: 0, afterNumber: 0, shift: 0,
            forgottenDeletion: 0)
    }

    /// Lets go of what `write`, a later call, has made good.
    mutating func settle(by write: PendingWrite) {
        let keys = write.storeKeys
        failedWrites = failedWrites.compactMap { $0.sparing(keys) }
    }

    /// The updates of `key`, a store's key, that `view` does not show, in their order; valid as long as this is.
    ///
    /// Bytes that `view` returned before may be gone afterwards.
    ///
    /// - Complexity: O(1) where no call names the key, however many there are.
    /// - Throws: what the engine throws when it is asked which calls the view shows.
    mutating func updates(
        of key: UnsafeRawBufferPointer, over view: (any NodeView)?
    ) throws(CacheError) -> [RecordUpdate] {
        try gather(unsafe queue.calls(naming: key), over: view) { unsafe $0.updates(of: key, shift: $1) }
    }

    /// The same of a collection: `key` is one's.
    mutating func collectionUpdates(
        of key: UnsafeRawBufferPointer, over view: (any NodeView)?
    ) throws(CacheError) -> [CollectionUpdate] {
        try gather(unsafe queue.calls(naming: key), over: view) { unsafe $0.collectionUpdates(of: key, shift: $1) }
    }

    /// What `find` finds in calls that failed and in those of `calls` that `view` does not show, in their order.
    private mutating func gather<Update>(
        _ calls: [PendingWrite], over view: (any NodeView)?, _ find: (PendingWrite, UInt64) -> [Update]
    ) throws(CacheError) -> [Update] {
        let failed = failedWrites.filter { !find($0, 0).isEmpty }
        if calls.isEmpty, failed.isEmpty { return [] }
        if let view, !isPlaced { try place(over: view) }
        isPlaced = true
        let shown = calls.filter { $0.place > afterPlace && $0.sequence > afterNumber }
        return (failed + shown).flatMap { find($0, shift) }
    }

    /// The keys that begin with `prefix` and that a call names, whether or not the view shows it.
    ///
    /// - Complexity: linear in what is queued.
    func keys(beginningWith prefix: [UInt8]) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for call in failedWrites + queue.calls {
            for key in call.storeKeys where key.starts(with: prefix) { keys.insert(key) }
        }
        return keys
    }

    /// Asks `view` which of the calls it shows already, by how much the numbers of the others are shifted over it, other
    /// processes' commits included, and the highest number of a deletion that it has forgotten.
    ///
    /// A view may show calls that had not left the queue: their commit was made, and the cache did not know it.
    private mutating func place(over view: any NodeView) throws(CacheError) {
        let stored: StoreState
        do throws(CacheError) {
            stored = try StoreState(view)
        } catch {
            // No call is committed over a damaged state, so what was known last still holds.
            guard error.code == .corrupted || error.code == .unsupportedFormat else { throw error }
            return
        }
        afterPlace = max(afterPlace, stored.place(of: core.session) ?? 0)
        forgottenDeletion = stored.forgottenDeletion
        shift = core.shift(over: stored)
    }
}
