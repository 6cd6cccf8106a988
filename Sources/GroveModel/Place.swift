/// A moment in the life of a cache: an answer of the network is as old as the place at which its request was sent.
///
/// Take one before you ask the network, and pass it with the answer. What was changed or deleted since then stays as it is.
///
/// ```swift
/// let asked = manager.place()
/// let people = try await server.people()
/// try manager.updateModels(people, asOf: asked)
/// ```
///
/// A place belongs to the manager, or the cache, that gave it; another handle of the cache throws `cancelled`. It costs memory while
/// it exists: the identifiers of the nodes that are changed meanwhile.
public struct Place: Sendable {
    /// In the order of the manager's calls; `zero` for a place of a cache.
    package let turn: Turn
    /// How often the manager had been wiped.
    package let epoch: Int
    /// When it was taken, by the manager's clock, in seconds since 1970; what an answer brings is confirmed as of then.
    package let time: Double
    /// In the order of the cache's calls; `nil` over a cache that is only a ``CacheDelegate``.
    package let stored: StoredPlace?
    /// What keeps the manager from forgetting what changes since.
    private let token: (any Sendable)?

    package init(
        turn: Turn = .zero, epoch: Int = 0, time: Double = 0, stored: StoredPlace?, token: (any Sendable)? = nil
    ) {
        self.turn = turn
        self.epoch = epoch
        self.time = time
        self.stored = stored
        self.token = token
    }
}

/// The part of a ``Place`` that a cache gives: which calls were made before.
public final class StoredPlace: Sendable {
    /// Which life of the cache it was taken in: a wipe, or other files, begin another.
    public let life: UInt64
    /// When it was taken, in seconds since 1970; 0 if what is as of it confirms nothing.
    public let time: UInt32
    private let known = Lock<Numbers?>(nil)

    /// Where a place is among the calls of all processes.
    public struct Numbers: Sendable {
        /// Its number among this process's calls.
        public let number: CallNumber
        /// The last call that the store had when it was taken.
        ///
        /// If another process has committed since, later numbers may be its.
        public let committed: CallNumber
        /// What the commits of other processes had added to the numbers.
        public let shift: UInt64

        /// Makes the numbers of a place.
        public init(number: CallNumber, committed: CallNumber, shift: UInt64) {
            (self.number, self.committed, self.shift) = (number, committed, shift)
        }
    }

    /// Makes a place.
    ///
    /// - Parameter numbers: where it is, if that is known already.
    public init(life: UInt64, time: UInt32, numbers: Numbers? = nil) {
        self.life = life
        self.time = time
        known.withLock { $0 = numbers }
    }

    /// Where it is; `nil` while calls that were made before are still on their way to the cache.
    public var numbers: Numbers? {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }

    /// The same place, of content that confirms nothing.
    package var unconfirmed: StoredPlace { StoredPlace(life: life, time: 0, numbers: numbers) }
}
