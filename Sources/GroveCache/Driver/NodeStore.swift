public import GroveModel

/// A storage engine under a ``NormalizedCache``: an ordered map from bytes to bytes with views and atomic batches.
///
/// **For authors of backends only.** Applications use ``NormalizedCache`` and never call a store. A store knows nothing
/// of models, trees or records: keys and values are bytes. It must not interpret, split or normalise them.
///
/// What the cache promises to the store:
/// - ``write(_:)``, ``wipe()`` and ``close()`` are called by one thread at a time, never at once; ``view()``,
///   ``synchronize()`` and ``size()`` by any thread at any time before ``close()``.
/// - No view is used by two threads at once, and none is left open when ``close()`` or ``wipe()`` is called.
/// - Keys are 1 to 8,192 bytes long. A key longer than the engine takes is the store's business: keep the original
///   beside the value, index a hash, compare the original.
///
/// What the store promises to the cache is said at each requirement and checked by GroveConformance.
public protocol NodeStore: AnyObject, Sendable {
    /// A consistent read view of this store.
    associatedtype View: NodeView

    /// A write transaction of this store.
    associatedtype Transaction: NodeTransaction

    /// How the store is opened; two handles on one directory need equal options.
    associatedtype Options: Sendable, Equatable

    /// What this backend can do, for users to read and for the kit to check.
    static var profile: BackendProfile { get }

    /// The name of the file in the directory that is the store: where another file has that name, the store was replaced.
    ///
    /// It is there from the opening on, and stays the same one but for ``wipe()`` and ``shrink(_:)`` of a store that several
    /// processes may open, of which the cache knows. The default is `nil`: the cache then
    /// looks at the directory of a store that a single process may open, and at the file of the word that it keeps beside
    /// one that several may, so that what empties the directory of the former in place goes unnoticed.
    static var mainFile: String? { get }

    /// Opens the store in `directory`, which exists and is writable, or makes a new one there.
    ///
    /// The cache has marked the directory as Grove's. Where ``mainFile`` is there, `notAStore` and `corrupted` say that it is
    /// damaged, and the cache may set all files aside and open the store again.
    ///
    /// - Parameter directory: a path; `nil` only for a backend that is not persistent.
    /// - Throws: ``CacheError`` with code `locked` where another process holds it, `notAStore` where the directory holds
    ///   something else, `corrupted` or `unsupportedFormat` where it cannot be opened, `inputOutput`,
    ///   `permissionDenied`, `full`.
    init(directory: String?, options: Options) throws(CacheError)

    /// Opens the store, of which ``setBudget(_:)`` is about to ask `budget`, or less where it had to be made anew.
    ///
    /// For an engine whose files or buffers a budget shapes, so that it need not be opened a second time for that; nothing
    /// is asked to make room before ``setBudget(_:)``. By default the store is opened as without.
    ///
    /// - Throws: as the other one.
    init(directory: String?, options: Options, budget: Int) throws(CacheError)

    /// Opens a view of the last committed state: no later commit shows in it, and it never waits for a writer.
    ///
    /// - Complexity: O(1). It should reuse handles: the cache opens a view for each read.
    func view() throws(CacheError) -> View

    /// Runs `body` in a write transaction; commits when it returns, aborts when it throws.
    ///
    /// A commit is atomic: views see all of it or none, and so does a process that opens the store after this one was
    /// killed. When `write` returns, a new ``view()`` shows the commit. When it throws, nothing was committed.
    ///
    /// - Throws: what `body` threw, or ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `locked`.
    func write(_ body: (Transaction) throws(CacheError) -> Void) throws(CacheError)

    /// Returns when everything committed so far survives loss of power.
    func synchronize() throws(CacheError)

    /// The size of the store now.
    func size() throws(CacheError) -> StoreSize

    /// Removes everything; afterwards no file in the directory holds a byte of the old content.
    func wipe() throws(CacheError)

    /// Lets go of every file, lock and thread. Called once.
    func close()

    // MARK: A budget. Whoever leaves these out keeps what the defaults promise: keys and values within the budget.

    /// Keeps the store's files within `bytes` from now on, as `du` counts them, and says how much payload fits.
    ///
    /// Called once after opening, before any write, where the cache has a budget. By default: all of them.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where the files have more already; see ``shrink(_:)``.
    func setBudget(_ bytes: Int) throws(CacheError) -> Int

