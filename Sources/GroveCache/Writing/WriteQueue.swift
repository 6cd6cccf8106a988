import GroveCoding

/// Calls whose commits are not visible yet, oldest first.
///
/// Reads see the calls that returned at once, in an ``Overlay``. One that a caller waits for may still fail, so it
/// shows with its commit, and no caller has been told of it before.
struct WriteQueue: Sendable {
    /// The most bytes of calls for which no caller waits; of further ones only the keys are forgotten.
    let limit: Int
    private(set) var calls: [PendingWrite] = []
    /// The bytes that the calls hold in memory.
    var byteCount: Int { awaitedByteCount + unawaitedByteCount }
    /// The bytes of calls for which callers wait.
    private(set) var awaitedByteCount = 0
    /// The bytes of the other calls.
    private(set) var unawaitedByteCount = 0
    /// The number of calls that reads see.
    private var shownCount = 0
    /// The place of the last call that left because it was committed.
    private(set) var leftPlace = QueuePlace.zero
    /// The place of the last call that empties the store; 0 if none is queued.
    private(set) var wipePlace = QueuePlace.zero

    init(limit: Int = .max) { self.limit = limit }

    var isEmpty: Bool { calls.isEmpty }

    /// Whether no read has to apply a call of the queue.
    var showsNothing: Bool { wipePlace == .zero && shownCount == 0 }

    /// Whether `call` waits here; near the front it is found at once.
    func contains(_ call: PendingWrite) -> Bool { calls.contains { $0 === call } }

    /// Adds `call`, which has its place, behind all others.
    mutating func append(_ call: PendingWrite) {
        calls.append(call)
        count(call, 1)
        if call.isWipe { wipePlace = call.place }
    }

    /// Takes the first `count` calls out, which were committed.
    mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        for call in calls.prefix(count) { discount(call) }
        leftPlace = calls[count - 1].place
        calls.removeFirst(count)
    }

    /// Takes `call` out; false if it is not here.
    mutating func remove(_ call: PendingWrite) -> Bool {
        guard let index = calls.firstIndex(where: { $0 === call }) else { return false }
        discount(call)
        calls.remove(at: index)
        return true
    }

    /// Takes out every call up to number `sequence`, but for those that empty the store; returns them in order.
    mutating func removeAll(upTo sequence: LocalNumber) -> [PendingWrite] {
        let dropped = calls.filter { $0.sequence <= sequence && !$0.isWipe }
        for call in dropped { discount(call) }
        calls.removeAll { $0.sequence <= sequence && !$0.isWipe }
        return dropped
    }

    private mutating func discount(_ call: PendingWrite) {
        count(call, -1)
        if call.isWipe, call.place == wipePlace { wipePlace = .zero }
    }

    /// Counts `call` once more, or once less.
    private mutating func count(_ call: PendingWrite, _ times: Int) {
        if call.completion == nil {
            unawaitedByteCount += times * call.byteCount
        } else {
            awaitedByteCount += times * call.byteCount
        }
        if call.isShown { shownCount += times }
    }
}

extension PendingWrite {
    /// Whether reads apply the call while it is queued.
    var isShown: Bool { completion == nil && !isWipe }
}
