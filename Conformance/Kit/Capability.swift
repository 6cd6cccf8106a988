/// An ability that some rules need and that not every backend or harness has.
///
/// A rule that needs a missing capability is skipped, and the skip names the capability.
public struct Capability: Hashable, Sendable, CustomStringConvertible {
    /// The capability's name, as a skip prints it.
    public let description: String

    /// Makes a capability from its name.
    package init(_ description: String) { self.description = description }

    // Declared by the backend's profile.

    /// The content is still there after the process has ended.
    package static let persistent = Capability("persistent")
    /// Committed writes are still there after the process was killed.
    package static let survivesCrash = Capability("survivesCrash")
    /// Several processes can use one store and see each other's commits.
    package static let multiProcess = Capability("multiProcess")
    /// The backend keeps a budget.
    package static let evicting = Capability("evicting")
    /// Readers do not wait while a large write commits.
    package static let readersNeverStall = Capability("readersNeverStall")
    /// The store can be opened with a small limit, which its engine keeps.
    package static let bounded = Capability("bounded")
    /// An existing store can be opened while the disk is full.
    package static let opensOnFullDisk = Capability("opensOnFullDisk")
    /// The engine's pages carry no checksum.
    package static let unverifiedPages = Capability("unverifiedPages")

    // Supplied by the harness: a harness of a store supplies all of them, one of a delegate some.

    /// Typed reads that say why they missed, and typed writes that say what they changed.
    package static let typedCalls = Capability("typedCalls")
    /// Waiting until all queued writes are committed.
    public static let flush = Capability("flush")
    /// Closing a cache.
    public static let close = Capability("close")
    /// Opening the same place a second time.
    public static let reopen = Capability("reopen")
    /// Removing all content of a cache.
    public static let wipe = Capability("wipe")
    /// Closing the store of a cache for a while, and opening it again.
    package static let suspend = Capability("suspend")
    /// Evicting one node or one tombstone.
    public static let evict = Capability("evict")
    /// Observing misses, failures and commits.
    package static let observer = Capability("observer")
    /// Streams of changes, a history of commits, and statistics.
    package static let changes = Capability("changes")
    /// Storing each identified model once, so that a change to it shows in every tree and list that holds it.
    ///
    /// A delegate that stores trees whole, as RocketData allowed, does not list this. The rules that need it are
    /// skipped, which is not a failure.
    public static let normalizes = Capability("normalizes")
    /// Reading and writing the stored bytes, and counting the calls of the store.
    package static let storedBytes = Capability("storedBytes")
    /// Making the store fail or wait.
    package static let faults = Capability("faults")
    /// A directory whose files the rule may read.
    package static let directory = Capability("directory")
    /// Starting processes that work on the same store.
    package static let processes = Capability("processes")
    /// Killing a process at a system call, or making the call fail.
    ///
    /// This needs a C compiler and a system that preloads libraries.
    package static let systemFaults = Capability("systemFaults (a C compiler, on Linux)")

    /// Mounting a small file system for a process, so that a rule can fill it.
    package static let smallDisk = Capability("smallDisk (a mount of tmpfs through unshare, on Linux)")

    /// The capabilities that a profile declares, and those that follow from it.
    ///
    /// If one of these is missing, a rule that needs it does not apply to the backend. If any other is missing, the
    /// harness could have supplied it, so the skip counts against the backend.
    package static let ofProfiles: Set<Capability> = [
        .persistent, .survivesCrash, .multiProcess, .evicting, .readersNeverStall, .unverifiedPages, .opensOnFullDisk,
        .bounded, .normalizes,
    ]

    /// The capabilities that a harness of a store supplies.
    package static let ofStores: Set<Capability> = [
        .typedCalls, .flush, .close, .reopen, .wipe, .suspend, .evict, .observer, .storedBytes, .faults, .changes,
        .normalizes,
    ]

    /// The capabilities that a harness of a delegate may supply.
    package static let ofDelegates: Set<Capability> = [.flush, .close, .reopen, .wipe, .evict, .normalizes]
}