    /// Makes the files about as small as what is stored allows: the budget has become smaller.
    ///
    /// Called after opening where ``setBudget(_:)`` has thrown `overBudget`, once the cache has evicted what is more than the
    /// declared share of the budget; ``setBudget(_:)`` follows, and where that throws `overBudget` still the cache starts
    /// empty. No view of this process is open. The files may take more meanwhile, by what is stored. Whoever is killed at
    /// any moment leaves the old files or the new ones, with the same content. By default nothing is done.
    ///
    /// - Parameter replacing: to be called before files are replaced that other processes may have open, at a moment at
    ///   which none of them is in a transaction that writes: they open the store anew then.
    /// - Throws: ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `locked`.
    func shrink(_ replacing: () -> Void) throws(CacheError)

    /// Sees to it that a transaction that writes `entries` records of `bytes` bytes keeps within the budget.
    ///
    /// Called by whoever writes, before it does.
    ///
    /// - Returns: false where something has to be evicted first; the cache does so and asks again. By default, true.
    /// - Throws: ``CacheError`` with code `full` where there is no room and evicting would make none for now, and what
    ///   making room failed with.
    func makeRoom(forEntries entries: Int, bytes: Int) throws(CacheError) -> Bool

    /// The same, where more is known of the transaction; by default what ``makeRoom(forEntries:bytes:)`` says.
    func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool

    /// The payload that fits, as the store is filled with `payload` bytes of it now; by default, any.
    ///
    /// - Complexity: O(1).
    func payloadLimit(holding payload: Int) -> Int

    /// The bytes that the store's files take on disk, as `du` counts them; by default what ``size()`` says.
    func bytesOnDisk() throws(CacheError) -> Int
}

extension NodeStore {
    /// Opens the store as without a budget.
    public init(directory: String?, options: Options, budget: Int) throws(CacheError) {
        try self.init(directory: directory, options: options)
    }

    /// All of `bytes`.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int { bytes }

    /// Nothing.
    public func shrink(_ replacing: () -> Void) throws(CacheError) {}

    /// True.
    public func makeRoom(forEntries entries: Int, bytes: Int) throws(CacheError) -> Bool { true }

    /// What ``makeRoom(forEntries:bytes:)`` says.
    public func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool {
        try makeRoom(forEntries: load.entries, bytes: load.bytes)
    }

    /// Any.
    public func payloadLimit(holding payload: Int) -> Int { .max }

    /// What ``size()`` says.
    public func bytesOnDisk() throws(CacheError) -> Int { try size().bytesOnDisk }
}

extension NodeStore {
    /// No file.
    public static var mainFile: String? { nil }
}

/// A consistent read view of a ``NodeStore``, used by one thread at a time.
public protocol NodeView: AnyObject {
    /// Whether the bytes that ``get(_:)`` returns stay valid until the view ends, rather than until its next call.
    ///
    /// True of a memory map or of values in memory: the cache then decodes in place. It must be a constant.
    static var keepsBytes: Bool { get }

    /// The value stored under `key`, or `nil` where there is none.
    ///
    /// - Returns: bytes that are valid until the next call on this view or its end; see ``keepsBytes``. A stored
    ///   value of no bytes is an empty buffer, never `nil`.
    /// - Throws: ``CacheError`` with code `corrupted` or `inputOutput`.
    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer?

    /// Visits every key that begins with `prefix` and its value, in the order of the keys' bytes, until `visit`
    /// returns false. The bytes are valid during the call of `visit` only, which must not call this view.
    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError)

    /// Ends the view; it is not used again.
    func end()
}

/// A write transaction of a ``NodeStore``: a view that sees its own writes.
///
/// It is valid inside the closure of ``NodeStore/write(_:)`` only. ``NodeView/end()`` is not called on it.
public protocol NodeTransaction: NodeView {
    /// Stores `value` under `key`, in place of what was there.
    ///
    /// Both may point into bytes that this transaction's ``NodeView/get(_:)`` returned last.
    ///
    /// - Throws: ``CacheError`` with code `full`, `tooLarge`, `inputOutput` or `corrupted`.
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError)

    /// Removes `key`; that it is not there is not an error.
    func remove(_ key: UnsafeRawBufferPointer) throws(CacheError)
}
