public import GroveModel

/// A store that keeps its files within a number of bytes.
///
/// **For authors of backends only.** The cache evicts, by sweeping over the store; the store says how much fits. A cache over a store that
/// is none refuses a budget.
///
/// ``makeRoom(for:)`` is called by the thread that writes, before each transaction; ``payloadLimit(holding:)`` and
/// ``bytesOnDisk()`` by the same.
public protocol BudgetedStore: NodeStore where Transaction: SweepableTransaction {
    /// Opens the store, of which ``setBudget(_:)`` is about to ask `budget`, or less where it had to be made again.
    ///
    /// For an engine whose files or buffers a budget shapes, so that it need not be opened a second time for that; nothing
    /// is asked to make room before ``setBudget(_:)``.
    ///
    /// - Throws: as opening without a budget.
    init(directory: String?, options: Options, budget: Int) throws(CacheError)

    /// Keeps the store's files within `bytes` from now on, as `du` counts them, and says how much payload fits.
    ///
    /// Called once after opening, before any write.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where the files have more already. The cache evicts then, makes the files
    ///   smaller where that is possible, and asks again; see ``ShrinkableStore``.
    func setBudget(_ bytes: Int) throws(CacheError) -> Int

    /// Sees to it that a transaction that writes `load` keeps within the budget.
    ///
    /// - Returns: false where something has to be evicted first; the cache does so and asks again.
    /// - Throws: ``CacheError`` with code `full` where there is no room and evicting would make none for now, and what
    ///   making room failed with.
    func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool

    /// The payload that fits, as the store is filled with `payload` bytes of it now.
    ///
    /// - Complexity: O(1).
    func payloadLimit(holding payload: Int) -> Int

    /// The bytes that the store's files take on disk, as `du` counts them, without a look at the records.
    func bytesOnDisk() throws(CacheError) -> Int
}
