/// What could not be stored and is not forgotten by the store yet: it is a miss meanwhile, and is tried again.
///
/// Calls are merged into few of growing size, so that a read looks *n* keys up in O(log *n*), and adding one takes
/// O(log *n*) amortised. Beyond a limit nothing is listed any more: everything in the store is a miss then until it has
/// been wiped. So however long a store fails, this takes no more memory than that.
struct FailedWrites: Sendable {
    /// Invalidations, the larger first; each names a key at most once.
    private(set) var writes: [PendingWrite] = []
    /// The number of the call since which the store is to be wiped, if there was too much to list.
    private(set) var everything: LocalNumber?
    /// The most bytes that are listed.
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var isEmpty: Bool { writes.isEmpty && everything == nil }

    /// Takes in that what `write` brought is not stored.
    mutating func add(_ write: PendingWrite) {
        if let everything {
            self.everything = max(everything, write.sequence)
            return
        }
        guard !write.isWipe else { return giveUp(write.sequence) }
        writes.append(write.isInvalidation ? write : write.invalidation)
        while writes.count > 1, writes[writes.count - 2].extras.count < 2 * writes[writes.count - 1].extras.count {
            let last = writes.removeLast()
            writes.append(writes.removeLast().merged(with: last))
        }
        if writes.reduce(0, { $0 + $1.byteCount }) > limit { giveUp(write.sequence) }
    }

    private mutating func giveUp(_ sequence: LocalNumber) {
        everything = writes.reduce(sequence) { max($0, $1.sequence) }
        writes = []
    }

    /// Puts `left` in the place of `tried`, which is what ``writes`` was; what came in meanwhile stays.
    mutating func replace(_ tried: [PendingWrite], with left: [PendingWrite]) {
        let others = writes.filter { write in !tried.contains { $0 === write } }
        writes = []
        for write in others + left { add(write) }
    }

    /// Lets go of what `write`, which was committed, has made good: what failed under the same keys before it.
    mutating func settle(by write: PendingWrite) {
        if write.isWipe {
            writes = writes.filter { $0.sequence > write.sequence }
            if let everything, everything <= write.sequence { self.everything = nil }
            return
        }
        guard !writes.isEmpty else { return }
        let keys = write.storeKeys
        guard !keys.isEmpty else { return }
        writes = writes.compactMap { $0.sequence < write.sequence ? $0.sparing(keys) : $0 }
    }
}
