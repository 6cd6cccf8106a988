/// The moment at which a request is sent, in the order of a cache's calls.
///
/// Take a place before you ask the network, and pass it with the answer. The answer counts as being of that moment:
/// models that were changed or deleted since then stay as they are.
///
/// ```swift
/// let asked = manager.place()
/// let people = try await server.people()
/// try manager.updateModels(people, asOf: asked)
/// ```
///
/// Pass a place to the manager or cache that gave it; a manager also takes the places of its cache. Another handle of
/// the cache throws `cancelled`. While a place exists, the identifiers of all nodes that change are kept in memory.
public struct Place: Sendable {
    /// The turn in the order of the manager's calls; `zero` for a place of a cache.
    package let turn: Turn
    /// The number of wipes of the manager before it.
    package let epoch: Int
    /// The time at which it was taken, by the manager's clock, in seconds since 1970; an answer is confirmed as of
    /// then.
    package let time: Double
    /// The place in the order of the cache's calls; `nil` over a cache that is only a ``CacheDelegate``.
    package let stored: StoredPlace?
    /// The token that keeps the manager from forgetting the changes since.
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

/// The part of a ``Place`` that a cache gives: its position among the cache's calls.
package final class StoredPlace: Sendable {
    /// The life of the cache in which it was taken: a wipe or a replacement of the files begins another.
    package let life: LifeID
    /// The time at which it was taken, in seconds since 1970; 0 if a write as of it confirms nothing.
    package let time: UInt32
    private let known = Lock<Numbers?>(nil)

    /// The position of a place among the calls of all processes.
    package struct Numbers: Sendable {
        /// Its number among this process's calls.
        package let number: CallNumber
        /// The last call that the store had when it was taken.
        ///
        /// If another process has committed since, later numbers may belong to that process.
        package let committed: CallNumber
        /// The shift that the commits of other processes had added to the numbers.
        package let shift: CallNumber.Shift

        /// Makes the numbers of a place.
        package init(number: CallNumber, committed: CallNumber, shift: CallNumber.Shift) {
            (self.number, self.committed, self.shift) = (number, committed, shift)
        }
    }

    /// Makes a place.
    ///
    /// - Parameter numbers: its position, if that is already known.
    package init(life: LifeID, time: UInt32, numbers: Numbers? = nil) {
        self.life = life
        self.time = time
        known.withLock { $0 = numbers }
    }

    /// Its position; `nil` while calls that were made before are still on their way to the cache.
    package var numbers: Numbers? {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }

    /// The same place, of content that confirms nothing.
    package var unconfirmed: StoredPlace { StoredPlace(life: life, time: 0, numbers: numbers) }
}
