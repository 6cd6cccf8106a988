public import GroveModel

/// A storage engine under a ``NormalizedCache``: an ordered map from bytes to bytes with views and atomic batches.
///
/// **For authors of backends only.** Applications use ``NormalizedCache`` and never call a store. A store knows nothing
/// of models, trees or records: keys and values are bytes. It must not interpret, split or normalise them.
///
/// The cache promises to the store:
/// - ``write(_:)``, ``wipe()`` and ``close()`` are called by one thread at a time, never at once; ``view()``,
///   ``synchronize()`` and ``size()`` by any thread at any time before ``close()``.
/// - No view is used by two threads at once, and none is left open when ``close()`` or ``wipe()`` is called.
/// - Keys are 1 to 8,192 bytes long. A key longer than the engine takes is the store's business: keep the original
///   beside the value, index a hash, compare the original.
///
/// Each requirement says what the store promises to the cache, and GroveConformance checks it. The protocols
/// ``BudgetedStore`` and ``ShrinkableStore`` are for what only some engines can do.
public protocol NodeStore: AnyObject, Sendable {
    /// A consistent read view of this store.
    associatedtype View: NodeView

    /// A write transaction of this store.
    associatedtype Transaction: NodeTransaction

    /// The options with which the store is opened; two handles on one directory need equal options.
    associatedtype Options: Sendable, Equatable

    /// The capabilities of this backend, for users to read and for the kit to check.
    static var profile: BackendProfile { get }

    /// Whether the store makes the file called `name` in its directory.
    ///
    /// If a damaged store is set aside, or another store takes its place, these files are removed and no others. By
    /// default, every file counts but those whose names begin with a dot, and those that operating systems make.
    static func owns(file name: String) -> Bool

    /// Opens the store in `directory`, which exists and is writable, or makes a new one there.
    ///
    /// The cache has marked the directory as Grove's. If the profile's ``BackendProfile/mainFile`` is there,
    /// `notAStore` and `corrupted` both say that the file is damaged: the cache may set all files aside and open the
    /// store again.
    ///
    /// - Parameter directory: a path; `nil` only for a backend that is not persistent.
    /// - Throws: ``CacheError`` with code `locked` if another process holds the store; `notAStore` if the directory
    ///   holds something else; `corrupted`, `unsupportedFormat`, `inputOutput`, `permissionDenied` or `full`.
    init(directory: String?, options: Options) throws(CacheError)

    /// Opens a view of the last committed state: no later commit shows in it, and it never waits for a writer.
    ///
    /// - Complexity: O(1). It should reuse handles: the cache opens a view for each read.
    func view() throws(CacheError) -> View

    /// Runs `body` in a write transaction; commits if `body` returns, aborts if it throws.
    ///
    /// A commit is atomic: views see all of it or none, and so does a process that opens the store after this one was
    /// killed. When `write` returns, a new ``view()`` shows the commit. If it throws, nothing was committed.
    ///
    /// - Throws: the error of `body`, or ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `locked`.
    func write(_ body: (Transaction) throws(CacheError) -> Void) throws(CacheError)

    /// Returns when everything committed so far survives loss of power.
    func synchronize() throws(CacheError)

    /// The size of the store now.
    func size() throws(CacheError) -> StoreSize

    /// Removes everything; afterwards no file in the directory holds a byte of the old content.
    func wipe() throws(CacheError)

    /// Releases every file, lock and thread; called once.
    func close()
}

/// A consistent read view of a ``NodeStore``, used by one thread at a time.
public protocol NodeView: AnyObject {
    /// Whether the bytes that ``get(_:)`` returns stay valid until the view ends, and not only until its next call.
    ///
    /// It is true for a memory map or for values in memory: the cache then decodes in place. It must be a constant.
    static var keepsBytes: Bool { get }

    /// The value stored under `key`, or `nil` if there is none.
    ///
    /// - Returns: bytes that are valid until the next call on this view or its end; see ``keepsBytes``. A stored
    ///   value of no bytes is an empty buffer, never `nil`.
    /// - Throws: ``CacheError`` with code `corrupted` or `inputOutput`.
    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer?

    /// Visits every key that begins with `prefix` and its value, in the order of the keys' bytes.
    ///
    /// The visit ends if `visit` returns false. The bytes are valid only during the call of `visit`, which must not
    /// call this view.
    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError)

    /// Visits as ``scan(prefix:_:)`` does, but only the keys that come after `start`, which need not be there.
    ///
    /// By default all keys with the prefix are passed over. A backend that keeps keys in order begins at `start`.
    func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError)

    /// Ends the view; it is not used again.
    func end()
}

/// A write transaction of a ``NodeStore``: a view that sees its own writes.
///
/// It is valid only inside the closure of ``NodeStore/write(_:)``. ``NodeView/end()`` is not called on it.
public protocol NodeTransaction: NodeView {
    /// Stores `value` under `key`, in place of the value that was there.
    ///
    /// Neither points into bytes that this transaction returned.
    ///
    /// - Throws: ``CacheError`` with code `full`, `tooLarge`, `inputOutput` or `corrupted`.
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError)

    /// Removes `key` and its value; it is not an error if the key is not there.
    func remove(_ key: UnsafeRawBufferPointer) throws(CacheError)
}

extension NodeView {
    /// Passes over the keys up to `start`.
    public func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe scan(prefix: prefix) { (key, value) throws(CacheError) in
            guard unsafe start.lexicographicallyPrecedes(key) else { return true }
            return try unsafe visit(key, value)
        }
    }
}

extension NodeStore {
    /// Whether the name does not begin with a dot and is not that of a file which operating systems make.
    public static func owns(file name: String) -> Bool { !name.hasPrefix(".") && !StoreFiles.isOfSystem(name) }
}
