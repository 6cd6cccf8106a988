public import GroveModel
import Synchronization

/// A tier behind a network that a test controls: the test delays, cuts or holds back each message.
///
/// ```swift
/// let gated = GatedTier(MemoryFarTier())
/// gated.gate { message throws(SharedError) in
///     if message == .answer(.feed) { throw SharedError(.unreachable, "cut") }
/// }
/// ```
public final class GatedTier: FarTier {
    /// A call of the tier.
    public enum Call: Hashable, Sendable {
        /// ``FarTier/fetch(_:after:)``.
        case fetch
        /// ``FarTier/feed(after:)``.
        case feed
        /// ``FarTier/write(_:)``.
        case write
        /// ``FarTier/outcome(of:)``.
        case outcome
    }

    /// A message on the network.
    public enum Message: Hashable, Sendable {
        /// Before the tier is called.
        case request(Call)
        /// After the tier has answered, and before the caller gets the answer.
        case answer(Call)
    }

    /// Lets a message through when it returns, and cuts the connection if it throws.
    public typealias Gate = @Sendable (Message) async throws(SharedError) -> Void

    private let base: any FarTier
    private let state = Mutex<(gate: Gate?, counts: [Message: Int])>((nil, [:]))

    /// Puts `base` behind a network that lets everything through.
    public init(_ base: any FarTier) { self.base = base }

    /// Asks `gate` at each message from now on; `nil` lets everything through.
    ///
    /// A gate that throws at the answer of a write hides a commit that was made. To lose a write, use the tier's own
    /// loss, such as ``MemoryFarTier/loseNextWrite(_:)``.
    public func gate(_ gate: Gate?) { state.withLock { $0.gate = gate } }

    /// The number of these messages so far.
    public func count(of message: Message) -> Int { state.withLock { $0.counts[message] ?? 0 } }

    private func pass(_ message: Message) async throws(SharedError) {
        let gate = state.withLock { state in
            state.counts[message, default: 0] += 1
            return state.gate
        }
        try await gate?(message)
    }

    /// See ``FarTier/fetch(_:after:)``.
    public func fetch(
        _ identifiers: [ModelIdentifier], after position: FeedPosition?
    ) async throws(SharedError) -> FarSnapshot {
        try await pass(.request(.fetch))
        let answer = try await base.fetch(identifiers, after: position)
        try await pass(.answer(.fetch))
        return answer
    }

    /// See ``FarTier/feed(after:)``.
    public func feed(after position: FeedPosition?) async throws(SharedError) -> FeedWord {
        try await pass(.request(.feed))
        let answer = try await base.feed(after: position)
        try await pass(.answer(.feed))
        return answer
    }

    /// See ``FarTier/wait(atMost:)``.
    public func wait(atMost limit: Duration) async { await base.wait(atMost: limit) }

    /// See ``FarTier/write(_:)``.
    public func write(_ changes: [FarChange]) async throws(SharedError) -> FeedNumber {
        try await pass(.request(.write))
        let number = try await base.write(changes)
        try await pass(.answer(.write))
        return number
    }

    /// See ``FarTier/outcome(of:)``.
    public func outcome(of ticket: WriteTicket) async throws(SharedError) -> FarOutcome {
        try await pass(.request(.outcome))
        let outcome = try await base.outcome(of: ticket)
        try await pass(.answer(.outcome))
        return outcome
    }
}
