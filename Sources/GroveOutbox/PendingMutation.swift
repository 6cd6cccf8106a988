public import Observation

/// A mutation that the server has not confirmed yet.
@MainActor
@Observable
public final class PendingMutation: Identifiable {
    /// How far it has come.
    public enum State: Sendable {
        /// It waits for its turn.
        case waiting
        /// It is on its way.
        case sending
        /// The network failed; it is sent again later, or at once after ``Outbox/resume()``.
        case waitingForNetwork(any Error)
        /// The server, or the store, said no: nothing of it is shown. ``Outbox/retry(_:)`` and ``Outbox/discard(_:)`` go on from here.
        case refused(any Error)
        /// It was kept by another version of the application, whose type is not known, or it cannot be read. It stays where it is.
        case unreadable(any Error)
        /// The server has it, and it is being stored.
        case confirmed
    }

    /// Its key, as in ``Attempt/key``.
    public nonisolated let id: String
    /// What was submitted; `nil` if it cannot be read.
    public internal(set) var mutation: (any Mutation)?
    /// How far it has come.
    public internal(set) var state = State.waiting
    /// Why nothing of it is shown, if ``Mutation/apply(to:)`` has thrown.
    public internal(set) var applyError: (any Error)?

    @ObservationIgnored var record: OutboxRecord
    @ObservationIgnored var layer: PendingLayers.Layer?
    @ObservationIgnored var tries = 0
    /// When it may be sent, by the outbox's clock.
    @ObservationIgnored var due = 0.0
    /// Whether ``due`` is the network's or a lease's, not the user's.
    @ObservationIgnored var isBackingOff = false
    /// Whether ``due`` is when another process's lease expires.
    @ObservationIgnored var waitsForLease = false
    /// The write that keeps it.
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
