public import GroveModel

/// A store that keeps its files within a number of bytes.
///
/// **For authors of backends only.** The cache evicts, by sweeping over the store; the store says how much fits. A
/// cache over a store that does not conform refuses a budget.
///
/// The thread that writes calls ``makeRoom(for:)`` before each transaction. ``payloadLimit(holding:)`` and
/// ``bytesOnDisk()`` are called on the same thread.
public protocol BudgetedStore: NodeStore where Transaction: SweepableTransaction {
    /// Opens the store; ``setBudget(_:)`` follows with `budget`, or with less if the store had to be made again.
    ///
    /// It is for an engine whose files or buffers depend on the budget, so that it need not be opened a second time.
    /// ``makeRoom(for:)`` is not called before ``setBudget(_:)``.
    ///
    /// - Throws: the errors of opening without a budget.
    init(directory: String?, options: Options, budget: Int) throws(CacheError)

    /// Keeps the store's files within `bytes` from now on, as `du` counts them.
    ///
    /// Called once after opening, before any write.
    ///
    /// - Returns: the bytes of keys and values that fit.
    /// - Throws: ``CacheError`` with code `overBudget` if the files take more already. The cache then evicts, makes the
    ///   files smaller if the store can, and calls this again; see ``ShrinkableStore``.
    func setBudget(_ bytes: Int) throws(CacheError) -> Int

    /// Makes sure that a transaction that writes `load` stays within the budget.
    ///
    /// - Returns: false if records have to be evicted first; the cache does so and calls this again.
    /// - Throws: ``CacheError`` with code `full` if there is no room and evicting would make none for now, and the
    ///   error with which making room failed.
    func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool

    /// The bytes of keys and values that fit, if the store holds `payload` bytes of them now.
    ///
    /// - Complexity: O(1).
    func payloadLimit(holding payload: Int) -> Int

    /// The bytes that the store's files take on disk, as `du` counts them, without a look at the records.
    func bytesOnDisk() throws(CacheError) -> Int
}
