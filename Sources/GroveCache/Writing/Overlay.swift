import GroveCoding
import GroveModel

/// The calls and keys that the store does not show: calls that are queued, and keys that could not be stored.
///
/// The entries are in one table, which readers look at. This adds and ends entries, behind the lock of the state. An
/// ended entry stays until the last reader that began before its end has ended.
///
/// A key that could not be stored is *lost*: it is a miss until a commit has written or forgotten it, which is tried
/// again. A model that another process has written since is none. Beyond a limit, which bounds the memory, everything
/// in the store is a miss until it has been wiped.
struct Overlay: Sendable {
    let table = OverlayTable()
    /// The place of the last event: a call that came or failed, or keys that were lost or made good.
    private(set) var lastPlace = QueuePlace.zero
    /// The highest number of a lost call, if too many keys were lost to list them: the store is to be wiped.
    private(set) var everything: LocalNumber?
    /// The most bytes of lost keys.
    var lostLimit: Int
    private var lostBytes = 0
    /// The highest number of a call that was lost.
    private var lastLost = LocalNumber.zero
    /// Fallen snapshots that reads still use, oldest first; with each, the ended entries that it needs and no later one
    /// does.
    private var fallen: [(snapshot: ReadSnapshot, ended: [OverlayTable.Ended])] = []
    /// The ended entries that no read needs.
    private var unneeded: [OverlayTable.Ended] = []

    init(lostLimit: Int = .max) { self.lostLimit = lostLimit }

    /// Whether a key is lost, or everything.
    var hasLost: Bool { lostBytes > 0 || everything != nil }

    /// Takes the next place.
    mutating func nextPlace() -> QueuePlace {
        lastPlace = lastPlace.next
        return lastPlace
    }

    // MARK: Calls

    /// Adds `call`, which is queued and has its place.
    mutating func insert(_ call: PendingWrite) {
        for entry in table.insert(call, seen: fallen.last?.snapshot.place ?? .zero) { end(entry) }
    }

    /// Lets go of `call`, which was committed: readers know up to which place calls were.
    mutating func leave(_ call: PendingWrite) { end(OverlayTable.Ended(call: call, from: call.place)) }

    /// Ends `call`, which was not committed.
    ///
    /// An older call that it had overwritten is not put back: it was not the last to set the keys that both name.
    mutating func remove(_ call: PendingWrite) {
        table.end(call, at: nextPlace())
        leave(call)
    }

    // MARK: Lost keys

    /// Takes in that the keys of `write` could not be stored.
    ///
    /// - Parameter position: its place, if no earlier call is still to be committed.
    mutating func lose(_ write: PendingWrite, at position: StoredPlace.Numbers? = nil) {
        lastLost = max(lastLost, write.sequence)
        guard everything == nil, !write.isWipe else { return everything = lastLost }
        let place = nextPlace()
        for lost in (write.kind == .invalidation ? write : write.invalidation(at: position)).ofOneKeyEach {
            lostBytes += table.lose(lost, from: place)
        }
        if lostBytes > lostLimit { everything = lastLost }
    }

    /// Lets go of lost keys that `write`, which was committed, has made good: those lost before it.
    mutating func settle(by write: PendingWrite) {
        guard write.isWipe else { return settle(write.storeKeys) { $0.call.sequence < write.sequence } }
        settle(Set(table.lost.flatMap(\.storeKeys))) { $0.call.sequence <= write.sequence }
        if let everything, everything <= write.sequence { self.everything = nil }
    }

    /// Lets go of those of `lost` whose keys `invalidation`, which was committed, has forgotten; later ones stay.
    mutating func settle(_ lost: Set<ObjectIdentifier>, by invalidation: PendingWrite) {
        settle(invalidation.storeKeys) { lost.contains(ObjectIdentifier($0.call)) }
    }

    private mutating func settle(_ keys: Set<[UInt8]>, if isSettled: (OverlayTable.Entry) -> Bool) {
        let place = nextPlace()
        for key in keys {
            guard let ended = table.settle(key, at: place, if: isSettled) else { continue }
            lostBytes -= ended.call.byteCount
            end(ended)
        }
    }

    // MARK: Readers

    /// Notes that reads go on with `snapshot`, which has fallen.
    mutating func keep(_ snapshot: ReadSnapshot) { fallen.append((snapshot, [])) }

    private mutating func end(_ entry: OverlayTable.Ended) {
        if let last = fallen.last, entry.from <= last.snapshot.place {
            fallen[fallen.count - 1].ended.append(entry)
        } else {
            unneeded.append(entry)
        }
    }

    /// The ended entries that no read needs: they are to be removed from the table, with no lock held.
    mutating func takeUnneeded() -> [OverlayTable.Ended] {
        for index in fallen.indices.reversed() where !fallen[index].snapshot.isUsed {
            // An older read may need some of it.
            let ended = fallen.remove(at: index).ended
            let older = index > 0 ? fallen[index - 1].snapshot.place : .zero
            unneeded += ended.filter { $0.from > older }
            if index > 0 { fallen[index - 1].ended += ended.filter { $0.from <= older } }
        }
        defer { unneeded = [] }
        return unneeded
    }
}

extension PendingWrite {
    /// This invalidation as one of each key.
    fileprivate var ofOneKeyEach: [PendingWrite] {
        extras.map { PendingWrite(Content(extras: [$0]), sequence: sequence, kind: .invalidation) }
    }
}
