import GroveModel

/// What a read applies over its view: the calls that were queued when it began, and what could not be stored.
struct PendingReads: Sendable {
    /// Invalidations of what could not be stored; older than every queued call.
    var failedWrites: [PendingWrite] = []
    private let queue: QueueIndex
    /// The place in the queue of the last call that the view shows, or that empties the store.
    var afterPlace: UInt64
    /// The number of the last call that nothing is left of.
    var afterNumber: UInt64 = 0
    /// What is added to the calls' numbers: what other processes' writes added to those of the store.
    var shift: UInt64
    /// See ``StoreState/forgottenDeletion``.
    var forgottenDeletion: UInt64 = 0

    init(queue: QueueIndex = QueueIndex(), after place: UInt64 = 0, shift: UInt64 = 0) {
        self.queue = queue
        afterPlace = place
        self.shift = shift
    }

    var isEmpty: Bool { failedWrites.isEmpty && queue.isEmpty(behind: afterPlace) }

    /// The updates of `key`, a store's key, in their order; valid as long as this is.
    func updates(of key: UnsafeRawBufferPointer) -> [RecordUpdate] {
        var updates: [RecordUpdate] = []
        for call in failedWrites { unsafe updates += call.updates(of: key, shift: shift) }
        for call in unsafe queue.calls(naming: key) where call.place > afterPlace && call.sequence > afterNumber {
            unsafe updates += call.updates(of: key, shift: shift)
        }
        return updates
    }

    /// The same of a collection: `key` is one's.
    func collectionUpdates(of key: UnsafeRawBufferPointer) -> [CollectionUpdate] {
        var updates: [CollectionUpdate] = []
        for call in failedWrites { unsafe updates += call.collectionUpdates(of: key, shift: shift) }
        for call in unsafe queue.calls(naming: key) where call.place > afterPlace && call.sequence > afterNumber {
            unsafe updates += call.collectionUpdates(of: key, shift: shift)
        }
        return updates
    }
}
