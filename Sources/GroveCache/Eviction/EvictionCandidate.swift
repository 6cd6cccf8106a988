import GroveCoding
import GroveModel

/// A record that a look has found, with all that is needed to evict it.
struct EvictionCandidate {
    let key: [UInt8]
    let hash: UInt64
    /// The time at which it was written, as ``WriteClock`` counts it; `nil` for longer ago than is known.
    let written: UInt64?
    /// The score by which it goes: the greater, the sooner.
    let score: Double
    /// The bytes that go with it.
    var weight = 0
}

/// The candidates that a follower shows: they go last.
struct ShownCandidates {
    /// The factor by which a part of a list goes after models: without it the list's elements are unknown, and it
    /// cannot be edited.
    private static let listFactor = 1e-6
    /// The number of known candidates at which there is a search again, if nothing else may go.
    private static let few = 16

    private var candidates: [EvictionCandidate] = []
    private var hashes: Set<UInt64> = []
    /// Whether the last search found no candidate but shown ones.
    private var isAll = false
    /// The least value of a known candidate that goes without a search.
    private var enough = 0.0

    var isEmpty: Bool { candidates.isEmpty }

    /// Whether the record whose key has the hash `hash` is known already.
    func contains(_ hash: UInt64) -> Bool { hashes.contains(hash) }

    mutating func add(_ candidate: EvictionCandidate) {
        candidates.append(candidate)
        hashes.insert(candidate.hash)
    }

    /// The candidate that goes without a search, if the last search found nothing else.
    ///
    /// Its value must be at least half of the value of the candidate that went after that search.
    mutating func takeKnown(now: UInt64) -> EvictionCandidate? {
        guard isAll, candidates.count > ShownCandidates.few, let place = worst(now: now),
            value(of: candidates[place], now: now) >= enough
        else { return nil }
        return remove(place)
    }

    /// The candidate that goes after a search.
    mutating func takeWorst(now: UInt64) -> EvictionCandidate? {
        isAll = true
        guard let place = worst(now: now) else { return nil }
        enough = value(of: candidates[place], now: now) / 2
        return remove(place)
    }

    private func worst(now: UInt64) -> Int? {
        candidates.indices.max { value(of: candidates[$0], now: now) < value(of: candidates[$1], now: now) }
    }

    /// The value of letting a candidate go: the older and larger, the more, so that little is missed for the bytes.
    ///
    /// A shown model is in memory and is not read again: its hits say nothing.
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

    /// Notes that a search found a candidate that no follower shows.
    mutating func foundOther() { isAll = false }
}

/// The fields of a record that a look reads, without checking its checksum: a damaged one only makes another record go.
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

/// The names of the records that went to make room.
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
