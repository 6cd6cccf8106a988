#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pauses, the clock and the lease of an outbox.
public struct OutboxOptions: Sendable {
    /// The longest pause after the first failure, in seconds; it doubles with each failure.
    ///
    /// See ``random``.
    public var firstPause = 1.0
    /// The upper limit of all pauses, in seconds.
    public var longestPause = 300.0
    /// The length of the lease, in seconds: the process that has the lease sends, and takes it again before each
    /// mutation.
    ///
    /// A process gives the lease back when it has nothing to send now: its mutations wait for the network, or were
    /// refused. A process that waits for the lease notices that within ``firstPause``. If a process was killed or
    /// stopped while it sent, another one goes on when the lease expires. If the server takes longer to answer than the
    /// lease lasts, two processes may send the same mutation, with the same key.
    public var leaseLength = 60.0
    /// Whether to send a mutation again after this error; by default after every error except a ``Refusal``.
    public var shouldRetry: @Sendable (any Error) -> Bool = { !($0 is Refusal) }
    /// The time in seconds, by a clock that is never set and that all processes of the machine share.
    ///
    /// By default, the time since the machine was started.
    public var now: @Sendable () -> Double = { BootClock.now }
    /// Waits until ``now`` reaches a number of seconds.
    ///
    /// A test sets both.
    public var sleep: @Sendable (_ until: Double) async throws -> Void = {
        try await Task.sleep(for: .seconds(max(0, $0 - BootClock.now)))
    }
    /// A random number from 0 to 1, for each pause: 0 gives half of the pause, and 1 all of it.
    ///
    /// So clients do not all come back at once.
    public var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// Makes the key of a new mutation.
    public var makeKey: @Sendable () -> String = { UUID().uuidString }
    /// Whether each mutation is applied twice, to report one whose result is then different; by default in debug builds
    /// only.
    public var checksTwice: Bool

    /// Makes the options with their defaults.
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

/// The server's final refusal of a mutation; throw it from ``Mutation/send(_:_:)``.
public struct Refusal: Error, Sendable, Hashable {
    /// The reason, for a log or the user.
    public let reason: String

    /// Makes a refusal with this reason.
    public init(_ reason: String) { self.reason = reason }
}

/// A problem with a mutation, of which the outbox tells ``Outbox/onProblem``.
public enum OutboxProblem: Sendable {
    /// The server refused the mutation; its changes are no longer shown.
    case refused(any Error)
    /// The mutation, or its confirmation, could not be stored.
    case unsaved(any Error)
    /// ``Mutation/apply(to:)`` threw; its changes are not shown for now.
    case notApplied(any Error)
    /// A kept mutation cannot be read, or its type is not one of the outbox's types.
    case unreadable(any Error)
    /// Applying the mutation twice gives another result than applying it once.
    case notIdempotent
}
