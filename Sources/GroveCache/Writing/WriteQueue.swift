/// Calls whose commits are not visible yet, oldest first, and by key those among them that reads apply over their views.
///
/// Reads see the calls that returned at once. One that a caller waits for may still fail, so it shows with its commit, and
/// no caller has been told of it before.
struct WriteQueue: Sendable {
    private(set) var calls: [PendingWrite] = []
    /// What the calls hold in memory, in bytes.
    var byteCount: Int { awaitedByteCount + unawaitedByteCount }
    /// What those hold that callers wait for, in bytes.
    private(set) var awaitedByteCount = 0
    /// What the others hold.
    private(set) var unawaitedByteCount = 0
    /// The calls that reads see, and some that have left: those up to ``leftPlace``.
    private(set) var shown = QueueIndex()
    /// The place of the last call that left because it was committed.
    private(set) var leftPlace = QueuePlace.zero
    /// The place of the last call that empties the store; 0 if none is queued.
    private(set) var wipePlace = QueuePlace.zero
    private var lastPlace = QueuePlace.zero

    var isEmpty: Bool { calls.isEmpty }

    /// Whether no read has to look here for what its view does not show.
    var showsNothing: Bool { wipePlace == .zero && shown.isEmpty(behind: leftPlace) }

    /// Whether `call` waits here; near the front it is found at once.
    func contains(_ call: PendingWrite) -> Bool { calls.contains { $0 === call } }

    /// Gives `call` its place behind all others.
    mutating func append(_ call: PendingWrite) {
        lastPlace = lastPlace.next
        call.take(place: lastPlace)
        calls.append(call)
        count(call.byteCount, of: call)
        if call.isWipe {
            wipePlace = lastPlace
        } else if call.isShown {
            shown.insert(call)
        }
    }

    /// Takes the first `count` calls out, which were committed.
    ///
    /// - Returns: what is to be let go of where no lock is held.
    mutating func removeFirst(_ count: Int) -> [QueueIndex.Generation] {
        guard count > 0 else { return [] }
        for call in calls.prefix(count) { discount(call) }
        leftPlace = calls[count - 1].place
        calls.removeFirst(count)
        return shown.forget(upTo: leftPlace)
    }

    /// Takes `call` out; false if it is not here.
    mutating func remove(_ call: PendingWrite) -> Bool {
        guard let index = calls.firstIndex(where: { $0 === call }) else { return false }
        forget(call)
        calls.remove(at: index)
        forgetPlaces()
        return true
    }

    /// Takes out every call up to number `sequence`, but for those that empty the store; returns them in order.
    mutating func removeAll(upTo sequence: LocalNumber) -> [PendingWrite] {
        let dropped = calls.filter { $0.sequence <= sequence && !$0.isWipe }
        for call in dropped { forget(call) }
        calls.removeAll { $0.sequence <= sequence && !$0.isWipe }
        forgetPlaces()
        return dropped
    }

    /// A queue that was left without a commit shows nothing: reads need not look here.
    private mutating func forgetPlaces() { if calls.isEmpty { shown = QueueIndex() } }

    private mutating func forget(_ call: PendingWrite) {
        discount(call)
        if !call.isWipe, call.isShown { shown.remove(call) }
    }

    private mutating func discount(_ call: PendingWrite) {
        count(-call.byteCount, of: call)
        if call.isWipe, call.place == wipePlace { wipePlace = .zero }
    }

    private mutating func count(_ bytes: Int, of call: PendingWrite) {
        if call.completion == nil { unawaitedByteCount += bytes } else { awaitedByteCount += bytes }
    }
}

extension PendingWrite {
    /// Whether reads apply the call while it is queued.
    var isShown: Bool { completion == nil }
}
