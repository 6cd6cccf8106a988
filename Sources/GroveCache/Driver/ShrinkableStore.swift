public import GroveModel

/// A store whose files can be made smaller without losing what is stored.
///
/// **For authors of backends only.** Without it, a store that is opened with a budget that its files exceed must come to be within
/// it by what the cache evicts, or is emptied.
public protocol ShrinkableStore: BudgetedStore {
    /// Makes the files about as small as what is stored allows: the budget has become smaller.
    ///
    /// Called after opening where ``BudgetedStore/setBudget(_:)`` has thrown `overBudget`, once the cache has evicted what is
    /// more than the declared share of the budget; ``BudgetedStore/setBudget(_:)`` follows, and where that throws `overBudget`
    /// still the cache starts empty. No view of this process is open. The files may take more meanwhile, by what is stored. A
    /// process that is killed at any moment leaves the old files or the new ones, with the same content.
    ///
    /// - Parameter replacing: to be called before files are replaced that other processes may have open, at a moment at
    ///   which none of them is in a transaction that writes: they open the store again then.
    /// - Throws: ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `locked`.
    func shrink(_ replacing: () -> Void) throws(CacheError)
}
