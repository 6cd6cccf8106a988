/// Records that may have expired: those that reads with a maximum age found, and a place in the journal from which the
/// next ones are looked for.
struct ExpiryQueue {
    /// A record, by its key's hash, that was last confirmed before `oldest` when it was found.
    struct Candidate: Sendable {
        let hash: UInt64
        let oldest: Double
    }

    /// What reads found, the last first to go.
    private var found: [Candidate] = []
    /// The segment that is looked at next, and how many of its entries were.
    var segment: UInt32 = 0
    var entry = 0

    /// So many candidates wait at most.
    static let most = 4_096

    var isEmpty: Bool { found.isEmpty }

    /// Notes what reads found, as far as there is room.
    mutating func note(_ candidates: some Collection<Candidate>) {
        found.append(contentsOf: candidates.prefix(max(ExpiryQueue.most - found.count, 0)))
    }

    /// The next candidate that a read has found.
    mutating func next() -> Candidate? { found.popLast() }
}
