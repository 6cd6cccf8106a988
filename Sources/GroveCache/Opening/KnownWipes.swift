import GroveModel

/// The knowledge that this process has of wipes.
struct KnownWipes: Sendable {
    /// How many there were, of all processes; see ``StoreGeneration/wipeCount``.
    private var count: WipeCount
    /// How many of them were another process's, found since this one has opened the store.
    private(set) var byOthers = WipeCount.zero
    /// The life of the cache: what was asked for in another one is not stored.
    var life = LifeID.first()

    init(_ generation: StoreGeneration?) { count = generation?.wipeCount ?? .zero }

    /// Counts a wipe by a call of this process, which holds the lock of `generation`, for all processes.
    mutating func count(_ generation: StoreGeneration) {
        generation.countWipe()
        count = generation.wipeCount
    }

    /// Notes how often calls of all processes have emptied the cache; returns whether another process has, since this one knew.
    mutating func noteOthers(_ generation: StoreGeneration?) -> Bool {
        guard let now = generation?.wipeCount, now != count else { return false }
        count = now
        byOthers = byOthers + 1
        return true
    }
}
