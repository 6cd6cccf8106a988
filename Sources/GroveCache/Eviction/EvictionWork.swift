import GroveModel

/// The work of one transaction for the budget.
struct EvictionWork {
    /// The evictor, if there is a budget.
    let evictor: Evictor?
    /// Whether a follower shows something.
    let shows: (@Sendable (ShownItem) -> Bool)?
    /// The time, in seconds since 1970, by which records are expired.
    let clock: Double
    /// The numbers of the calls whose records are not evicted: of the call that is under way, or of all of a user's transaction.
    var ownNumbers = CallNumber.max...CallNumber.max
    /// The hashes of other keys whose records stay: of chunks that the calls write, of records that they confirm, and of spared ones.
    var own: Set<UInt64> = []
    /// The records that may go, and that a follower shows: they go last.
    var shown = ShownCandidates()
    /// Whether a record stays until as many bytes were written after it as it has, also if nothing else may go.
    var sparesYoung = false
    /// No record of more bytes goes.
    var largest = Int.max
    /// Whether some records stay though they may go.
    var isChoosy: Bool { sparesYoung || largest < .max }
    /// How many records the transaction's calls write, and how many may have been evicted beside them.
    private var entryCount = 0
    private var softEvictions = 0

    init(_ evictor: Evictor? = nil, clock: Double = .nan, shows: (@Sendable (ShownItem) -> Bool)? = nil) {
        (self.evictor, self.clock, self.shows) = (evictor, clock, shows)
    }

    /// How many records a transaction that writes `entries` evicts at most, beside what must go at once.
    static func evictions(beside entries: Int) -> Int { min(entries + 48, 96) }

    /// How many records may go beside the next call, which writes `entries`; the rest goes with later ones, so that no transaction becomes
    /// much larger than what it is about.
    mutating func evictions(besideNext entries: Int) -> Int {
        entryCount += entries
        let most = min(EvictionWork.evictions(beside: entryCount) - softEvictions, 2 * entries + 16)
        softEvictions += most
        return most
    }

    /// Whether the record of call `number`, whose key has the hash `hash`, is not to go, or is known to be shown.
    func mustStay(_ hash: UInt64, _ number: CallNumber) -> Bool {
        evictor?.pins.isMarked(hash) == true || shown.contains(hash) || ownNumbers.contains(number)
            || !own.isEmpty && own.contains(hash)
    }
}
