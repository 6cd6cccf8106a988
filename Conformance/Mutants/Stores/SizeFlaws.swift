import Dispatch

/// The payload is said to be twice what it is.
enum DoublesPayload: StoreFlaw {
    static func said(payload: Int) -> Int { payload * 2 }
}

/// The payload is said to be half of what it is.
enum HalvesPayload: StoreFlaw {
    static func said(payload: Int) -> Int { payload / 2 }
}

/// A transaction commits every 30 puts, as over an engine with a small limit.
enum CommitsEvery30: StoreFlaw {
    static var commitsEvery: Int? { 30 }
}

/// A transaction commits every 5,000 puts, as over an engine with a limit.
enum CommitsEvery5000: StoreFlaw {
    static var commitsEvery: Int? { 5_000 }
}

/// A commit of many puts shows in parts.
enum ShowsCommitsInParts: StoreFlaw {
    static var showsEvery: Int? { 5_000 }
}
