public import GroveCache
public import GroveModel

/// A ``NodeStore`` in memory: for tests, for previews and for caches that need not outlive the process.
///
/// The content is a persistent hash trie. A view is one version of it, opened and ended in O(1); a transaction shares
/// with that version what it does not change. Readers and the writer never wait for one another, except for the moment
/// in which a version is published or taken. Memory that a commit replaced is freed when no view reaches it.
public final class MemoryStore: NodeStore {
    /// What this backend can do: it is fast, and forgets everything when the process ends.
    public static let profile = BackendProfile(
        name: "memory", isPersistent: false, survivesCrash: false, isMultiProcess: false, isEvicting: true,
        readersNeverStall: true, maxValueBytes: 1 << 30, livePayloadShare: 0.9)

    private let versions = MemoryVersions()
    private let hash: ByteHash

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - directory: not used; a path is accepted, so that code that opens any backend need not tell them apart, and
    ///     nothing is written there. Two stores with one path share nothing.
    ///   - options: nothing to choose.
    /// - Throws: never.
    public convenience init(directory: String? = nil, options: MemoryOptions = MemoryOptions()) throws(CacheError) {
        self.init(hash: ByteHash())
    }

    /// Makes an empty store with a hash of the test's choice.
    init(hash: ByteHash) { self.hash = hash }

    /// Opens a view of the last committed state.
    ///
    /// - Complexity: O(1).
    /// - Throws: ``CacheError`` with code `closed`.
    public func view() throws(CacheError) -> MemoryView {
        guard let version = versions.hold() else { throw .closedStore }
        return MemoryView(version, of: versions, hash: hash)
    }

    /// Runs `body` in a write transaction; commits when it returns, aborts when it throws.
    ///
    /// - Throws: what `body` threw, or ``CacheError`` with code `closed`.
    public func write(_ body: (MemoryTransaction) throws(CacheError) -> Void) throws(CacheError) {
        guard let version = versions.current else { throw .closedStore }
        let transaction = MemoryTransaction(version, hash: hash)
        do throws(CacheError) {
            try body(transaction)
        } catch {
            transaction.abort()
            throw error
        }
        transaction.commit(to: versions)
    }

    /// Does nothing: nothing survives loss of power.
    public func synchronize() throws(CacheError) {}

    /// The exact number of entries and of bytes in their keys and values; no bytes on disk.
    ///
    /// - Complexity: O(1).
    public func size() throws(CacheError) -> StoreSize {
        guard let version = versions.current else { throw .closedStore }
        return StoreSize(bytesOnDisk: 0, payloadBytes: version.payloadBytes, entries: version.entries)
    }

    /// Removes everything; the memory is freed before this returns, where no view is open.
    ///
    /// - Complexity: O(*n*).
    public func wipe() throws(CacheError) {
        guard versions.current != nil else { throw .closedStore }
        versions.clear()
    }

    /// Frees everything, what open views reach excepted; later calls throw `closed`.
    public func close() { versions.close() }
}
