/// What is measured in one run of a contestant.
enum Mode: String, CaseIterable {
    /// Workloads a to h.
    case main
    /// Reads alone, of a store that was just filled, and its size: for many messages.
    case scale
    /// Commits of one message each, every one awaited.
    case commit
    /// Random trees, read by one thread and by two.
    case threads
    /// What the process takes of memory. Linux alone.
    case rss
    /// Reads beside writes that are queued. Grove alone.
    case backlog
    /// Many writes that nothing waits for. Grove alone.
    case burst

    /// Whether it needs a queue of writes, which Grove alone has.
    var isAboutQueue: Bool { self == .backlog || self == .burst }
}
