public import GroveCache
public import GroveModel

/// A ``NodeStore`` in memory: for tests, for previews and for caches that need not outlive the process.
///
/// The content is a persistent ordered tree. A view is one version of it, opened in O(1). A transaction shares
/// everything that it does not change with that version. When the last view of an older version ends, it frees the
/// nodes that only that version used, and the next commit waits for that. Otherwise readers and the writer never wait
/// for each other.
public final class MemoryStore: BudgetedStore {
    /// The capabilities of this backend: it is fast, and loses everything when the process ends.
    public static let profile = BackendProfile(
        name: "memory", isPersistent: false, survivesCrash: false, isMultiProcess: false, isEvicting: true,
        readersNeverStall: true, maxValueBytes: 1 << 30, livePayloadShare: 0.9)

    /// The committed content, once for each core; `nil` after the store was closed.
    ///
    /// All copies are the same, except while a commit is being published.
    private let committed: Pools<TreeVersion?>

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - directory: not used; a path is accepted so that code can open any backend in the same way, and nothing is
    ///     written there. Two stores with one path share nothing.
    ///   - options: there are none to set.
    /// - Throws: never.
    public init(directory: String? = nil, options: MemoryOptions = MemoryOptions()) throws(CacheError) {
        let empty = TreeVersion()
        committed = Pools { empty }
    }

    /// Opens a view of the last committed state.
    ///
    /// - Complexity: O(1).
    /// - Throws: ``CacheError`` with code `closed`.
    public func view() throws(CacheError) -> MemoryView { MemoryView(try current()) }

    /// Runs `body` in a write transaction; commits when it returns, aborts when it throws.
    ///
    /// - Throws: the error of `body`, or ``CacheError`` with code `closed`.
    public func write(_ body: (MemoryTransaction) throws(CacheError) -> Void) throws(CacheError) {
        let last = try current()
        let transaction = MemoryTransaction(last.history.tree(after: last.tree))
        do {
            try body(transaction)
        } catch {
            last.history.abort(transaction.tree)
            transaction.tree = ByteTree()
            throw error
        }
        let version = TreeVersion(committing: &transaction.tree, to: last.history)
        // Code that keeps the transaction beyond its end can change nothing.
        transaction.tree = ByteTree()
        publish(version, in: last)
    }

    /// Does nothing: nothing survives loss of power.
    public func synchronize() throws(CacheError) {}

    /// The exact number of entries and of bytes in their keys and values; no bytes on disk.
    ///
    /// - Complexity: O(1).
    public func size() throws(CacheError) -> StoreSize {
        let tree = try current().tree
        return StoreSize(bytesOnDisk: 0, payloadBytes: tree.payloadBytes, entries: tree.entries)
    }

    /// Removes everything; if no view is open, the memory is freed before this returns.
    ///
    /// - Complexity: O(*n*).
    public func wipe() throws(CacheError) {
        publish(TreeVersion(), in: try current())
    }

    /// Frees everything except the nodes that open views use; later calls throw `closed`.
    public func close() {
        if let last = try? current() { publish(nil, in: last) }
    }

    // MARK: A budget

    /// Opens the store as without a budget.
    public convenience init(directory: String?, options: MemoryOptions, budget: Int) throws(CacheError) {
        try self.init(directory: directory, options: options)
    }

    /// Returns `bytes`: all of them are for keys and values.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int { bytes }

    /// Returns true: no room is needed beside the records.
    public func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool { true }

    /// Returns a payload that is never reached: only the budget limits it.
    public func payloadLimit(holding payload: Int) -> Int { .max }

    /// Returns 0: there are no files.
    public func bytesOnDisk() throws(CacheError) -> Int { 0 }

    private func current() throws(CacheError) -> TreeVersion {
        guard let version = committed.withLock(of: committed.own, { $0 }) else { throw .closedStore }
        return version
    }

    /// Makes `version` the committed content in place of `last`, which is released without a lock.
    ///
    /// All copies change at once: a view is never older than a view that was opened before it.
    private func publish(_ version: TreeVersion?, in last: TreeVersion) {
        committed.withAll { visit in visit { $0 = version } }
        withExtendedLifetime(last) {}
    }
}
