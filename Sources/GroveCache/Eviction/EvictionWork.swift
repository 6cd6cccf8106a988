import GroveModel

/// The work of one transaction for the budget.
struct EvictionWork {
    /// The evictor, if there is a budget.
    let evictor: Evictor?
    /// Whether a follower shows the model or the list.
    let shows: (@Sendable (ShownItem) -> Bool)?
    /// The time, in seconds since 1970, by which records are expired.
    let clock: Double
    /// The numbers of the calls whose records are not evicted: the call that is under way, or all calls of a user's
    /// transaction.
    var ownNumbers = CallNumber.max...CallNumber.max
    /// The hashes of the keys that these calls name and whose records have other numbers.
    var own: Set<UInt64> = []
    /// The candidates that a follower shows: they go last.
    var shown = ShownCandidates()
    /// Whether a record stays until as many bytes as it has were written after it, even if nothing else may go.
    var sparesYoung = false
    /// The most bytes of a record that goes.
    var largest = Int.max
    /// Whether some records stay though they may go.
    var isChoosy: Bool { sparesYoung || largest < .max }
    /// The number of records that the transaction's calls write, and the number that may have been evicted beside them.
    private var entryCount = 0
    private var softEvictions = 0

    init(_ evictor: Evictor? = nil, clock: Double = .nan, shows: (@Sendable (ShownItem) -> Bool)? = nil) {
        (self.evictor, self.clock, self.shows) = (evictor, clock, shows)
    }

    /// The most records that a transaction that writes `entries` evicts, beside those that must go at once.
    static func evictions(beside entries: Int) -> Int { min(entries + 48, 96) }

    /// The number of records that may go beside the next call, which writes `entries`; the rest goes with later ones,
    /// so that no transaction becomes much larger than its calls.
    mutating func evictions(besideNext entries: Int) -> Int {
        entryCount += entries
        let most = min(EvictionWork.evictions(beside: entryCount) - softEvictions, 2 * entries + 16)
        softEvictions += most
        return most
    }

    /// Whether the record of call `number`, whose key has the hash `hash`, must stay or is known to be shown.
    func mustStay(_ hash: UInt64, _ number: CallNumber) -> Bool {
        evictor?.pins.isMarked(hash) == true || shown.contains(hash) || ownNumbers.contains(number)
            || !own.isEmpty && own.contains(hash)
    }
}
