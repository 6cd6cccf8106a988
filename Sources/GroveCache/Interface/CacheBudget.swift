import GroveModel

/// How much a cache may hold, and what decides who goes when it is full.
///
/// The first handle on a store decides; a second one on the same directory needs an equal budget. Another process that
/// shares the store should have the same.
public struct CacheBudget: Sendable, Equatable {
    /// Bytes on disk as `du` counts them: every file of the store, logs, free pages and what was set aside included.
    ///
    /// The limit is of the peak and not of the average. A store in memory counts its keys and values. `nil` for no limit.
    public var bytes: Int?

    /// How many records the cache may hold, `nil` for any number: nodes, tombstones, collections, their chunks
    /// and aliases.
    public var nodes: Int?

    /// How many seconds after its last confirmation a record is expired: the first to go, whatever the policy says of it.
    ///
    /// It goes when there is no room, not before; a read that wants something younger says so by its own maximum age. What
    /// such a read finds too old goes first as well, with this or without. What was never confirmed counts as young, as its
    /// age is not known. `nil` for never. It is no limit by itself.
    public var expiresAfter: Double?

    /// Makes a budget.
    ///
    /// Opening a cache refuses limits that are not positive, and fewer bytes than its backend can work with; see
    /// ``BackendProfile/leastBudgetBytes``.
    public init(bytes: Int? = nil, nodes: Int? = nil, expiresAfter: Double? = nil) {
        self.expiresAfter = expiresAfter
        self.bytes = bytes
        self.nodes = nodes
    }

    /// No limit: nothing is ever evicted, and nothing is kept in memory for it.
    public static let unlimited = CacheBudget()

    /// Whether there is any limit.
    public var isLimited: Bool { bytes != nil || nodes != nil }

    /// Checks that the backend of `profile` can keep it.
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
