/// The capabilities that a backend declares, for users who choose one; the conformance kit checks them.
public struct BackendProfile: Sendable, Equatable {
    /// The backend's name, in lower case, as the tool spells it.
    public var name: String

    /// Whether the content outlives the process.
    public var isPersistent: Bool

    /// Whether committed writes survive the process being killed at any instant.
    public var survivesCrash: Bool

    /// Whether a second process can open the store at the same time and sees commits; otherwise opening throws
    /// `locked`.
    public var isMultiProcess: Bool

    /// Whether a cache over the backend can have a budget, and evicts records to keep it.
    public var isEvicting: Bool

    /// Whether readers go on at full speed while a large write commits.
    public var readersNeverStall: Bool

    /// Whether the engine's own pages carry no checksum: a damaged file may end the process, or show an older whole
    /// record.
    public var hasUnverifiedPages: Bool

    /// Whether a store that exists opens while the disk is full, so that it can be read.
    public var opensOnFullDisk: Bool

    /// The name of the store's main file in the directory: if another file comes to have that name, the store was
    /// replaced.
    ///
    /// The file exists as soon as the store is open. Only ``NodeStore/wipe()`` and ``ShrinkableStore/shrink(_:)`` of a
    /// store that several processes may open replace it, and the cache knows of those.
    ///
    /// If it is `nil`, the cache compares the directory of a store that only one process may open, and its own file
    /// beside a store that several may open. It then does not notice if the directory of the former is emptied in
    /// place.
    public var mainFile: String?

    /// The names of files that are beside ``mainFile`` as long as any process has the store open.
    ///
    /// If one is gone, durable writes throw `inputOutput`, and so does opening while another process has the store
    /// open.
    public var companions: [String]

    /// The largest value in bytes, the record's envelope included.
    public var maxValueBytes: Int

    /// The share of a budget in bytes that live keys and values can fill; 0 if the backend does not evict.
    public var livePayloadShare: Double

    /// The share of the live keys and values that one transaction can change at least, even if the store is full.
    ///
    /// See ``Cache/write(durability:_:)``.
    public var transactionShare: Double

    /// The smallest budget in bytes that a cache may have; 1 if any budget works.
    ///
    /// Within this budget or a larger one, every write of up to 64 KB is stored, and older records are evicted for it.
    public var leastBudgetBytes: Int

    /// Makes a profile.
    public init(
        name: String, isPersistent: Bool, survivesCrash: Bool, isMultiProcess: Bool, isEvicting: Bool = false,
        readersNeverStall: Bool, hasUnverifiedPages: Bool = false, opensOnFullDisk: Bool = false,
        mainFile: String? = nil, companions: [String] = [], maxValueBytes: Int, livePayloadShare: Double = 0,
        transactionShare: Double = 0.25,
        leastBudgetBytes: Int = 1
    ) {
        self.name = name
        self.isPersistent = isPersistent
        self.survivesCrash = survivesCrash
        self.isMultiProcess = isMultiProcess
        self.isEvicting = isEvicting
        self.readersNeverStall = readersNeverStall
        self.hasUnverifiedPages = hasUnverifiedPages
        self.opensOnFullDisk = opensOnFullDisk
        self.mainFile = mainFile
        self.companions = companions
        self.maxValueBytes = maxValueBytes
        self.livePayloadShare = livePayloadShare
        self.transactionShare = transactionShare
        self.leastBudgetBytes = leastBudgetBytes
    }
}
