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

/// Large commits take four seconds, and no reader can open a view meanwhile.
///
/// The delay is in the commit, not in the body of the transaction. The cache opens views under a lock that its writer
/// takes too: if `view()` waited for a body, the two would wait for each other for ever.
enum StallsReaders: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        if changes.count > 5_000 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 4) }
        return changes
    }
}
