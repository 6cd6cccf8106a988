public import GroveCache
public import GroveMemory
public import GroveModel

/// A ``MemoryStore`` that fails as its ``StoreFaults`` say.
///
/// A transaction that fails commits nothing. Everything else is as in ``MemoryStore``.
public final class TestStore: BudgetedStore {
    /// The faults with which a store is opened.
    public struct Options: Sendable, Equatable {
        /// The faults.
        public let faults: StoreFaults

        /// Makes options with `faults`.
        public init(faults: StoreFaults) { self.faults = faults }

        /// Whether both have the same faults object.
        public static func == (left: Options, right: Options) -> Bool { left.faults === right.faults }
    }

    /// The abilities of the backend in memory.
    public static var profile: BackendProfile { MemoryStore.profile }

    private let base: MemoryStore
    private let faults: StoreFaults

    /// Makes an empty store; `directory` is not used.
    public init(directory: String?, options: Options) throws(CacheError) {
        base = try MemoryStore()
        faults = options.faults
    }

    /// Makes an empty store; `directory` and `budget` are not used.
    public convenience init(directory: String?, options: Options, budget: Int) throws(CacheError) {
        try self.init(directory: directory, options: options)
    }

    /// Opens a view of the last committed state.
    ///
    /// - Throws: the error of ``StoreFaults/failReads(with:)``, or ``CacheError`` with code `closed`.
    public func view() throws(CacheError) -> MemoryView {
        try faults.checkRead()
        return try base.view()
    }

    /// Runs `body` in a write transaction.
    ///
    /// - Throws: the error of `body`, that of ``StoreFaults/failWrites(with:)``, or ``CacheError`` with code `closed`.
    public func write(_ body: (MemoryTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try base.write { (transaction) throws(CacheError) in
            try body(transaction)
            try faults.checkWrite()
        }
    }

    /// Does nothing, as in memory.
    public func synchronize() throws(CacheError) { try base.synchronize() }

    /// The size, as in memory.
    public func size() throws(CacheError) -> StoreSize { try base.size() }

    /// Removes everything.
    ///
    /// - Throws: the error of ``StoreFaults/failWrites(with:)``, or ``CacheError`` with code `closed`.
    public func wipe() throws(CacheError) {
        try faults.checkWrite()
        try base.wipe()
    }

    /// Frees the content; later calls throw `closed`.
    public func close() { base.close() }

    /// Returns `bytes`, as in memory.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int { try base.setBudget(bytes) }

    /// Returns true, as in memory.
    public func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool { try base.makeRoom(for: load) }

    /// The limit, as in memory.
    public func payloadLimit(holding payload: Int) -> Int { base.payloadLimit(holding: payload) }

    /// Returns 0: there are no files.
    public func bytesOnDisk() throws(CacheError) -> Int { try base.bytesOnDisk() }
}
