public import GroveCache
public import GroveModel

/// The adapter through which the kit checks a ``NodeStore``; the author of the store supplies it.
///
/// ```swift
/// struct MyHarness: StoreHarness {
///     let options = MyOptions()
///     typealias Store = MyStore
/// }
/// ```
public protocol StoreHarness: Sendable {
    /// The store.
    associatedtype Store: NodeStore

    /// Makes a harness; the kit calls this in the executable that checks the store.
    init()

    /// The options with which the store is opened.
    var options: Store.Options { get }

    /// Options with a limit of a few megabytes; `nil` if the engine has no limit of its own.
    var smallOptions: Store.Options? { get }

    /// Options with which the store waits only some tenths of a second for the locks of other processes.
    ///
    /// By default, these are ``options``.
    var impatientOptions: Store.Options { get }

    /// A new, empty directory for a store; `nil` for a store that lives in memory.
    ///
    /// If the profile has `isPersistent`, the default makes a directory among the system's temporary files.
    func makeDirectory() throws(CacheError) -> String?

    /// Removes a directory that ``makeDirectory()`` made, and everything in it.
    func removeDirectory(_ directory: String)
}

extension StoreHarness {
    /// By default, `nil`: the engine has no limit of its own.
    public var smallOptions: Store.Options? { nil }

    /// By default, the same as ``options``.
    public var impatientOptions: Store.Options { options }

    /// A directory among the system's temporary files; `nil` for a store that is not persistent.
    public func makeDirectory() throws(CacheError) -> String? {
        Store.profile.isPersistent ? try TemporaryDirectory.make() : nil
    }

    /// Removes the directory and everything in it.
    public func removeDirectory(_ directory: String) { TemporaryDirectory.remove(directory) }
}
