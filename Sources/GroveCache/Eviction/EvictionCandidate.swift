import GroveModel

/// A record that a look has found: what is needed to evict it.
struct EvictionCandidate {
    let key: [UInt8]
    let hash: UInt64
    /// When it was written, in the time of ``WriteClock``; `nil` for longer ago than is known.
    let written: UInt64?
    /// The greater, the sooner it goes.
    let score: Double
    /// The bytes that go with it.
    var weight = 0
}

/// What may go, and is shown by a follower: it goes last.
struct ShownCandidates {
    /// A part of a list goes after models: without it nothing can be told of its elements, nor can it be edited.
    private static let listFactor = 1e-6
    /// Where nothing else may go, there is a search once so few are left.
    private static let few = 16

    private var candidates: [EvictionCandidate] = []
    private var hashes: Set<UInt64> = []
    /// Whether the last search found nothing else.
    private var isAll = false
    /// What must be won by letting one go that is known, without a search.
    private var enough = 0.0

    var isEmpty: Bool { candidates.isEmpty }

    /// Whether it is known already, by the hash of its key.
    func contains(_ hash: UInt64) -> Bool { hashes.contains(hash) }

    mutating func add(_ candidate: EvictionCandidate) {
        candidates.append(candidate)
        hashes.insert(candidate.hash)
    }

    /// The one to go if the last search found nothing else, without another: while that wins half of what the first
    /// of it won.
    mutating func takeKnown(now: UInt64) -> EvictionCandidate? {
        guard isAll, candidates.count > ShownCandidates.few, let place = worst(now: now),
            value(of: candidates[place], now: now) >= enough
        else { return nil }
        return remove(place)
    }

    /// The one to go after a search.
    mutating func takeWorst(now: UInt64) -> EvictionCandidate? {
        isAll = true
        guard let place = worst(now: now) else { return nil }
        enough = value(of: candidates[place], now: now) / 2
        return remove(place)
    }

    private func worst(now: UInt64) -> Int? {
        candidates.indices.max { value(of: candidates[$0], now: now) < value(of: candidates[$1], now: now) }
    }

    /// What it is worth to let a candidate go: the older and larger, the more, so that little is missed for the bytes.
    ///
    /// What is shown is in memory and is not read again: how often it was hit says nothing.
    private func value(of candidate: EvictionCandidate, now: UInt64) -> Double {
        let isNode = candidate.key[0] == Namespace.node
        let age = Double(now &- min(candidate.written ?? 0, now))
        return age * Double(candidate.weight) * (isNode ? 1 : ShownCandidates.listFactor)
    }

    private mutating func remove(_ place: Int) -> EvictionCandidate {
        candidates.swapAt(place, candidates.count - 1)
        let candidate = candidates.removeLast()
        hashes.remove(candidate.hash)
        return candidate
    }

    /// Notes that something else was found.
    mutating func foundOther() { isAll = false }
}

/// What a look tells of a record, without its checksum: who believes a damaged number evicts another record than he would.
struct RecordGlance {
    let flags: RecordHeader.Flags
    let sequence: CallNumber
    let time: UInt32

    init?(_ stored: UnsafeRawBufferPointer) {
        guard stored.count >= RecordHeader.leastBytes, unsafe stored[0] == RecordHeader.formatVersion else {
            return nil
        }
        flags = unsafe RecordHeader.Flags(rawValue: stored[1])
        var reader = unsafe EnvelopeReader(UnsafeRawBufferPointer(rebasing: stored[RecordHeader.headBytes...]))
        guard let sequence = try? reader.number(), let time = try? reader.time() else { return nil }
        (self.sequence, self.time) = (sequence, time)
    }

    /// Whether the record may say when it was confirmed.
    var hasAge: Bool { time != 0 || flags.contains(.projections) }
}

/// What went to make room.
struct EvictedNames {
    var nodes: [ModelIdentifier] = []
    /// The keys of the lists of which a part went, or all.
    var lists: Set<ModelIdentifier> = []

    var isEmpty: Bool { nodes.isEmpty && lists.isEmpty }

    mutating func add(_ other: EvictedNames) {
        nodes += other.nodes
        lists.formUnion(other.lists)
    }
}

extension ModelIdentifier {
    /// The name in `key`, a store's key.
    static func named(in key: [UInt8]) -> ModelIdentifier {
        ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self))
    }
}
