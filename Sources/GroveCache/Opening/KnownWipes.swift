import GroveModel

/// The knowledge of this process about wipes.
struct KnownWipes: Sendable {
    /// The number of wipes by all processes; see ``StoreGeneration/wipeCount``.
    private var count: WipeCount
    /// The number of times that this process has found wipes by other processes since it opened the store.
    private(set) var byOthers = WipeCount.zero
    /// The life of the cache: an answer that was asked for in another one is not stored.
    var life = LifeID.first()

    init(_ generation: StoreGeneration?) { count = generation?.wipeCount ?? .zero }

    /// Counts a wipe by a call of this process, which holds the lock of `generation`, for all processes.
    mutating func count(_ generation: StoreGeneration) {
        generation.countWipe()
        count = generation.wipeCount
    }

    /// Notes the number of wipes by all processes; returns whether another process has wiped since the last look.
    mutating func noteOthers(_ generation: StoreGeneration?) -> Bool {
        guard let now = generation?.wipeCount, now != count else { return false }
        count = now
        byOthers = byOthers + 1
        return true
    }
}
