/// A moment in the life of a cache: an answer of the network is as old as the place at which its request was sent.
///
/// Take one before you ask the network, and pass it with the answer. What was changed or deleted since then stays as it is.
///
/// ```swift
/// let asked = manager.place()
/// let people = try await server.people()
/// manager.updateModels(people, asOf: asked)
/// ```
///
/// A place belongs to the manager, or the cache, that gave it. It costs memory while it exists: the identifiers of the nodes that
/// are changed meanwhile.
public struct Place: Sendable {
    /// In the order of the manager's calls; `zero` for a place of a cache.
    package let turn: Turn
    /// How often the manager had been wiped.
    package let epoch: Int
    /// In the order of the cache's calls; `nil` over a cache that is only a ``CacheDelegate``.
    package let stored: StoredPlace?
    /// What keeps the manager from forgetting what changes since.
    private let token: (any Sendable)?

    package init(turn: Turn = .zero, epoch: Int = 0, stored: StoredPlace?, token: (any Sendable)? = nil) {
        self.turn = turn
        self.epoch = epoch
        self.stored = stored
        self.token = token
    }
}

/// The part of a ``Place`` that a cache gives: which of its calls were made before.
public final class StoredPlace: Sendable {
    /// Which life of the cache it was taken in: a wipe, or other files, begin another.
    public let life: UInt64
    /// When it was taken, in seconds since 1970; 0 where that is not known.
    public let time: UInt32
    private let known = Lock<CallNumber?>(nil)

    /// Makes a place.
    ///
    /// - Parameter number: the last call before it, where that is known already.
    public init(life: UInt64, time: UInt32, number: CallNumber? = nil) {
        self.life = life
        self.time = time
        known.withLock { $0 = number }
    }

    /// The number of the last call before it; `nil` while calls that were made before are still on their way to the cache.
    public var number: CallNumber? {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }
}
