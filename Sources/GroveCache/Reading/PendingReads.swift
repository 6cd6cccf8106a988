import GroveModel

/// What a read applies over its view: the calls that are queued when it begins, and what could not be stored.
final class PendingReads: Sendable {
    /// Which of the calls show, and how.
    struct Placement: Sendable {
        /// The place in the queue of the last call that the view shows, or that empties the store.
        var afterPlace = QueuePlace.zero
        /// What is added to the calls' numbers: what other processes' writes added to those of the store.
        var shift: UInt64 = 0
        /// See ``StoreState/forgottenDeletion``.
        var forgottenDeletion = CallNumber.zero
    }

    /// The cache; a call to it is under way as long as this is used.
    private unowned let core: CacheCore
    /// Invalidations of what could not be stored; older than every queued call.
    private let failedWrites: [PendingWrite]
    private let queue: QueueIndex
    /// The number of the last call that nothing is left of.
    private let afterNumber: LocalNumber
    /// As far as it is known without a view.
    private let placement: Placement

    init(
        _ core: CacheCore, failedWrites: [PendingWrite], queue: QueueIndex = QueueIndex(),
        afterNumber: LocalNumber = .zero, _ placement: Placement = Placement()
    ) {
        self.core = core
        self.failedWrites = failedWrites
        self.queue = queue
        self.afterNumber = afterNumber
        self.placement = placement
    }

    /// What a user's transaction applies once `write`, a later call, has made good what failed: nothing is queued before it.
    func settled(by write: PendingWrite) -> PendingReads {
        let keys = write.storeKeys
        return PendingReads(core, failedWrites: failedWrites.compactMap { $0.sparing(keys) })
    }

    /// Whether something here may be about `key`; if nothing is, the answer is nearly always no.
    ///
    /// - Complexity: O(1).
    func mayName(_ key: UnsafeRawBufferPointer) -> Bool { unsafe !failedWrites.isEmpty || queue.mayName(key) }

    /// The updates of `key`, a store's key, that `view` does not show, in their order; valid as long as this is.
    ///
    /// Bytes that `view` returned before may be gone afterwards.
    ///
    /// - Parameter placement: what `view` shows, once it was asked.
    /// - Complexity: O(1) if no call names the key, however many there are.
    /// - Throws: what the engine throws when it is asked which calls the view shows.
    func updates(
        of key: UnsafeRawBufferPointer, over view: (any NodeView)?, _ placement: inout Placement?
    ) throws(CacheError) -> [RecordUpdate] {
        try unsafe gather(key, over: view, &placement) { unsafe $0.updates(of: key, shift: $1) }
    }

    /// The same of a collection: `key` is one's.
    func collectionUpdates(
        of key: UnsafeRawBufferPointer, over view: (any NodeView)?, _ placement: inout Placement?
    ) throws(CacheError) -> [CollectionUpdate] {
        try unsafe gather(key, over: view, &placement) { unsafe $0.collectionUpdates(of: key, shift: $1) }
    }

    /// What was done to lists lately.
    var lists: ListLog { core.listLog }

    /// Whether what is under `key` could not be stored.
    func isLost(_ key: UnsafeRawBufferPointer) -> Bool {
        failedWrites.contains { unsafe !$0.collectionUpdates(of: key, shift: 0).isEmpty }
    }

    /// What `find` finds under `key` in calls that failed and in those that `view` does not show, in their order.
    private func gather<Update>(
        _ key: UnsafeRawBufferPointer, over view: (any NodeView)?, _ placement: inout Placement?,
        _ find: (PendingWrite, UInt64) -> [Update]
    ) throws(CacheError) -> [Update] {
        guard unsafe mayName(key) else { return [] }
        let failed = failedWrites.filter { !find($0, 0).isEmpty }
        let calls = unsafe queue.calls(naming: key)
        if calls.isEmpty, failed.isEmpty { return [] }
        let place: Placement
        if let known = placement { place = known } else { place = try self.placement(over: view) }
        placement = place
        let shown = calls.filter { $0.place > place.afterPlace && $0.sequence > afterNumber }
        return (failed + shown).flatMap { find($0, place.shift) }
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
    private func placement(over view: (any NodeView)?) throws(CacheError) -> Placement {
        guard let view else { return placement }
        let stored: StoreState
        do throws(CacheError) {
            stored = try StoreState(view)
        } catch {
            // No call is committed over a damaged state, so what was known last still holds.
            guard error.code == .corrupted || error.code == .unsupportedFormat else { throw error }
            return placement
        }
        return Placement(
            afterPlace: max(placement.afterPlace, core.committedPlace(in: stored)), shift: core.shift(over: stored),
            forgottenDeletion: stored.forgottenDeletion)
    }
}
