import GroveModel

/// How much a cache may hold before it evicts records.
///
/// The first handle on a store sets the budget; a second one on the same directory needs an equal budget. Other
/// processes that share the store should use the same budget.
public struct CacheBudget: Sendable, Equatable {
    /// The most bytes on disk, as `du` counts them; `nil` for no limit.
    ///
    /// Every file of the store counts, with its logs, its free pages and the files that were set aside. The peak stays
    /// within the limit, and not only the average. In a store in memory, keys and values count.
    public var bytes: Int?

    /// The most records that the cache may hold: nodes, tombstones, collections, their chunks and aliases; `nil` for no
    /// limit.
    public var nodes: Int?

    /// Records that were not confirmed for this many seconds are evicted first; `nil` for never.
    ///
    /// It is no limit by itself: nothing is evicted while there is room, and reads still return such records. A read
    /// that must not return old ones passes its own `maxAge`. A record that was never confirmed counts as young,
    /// because its age is unknown.
    public var expiresAfter: Double?

    /// Makes a budget.
    ///
    /// Opening a cache throws if a limit is not positive, or if the bytes are fewer than its backend needs; see
    /// ``BackendProfile/leastBudgetBytes``.
    public init(bytes: Int? = nil, nodes: Int? = nil, expiresAfter: Double? = nil) {
        self.expiresAfter = expiresAfter
        self.bytes = bytes
        self.nodes = nodes
    }

    /// No limit: nothing is ever evicted, and eviction takes no memory.
    public static let unlimited = CacheBudget()

    /// Whether there is any limit.
    package var isLimited: Bool { bytes != nil || nodes != nil }

    /// Checks that the backend of `profile` can keep the budget.
    ///
    /// - Throws: ``CacheError`` with code `unsupported`.
    func check(_ profile: BackendProfile) throws(CacheError) {
        guard nodes ?? 1 > 0 else {
            throw CacheError(
                .unsupported, "A budget of \(nodes ?? 0) records holds none; pass 1 or more, or nil for no limit.")
        }
        guard expiresAfter ?? 1 > 0 else {
            throw CacheError(
                .unsupported,
                "A budget's `expiresAfter` is \(expiresAfter ?? 0) seconds; pass more than 0, or nil for never.")
        }
        guard bytes ?? .max >= profile.leastBudgetBytes else {
            throw CacheError(
                .unsupported,
                "A budget of \(bytes ?? 0) bytes is too small for \(profile.name); pass \(profile.leastBudgetBytes) or more, "
                    + "or nil for no limit.")
        }
    }
}
