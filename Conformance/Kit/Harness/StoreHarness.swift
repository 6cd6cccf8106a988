public import GroveCache
public import GroveModel

/// What the author of a ``NodeStore`` supplies for it to be checked.
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

    /// Makes a harness; those of a third party's executable are made by the kit.
    init()

    /// How the store is opened.
    var options: Store.Options { get }

    /// How the store is opened so that it is full at a few megabytes, or `nil` where its engine has no limit of its own.
    var smallOptions: Store.Options? { get }

    /// How the store is opened so that it waits for other processes' locks for some tenths of a second; by default as ever.
    var impatientOptions: Store.Options { get }

    /// A new, empty directory for a store, or `nil` for a store that lives in memory.
    ///
    /// The default makes one among the system's temporary files where the profile says `isPersistent`.
    func makeDirectory() throws(CacheError) -> String?

    /// Removes a directory that ``makeDirectory()`` made, and everything in it.
    func removeDirectory(_ directory: String)
}

extension StoreHarness {
    /// No limit.
    public var smallOptions: Store.Options? { nil }

    /// As ever.
    public var impatientOptions: Store.Options { options }

    /// A directory among the system's temporary files, or `nil` for a store that is not persistent.
    public func makeDirectory() throws(CacheError) -> String? {
        Store.profile.isPersistent ? try TemporaryDirectory.make() : nil
    }

    /// Removes the directory and everything in it.
    public func removeDirectory(_ directory: String) { TemporaryDirectory.remove(directory) }
}
