/// A view shows what is committed after it was opened.
enum ReadsLive: StoreFlaw {
    static var hasLiveViews: Bool { true }
}

/// A view shows the state before the last commit.
enum LagsBehind: StoreFlaw {
    static var lagsBehind: Bool { true }
}

/// A transaction does not see its own writes.
enum WritesBlindly: StoreFlaw {
    static var isBlind: Bool { true }
}
