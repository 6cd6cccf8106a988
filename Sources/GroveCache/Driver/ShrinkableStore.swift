public import GroveModel

/// A store whose files can be made smaller without losing records.
///
/// **For authors of backends only.** If the files of a store exceed the budget with which it is opened, the cache
/// evicts records. A store that does not conform is emptied if that is not enough.
public protocol ShrinkableStore: BudgetedStore {
    /// Makes the files about as small as the stored records allow, because the budget has become smaller.
    ///
    /// Called after opening if ``BudgetedStore/setBudget(_:)`` has thrown `overBudget`. The cache has then evicted the
    /// records that exceed the declared share of the budget, and no view of this process is open. The cache calls
    /// ``BudgetedStore/setBudget(_:)`` again; if that still throws `overBudget`, it starts empty.
    ///
    /// Meanwhile the files may take more space, as much as a copy of the records. A process that is killed at any
    /// moment leaves the old files or the new ones, with the same content.
    ///
    /// - Parameter replacing: a closure to call before you replace files that other processes may have open, while none
    ///   of them is in a write transaction. They then open the store again.
    /// - Throws: ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `locked`.
    func shrink(_ replacing: () -> Void) throws(CacheError)
}
