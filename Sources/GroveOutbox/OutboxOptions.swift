#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When an outbox tries again, and by which clock.
public struct OutboxOptions: Sendable {
    /// The first pause after a failure, in seconds; each one after it is twice as long.
    public var firstPause = 1.0
    /// The longest pause, in seconds.
    public var longestPause = 300.0
    /// For how long the lease lasts that lets one process send, in seconds; it is taken again before each mutation.
    ///
    /// A process that has nothing to send now gives it back: what it has left waits for the network, or was
    /// refused. Another process that waits for it finds that out within ``firstPause``. If a process was killed or stopped
    /// while it sent, another one goes on when the lease expires.
    /// A server that takes longer for an answer than this may be sent a mutation by two processes, with one key.
    public var leaseLength = 60.0
    /// Whether an error is one of the network, after which a mutation is sent again; any but a ``Refusal`` by default.
    public var shouldRetry: @Sendable (any Error) -> Bool = { !($0 is Refusal) }
    /// Seconds by a clock that is never set, and that all processes of the machine share: since the machine was started, by default.
    public var now: @Sendable () -> Double = { BootClock.now }
    /// Waits until ``now`` is a number of seconds; a test's clock brings both.
    public var sleep: @Sendable (_ until: Double) async throws -> Void = {
        try await Task.sleep(for: .seconds(max(0, $0 - BootClock.now)))
    }
    /// A number from 0 to 1: a pause is that part of its second half, so that clients do not come back all at once.
    public var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// A new key.
    public var makeKey: @Sendable () -> String = { UUID().uuidString }
    /// Whether each mutation is applied twice, to report one that is not the same as once; in debug builds by default.
    public var checksTwice: Bool

    /// The options that an application needs.
    public init() {
        #if DEBUG
            checksTwice = true
        #else
            checksTwice = false
        #endif
    }

    /// The pause after the try of a number, 0 for the first.
    func pause(after tries: Int) -> Double {
        var pause = firstPause
        for _ in 0..<min(tries, 64) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * (0.5 + 0.5 * random())
    }
}

/// The server says no, for good: throw it from ``Mutation/send(_:_:)``.
public struct Refusal: Error, Sendable, Hashable {
    /// Why.
    public let reason: String

    /// A refusal for `reason`.
    public init(_ reason: String) { self.reason = reason }
}

/// Something that an outbox tells.
public enum OutboxProblem: Sendable {
    /// The server refused a mutation; nothing of it is shown any more.
    case refused(any Error)
    /// A mutation, or its confirmation, could not be stored.
    case unsaved(any Error)
    /// ``Mutation/apply(to:)`` has thrown; nothing of it is shown for now.
    case notApplied(any Error)
    /// A mutation that is kept cannot be read, or its type is not among those of the outbox.
    case unreadable(any Error)
    /// ``Mutation/apply(to:)`` twice is not the same as once.
    case notIdempotent
}
