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
/// What the store promises to the cache is said at each requirement and checked by GroveConformance. What only some engines
/// can do is a protocol of its own: ``BudgetedStore``, ``ShrinkableStore``.
public protocol NodeStore: AnyObject, Sendable {
    /// A consistent read view of this store.
    associatedtype View: NodeView

    /// A write transaction of this store.
    associatedtype Transaction: NodeTransaction

    /// How the store is opened; two handles on one directory need equal options.
    associatedtype Options: Sendable, Equatable

    /// What this backend can do, for users to read and for the kit to check.
    static var profile: BackendProfile { get }

    /// Whether the file called `name` in the store's directory is one that the store makes.
    ///
    /// When a damaged store is set aside, or another takes its place, such files go and no others. By default, every file is
    /// but those whose names begin with a dot, or are ones that systems give to files of their own.
    static func owns(file name: String) -> Bool

    /// Opens the store in `directory`, which exists and is writable, or makes a new one there.
    ///
    /// The cache has marked the directory as Grove's. Where the profile's ``BackendProfile/mainFile`` is there, `notAStore` and `corrupted` say that it is
    /// damaged, and the cache may set all files aside and open the store again.
    ///
    /// - Parameter directory: a path; `nil` only for a backend that is not persistent.
    /// - Throws: ``CacheError`` with code `locked` where another process holds it, `notAStore` where the directory holds
    ///   something else, `corrupted` or `unsupportedFormat` where it cannot be opened, `inputOutput`,
    ///   `permissionDenied`, `full`.
    init(directory: String?, options: Options) throws(CacheError)

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

extension NodeStore {
    /// Whether the name does not begin with a dot and is not one that systems give to files of their own.
    public static func owns(file name: String) -> Bool { !name.hasPrefix(".") && !StoreFiles.isOfSystem(name) }
}
