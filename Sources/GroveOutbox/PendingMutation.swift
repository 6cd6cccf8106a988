public import Observation

/// A mutation that the server has not confirmed yet.
@MainActor
@Observable
public final class PendingMutation: Identifiable {
    /// The progress of a mutation.
    public enum State: Sendable {
        /// It waits for its turn, for its delay or for the lease of another process.
        case waiting
        /// It is being sent.
        case sending
        /// The network failed, or the confirmation could not be stored; it is sent again later, or at once after
        /// ``Outbox/resume()``.
        case waitingForNetwork(any Error)
        /// The server refused it, or it could not be stored; its changes are not shown. Call ``Outbox/retry(_:)`` or
        /// ``Outbox/discard(_:)``.
        case refused(any Error)
        /// It cannot be read, or it is of a type that this version of the application does not know. It stays in the
        /// store.
        case unreadable(any Error)
        /// The server has confirmed it, and the confirmation is being stored.
        case confirmed
    }

    /// Its key, as in ``Attempt/key``.
    public nonisolated let id: String
    /// The mutation; `nil` if it cannot be read.
    public internal(set) var mutation: (any Mutation)?
    /// The progress of the mutation.
    public internal(set) var state = State.waiting
    /// The error of ``Mutation/apply(to:)``; while there is one, the mutation's changes are not shown.
    public internal(set) var applyError: (any Error)?

    @ObservationIgnored var record: OutboxRecord
    @ObservationIgnored var layer: PendingLayers.Layer?
    @ObservationIgnored var tries = 0
    /// The time from which it may be sent, by the outbox's clock.
    @ObservationIgnored var due = 0.0
    /// Whether ``due`` is the network's or a lease's, not the user's.
    @ObservationIgnored var isBackingOff = false
    /// Whether ``due`` is the time to ask again for a lease that another process has.
    @ObservationIgnored var waitsForLease = false
    /// The write that stores it.
    @ObservationIgnored var storing: Task<Void, any Error>?

    init(_ record: OutboxRecord, _ mutation: (any Mutation)?) {
        id = record.key
        self.record = record
        self.mutation = mutation
    }

    /// Ends a pause.
    func endPause() { (due, isBackingOff, waitsForLease) = (0, false, false) }

    /// Whether it is being sent.
    var isSending: Bool {
        if case .sending = state { true } else { false }
    }

    /// Whether it is being sent, or stored.
    var isUnderWay: Bool {
        switch state {
        case .sending, .confirmed: true
        case .waiting, .waitingForNetwork, .refused, .unreadable: false
        }
    }

    /// Whether it waits to be sent, now or later.
    var isUnsent: Bool {
        switch state {
        case .waiting, .waitingForNetwork: true
        case .sending, .refused, .unreadable, .confirmed: false
        }
    }
}
