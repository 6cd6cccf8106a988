/// What a backend declares of itself: read by users who choose, checked by the conformance kit.
public struct BackendProfile: Sendable, Equatable {
    /// The backend's name, in lower case, as the tool spells it.
    public var name: String

    /// Whether the content outlives the process.
    public var isPersistent: Bool

    /// Whether committed writes survive the process being killed at any instant.
    public var survivesCrash: Bool

    /// Whether a second process may open the store at once and sees commits; otherwise it is told `.locked`.
    public var isMultiProcess: Bool

    /// Whether the backend keeps a budget by evicting.
    public var isEvicting: Bool

    /// Whether readers go on at full speed while a large write commits.
    public var readersNeverStall: Bool

    /// Whether the engine's own pages carry no checksum: a damaged file may end the process, or show an older whole record.
    public var hasUnverifiedPages: Bool

    /// Whether a store that exists opens while the disk is full, so that it can be read.
    public var opensOnFullDisk: Bool

    /// The name of the file in the directory that is the store: where another file has that name, the store was replaced.
    ///
    /// It is there from the opening on, and stays the same one but for ``NodeStore/wipe()`` and
    /// ``ShrinkableStore/shrink(_:)`` of a store that several processes may open, of which the cache knows. Where it is `nil` the
    /// cache looks at the directory of a store that a single process may open, and at the file of the word that it keeps beside
    /// one that several may, so that what empties the directory of the former in place goes unnoticed.
    public var mainFile: String?

    /// The names of files that are beside ``mainFile`` as long as any process has the store open.
    ///
    /// If one is gone, durable writes throw `inputOutput`, and so does opening while another process has the store open.
    public var companions: [String]

    /// The largest value in bytes, the record's envelope included.
    public var maxValueBytes: Int

    /// The share of an eviction budget that live payload reaches, 0 where the backend does not evict.
    public var livePayloadShare: Double

    /// The share of that live payload, and so of ``livePayloadShare``, that one transaction may change at least; see
    /// ``NormalizedCache/write(durability:_:)``.
    public var transactionShare: Double

    /// The least budget in bytes that a cache may have: within it or a larger one every write of up to 64 KB is taken, and
    /// older records go for it; 1 where any budget takes what fits in it.
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
