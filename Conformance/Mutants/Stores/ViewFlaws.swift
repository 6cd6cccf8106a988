import Dispatch

/// A view shows what is committed after it was opened.
enum ReadsLive: StoreFlaw {
    static var hasLiveViews: Bool { true }
}

/// A view shows the state before the last commit, if that came while another view was open.
enum LagsBehind: StoreFlaw {
    static var lagsBehind: Bool { true }
}

/// A view finds each node once: what was found before another one is taken for a cycle.
enum GivesOnce: StoreFlaw {
    static var givesOnce: Bool { true }
}

/// A transaction does not see its own writes.
enum WritesBlindly: StoreFlaw {
    static var isBlind: Bool { true }
}

/// What a transaction's look-up returned is gone when the next value is put.
enum LosesBorrowed: StoreFlaw {
    static var losesBorrowed: Bool { true }
}

/// Large commits take their time, and nobody opens a view meanwhile.
///
/// Not one that waits for the whole transaction: the cache, which opens views under a lock that its writer takes too, relies
/// on `view()` waiting for no body of a transaction, and would not come to an end.
enum StallsReaders: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        if changes.count > 5_000 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 4) }
        return changes
    }
}
