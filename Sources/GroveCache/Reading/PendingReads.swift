import GroveCoding
import GroveModel

/// The calls that a read applies over its view: those that are queued when it begins, and those that could not be
/// stored.
final class PendingReads: Sendable {
    /// The place behind which calls show, and the shift of their numbers.
    struct Placement: Sendable {
        /// The place in the queue of the last call that the view shows, or that empties the store.
        var afterPlace = QueuePlace.zero
        /// The amount to add to the calls' numbers: other processes' writes have added it to those of the store.
        var shift = CallNumber.Shift.zero
        /// See ``StoreState/forgottenDeletion``.
        var forgottenDeletion = CallNumber.zero
    }

    /// The cache; a call to it is under way as long as this is used.
    private unowned let core: CacheCore
    private let table: OverlayTable
    /// The place up to which entries of the table are seen.
    let place: QueuePlace
    /// Whether keys that were lost are missing, as of before every queued call.
    private let showsLost: Bool
    /// The number of the last call that does not count, because everything in the store is lost.
    private let afterNumber: LocalNumber
    /// The placement, as far as it is known without a view.
    private let placement: Placement
    /// Lost keys that the reading transaction of a user has written since.
    private let settledKeys: Set<[UInt8]>

    init(
        _ core: CacheCore, at place: QueuePlace, showsLost: Bool = true, afterNumber: LocalNumber = .zero,
        settledKeys: Set<[UInt8]> = [], _ placement: Placement
    ) {
        self.core = core
        table = core.overlay
        self.place = place
        self.showsLost = showsLost
        self.afterNumber = afterNumber
        self.settledKeys = settledKeys
        self.placement = placement
    }

    /// The lost calls, which a user's transaction applies; it sees no queued call.
    convenience init(ofTransaction core: CacheCore, at place: QueuePlace) {
        self.init(core, at: place, Placement(afterPlace: .last))
    }

    /// The same after a user's transaction has made `write`: lost keys that it names are lost no more.
    func settled(by write: PendingWrite) -> PendingReads {
        let keys = write.storeKeys.filter { unsafe !$0.withUnsafeBytes { unsafe entries($0, behind: .last) }.isEmpty }
        if keys.isEmpty { return self }
        return PendingReads(core, at: place, settledKeys: settledKeys.union(keys), placement)
    }

    /// The updates of `key`, a store's key, that `view` does not show, in their order; valid as long as this is.
    ///
    /// Bytes that `view` returned before may be gone afterwards.
    ///
    /// - Parameter placement: the placement over `view`, once it was asked.
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

    /// The log of recent edits of lists.
    var lists: ListLog { core.followers.listLog }

    /// Whether the collection under `key` could not be stored.
    func isLost(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe entries(key, behind: .last).contains { unsafe !$0.call.collectionUpdates(of: key, shift: .zero).isEmpty }
    }

    /// The updates that `find` makes of the lost calls under `key`, and of those that `view` does not show, in their
    /// order.
    private func gather<Update>(
        _ key: UnsafeRawBufferPointer, over view: (any NodeView)?, _ placement: inout Placement?,
        _ find: (PendingWrite, CallNumber.Shift) -> [Update]
    ) throws(CacheError) -> [Update] {
        let entries = unsafe entries(key, behind: self.placement.afterPlace)
        if entries.isEmpty { return [] }
        let place: Placement
        if let known = placement { place = known } else { place = try self.placement(over: view) }
        placement = place
        return entries.flatMap {
            $0.isLost || $0.call.place > place.afterPlace && $0.call.sequence > afterNumber
                ? find($0.call, place.shift) : []
        }
    }

    /// The entries of lost calls that name `key`, if they show, and those of calls behind `left` that do.
    private func entries(_ key: UnsafeRawBufferPointer, behind left: QueuePlace) -> [OverlayTable.Entry] {
        let entries = unsafe table.entries(under: key, at: place, behind: left)
        guard let first = entries.first, first.isLost,
            unsafe !showsLost || !settledKeys.isEmpty && settledKeys.contains(Array(key))
        else { return entries }
        return entries.filter { !$0.isLost }
    }

    /// The keys that begin with `prefix` and that a call names, whether or not the view shows it.
    ///
    /// - Complexity: linear in the keys of the queued calls.
    func keys(beginningWith prefix: [UInt8]) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for call in table.calls {
            for key in call.storeKeys where key.starts(with: prefix) { keys.insert(key) }
        }
        return keys
    }

    /// The placement over `view`, which is asked which of the calls it shows already.
    ///
    /// Other processes' commits that the view shows shift the numbers of the other calls.
    ///
    /// A view may show calls that had not left the queue: their commit was made, and the cache did not know it.
    private func placement(over view: (any NodeView)?) throws(CacheError) -> Placement {
        guard let view else { return placement }
        let stored: StoreState
        do throws(CacheError) {
            stored = try StoreState(view)
        } catch {
            // No call is committed over a damaged state, so the last known placement still holds.
            guard error.code == .corrupted || error.code == .unsupportedFormat else { throw error }
            return placement
        }
        return Placement(
            afterPlace: max(placement.afterPlace, core.committedPlace(in: stored)), shift: core.shift(over: stored),
            forgottenDeletion: stored.forgottenDeletion)
    }
}
