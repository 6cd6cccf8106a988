public import GroveCache
public import GroveModel

/// A ``NodeStore`` in memory: for tests, for previews and for caches that need not outlive the process.
///
/// The content is a persistent ordered tree. A view is one version of it, opened and ended in O(1); a transaction shares
/// with that version what it does not change. Readers and the writer never wait for one another, except for the moment
/// in which a version is published or taken. Memory that a commit replaced is freed when no view reaches it.
public final class MemoryStore: NodeStore {
    /// What this backend can do: it is fast, and forgets everything when the process ends.
    public static let profile = BackendProfile(
        name: "memory", isPersistent: false, survivesCrash: false, isMultiProcess: false, isEvicting: true,
        readersNeverStall: true, maxValueBytes: 1 << 30, livePayloadShare: 0.9)

    /// The committed content, or `nil` once the store is closed: the same on each shelf while no commit is being published.
    private let committed: Shelves<ByteTree?>

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - directory: not used; a path is accepted, so that code that opens any backend need not tell them apart, and
    ///     nothing is written there. Two stores with one path share nothing.
    ///   - options: nothing to choose.
    /// - Throws: never.
    public init(directory: String? = nil, options: MemoryOptions = MemoryOptions()) throws(CacheError) {
        let empty = ByteTree()
        committed = Shelves { empty }
    }

    /// Opens a view of the last committed state.
    ///
    /// - Complexity: O(1).
    /// - Throws: ``CacheError`` with code `closed`.
    public func view() throws(CacheError) -> MemoryView { MemoryView(try current()) }

    /// Runs `body` in a write transaction; commits when it returns, aborts when it throws.
    ///
    /// - Throws: what `body` threw, or ``CacheError`` with code `closed`.
    public func write(_ body: (MemoryTransaction) throws(CacheError) -> Void) throws(CacheError) {
        let transaction = MemoryTransaction(try current())
        try body(transaction)
        publish(transaction.tree)
    }

    /// Does nothing: nothing survives loss of power.
    public func synchronize() throws(CacheError) {}

    /// The exact number of entries and of bytes in their keys and values; no bytes on disk.
    ///
    /// - Complexity: O(1).
    public func size() throws(CacheError) -> StoreSize {
        let tree = try current()
        return StoreSize(bytesOnDisk: 0, payloadBytes: tree.payloadBytes, entries: tree.entries)
    }

    /// Removes everything; the memory is freed before this returns, where no view is open.
    ///
    /// - Complexity: O(*n*).
    public func wipe() throws(CacheError) {
        _ = try current()
        publish(ByteTree())
    }

    /// Frees everything, what open views reach excepted; later calls throw `closed`.
    public func close() { publish(nil) }

    private func current() throws(CacheError) -> ByteTree {
        guard let tree = committed.withLock(of: committed.own, { $0 }) else { throw .closedStore }
        return tree
    }

    /// Makes `tree` the committed content; what only the last one reached is freed after the locks are let go.
    ///
    /// All shelves change at once: no view is older than one that was opened before it.
    private func publish(_ tree: ByteTree?) {
        let last = committed.withLock(of: 0) { $0 }
        committed.withAll { visit in visit { $0 = tree } }
        withExtendedLifetime(last) {}
    }
}
