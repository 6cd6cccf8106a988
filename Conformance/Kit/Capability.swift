/// Something that a rule needs and that not every backend or harness has.
///
/// A rule that needs what is not there is skipped, and the skip names it.
public struct Capability: Hashable, Sendable, CustomStringConvertible {
    /// The capability's name, as a skip prints it.
    public let description: String

    /// Makes a capability of that name.
    public init(_ description: String) { self.description = description }

    // Declared by the backend's profile.

    /// The content outlives the process.
    public static let persistent = Capability("persistent")
    /// Committed writes survive the process being killed.
    public static let survivesCrash = Capability("survivesCrash")
    /// A second process sees commits.
    public static let multiProcess = Capability("multiProcess")
    /// The backend keeps a budget.
    public static let evicting = Capability("evicting")
    /// Readers go on while a large write commits.
    public static let readersNeverStall = Capability("readersNeverStall")
    /// The store can be opened so that it holds little: its engine has a limit of its own.
    public static let bounded = Capability("bounded")
    /// A store that exists opens while the disk is full.
    public static let opensOnFullDisk = Capability("opensOnFullDisk")
    /// The engine's pages carry no checksum.
    public static let unverifiedPages = Capability("unverifiedPages")

    // Supplied by the harness; one for a store supplies them all, one for a bare delegate some.

    /// Typed reads and writes that say why they missed and what they changed.
    public static let typedCalls = Capability("typedCalls")
    /// Waiting until what was queued is committed.
    public static let flush = Capability("flush")
    /// Closing a cache.
    public static let close = Capability("close")
    /// Opening the same place a second time.
    public static let reopen = Capability("reopen")
    /// Emptying a cache.
    public static let wipe = Capability("wipe")
    /// Letting go of the store and taking it up again.
    public static let suspend = Capability("suspend")
    /// Forgetting one node or one tombstone, as eviction would.
    public static let evict = Capability("evict")
    /// Being told of misses, failures and commits.
    public static let observer = Capability("observer")
    /// Streams of changes, a history of commits, and statistics.
    public static let changes = Capability("changes")
    /// Keeping each identified model once, so that a change of one shows in every tree and list that holds it.
    ///
    /// A delegate that stores trees whole, as RocketData allowed, does not list it; the rules that need it are skipped, and do
    /// not count against it.
    public static let normalizes = Capability("normalizes")
    /// Reading and writing the stored bytes, and counting what the store is asked to do.
    public static let storedBytes = Capability("storedBytes")
    /// Making the store fail or wait.
    public static let faults = Capability("faults")
    /// A directory that the rule may look at.
    public static let directory = Capability("directory")
    /// Starting processes that work on the same store.
    public static let processes = Capability("processes")
    /// Killing a process at a system call, or making the call fail: a C compiler on a system that preloads libraries.
    public static let systemFaults = Capability("systemFaults (a C compiler, on Linux)")

    /// Mounting a small file system for a process, to be filled.
    public static let smallDisk = Capability("smallDisk (a mount of tmpfs through unshare, on Linux)")

    /// What a profile declares, and what follows from it: a rule that needs what a backend does not claim to be says
    /// nothing about it, while one that needs what its harness could supply is a gap.
    public static let ofProfiles: Set<Capability> = [
        .persistent, .survivesCrash, .multiProcess, .evicting, .readersNeverStall, .unverifiedPages, .opensOnFullDisk,
        .bounded, .normalizes,
    ]

    /// What a harness for a store supplies.
    public static let ofStores: Set<Capability> = [
        .typedCalls, .flush, .close, .reopen, .wipe, .suspend, .evict, .observer, .storedBytes, .faults, .changes,
        .normalizes,
    ]

    /// What a harness for any other delegate may supply.
    public static let ofDelegates: Set<Capability> = [.flush, .close, .reopen, .wipe, .evict, .normalizes]
}
