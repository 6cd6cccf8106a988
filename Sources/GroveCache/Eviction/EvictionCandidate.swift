import GroveModel

/// A record that a look has found: what is needed to evict it.
struct EvictionCandidate {
    let key: [UInt8]
    let hash: UInt64
    /// When it was written, in the time of ``WriteClock``; `nil` for longer ago than is known.
    let written: UInt64?
    /// The greater, the sooner it goes.
    let score: Double
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
