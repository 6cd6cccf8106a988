import GroveModel
import Synchronization

/// When records that were not written since were confirmed: by rewrites that changed nothing.
///
/// An entry is about one projection's content under one key as one call wrote it: its hash is over all three, so that it
/// says nothing of what is written there later, or was there before. 16 bytes a slot, at most two megabytes; past that the
/// older half goes, which makes what it was about as old as its last write.
final class Confirmations: Sendable {
    fileprivate struct State {
        var times = FingerprintTable()
        /// Counts how often everything was forgotten.
        var epoch = 0
        var changes = 0
    }

    private let state = Mutex(State())

    /// The most entries: what fits into 131,072 slots.
    static let most = 114_688

    /// The hash of what the call `place` wrote under `key`, of a node as the projection with that name.
    static func hash(_ key: UnsafeRawBufferPointer, _ projection: UnsafeRawBufferPointer, _ place: UInt64) -> UInt64 {
        unsafe hash64(projection, seed: seed(key, place))
    }

    /// The same of what is no node.
    static func hash(_ key: UnsafeRawBufferPointer, _ place: UInt64) -> UInt64 {
        unsafe hash(key, UnsafeRawBufferPointer(start: nil, count: 0), place)
    }

    private static func seed(_ key: UnsafeRawBufferPointer, _ place: UInt64) -> UInt64 {
        unsafe hash64(key, seed: place &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Counts how often everything was forgotten.
    var epoch: Int { state.withLock { $0.epoch } }

    /// How many there are.
    var count: Int { state.withLock { $0.times.count } }

    /// How many came since they were last saved.
    var changes: Int { state.withLock { $0.changes } }

    /// When the content with that hash was last confirmed, `nil` where it was not.
    func time(_ hash: UInt64) -> Double? { state.withLock { $0.times.find(hash).map(Double.init(bitPattern:)) } }

    /// Notes what calls confirmed, unless everything was forgotten since `epoch`.
    ///
    /// - Parameter line: tells when the calls were made.
    func note(_ calls: [(hash: UInt64, number: UInt64)], line: AgeLine, epoch: Int) {
        var last: (number: UInt64, time: Double?)?
        state.withLock { state in
            guard state.epoch == epoch else { return }
            for call in calls {
                if last?.number != call.number { last = (call.number, line.time(of: call.number)) }
                if let time = last?.time { state.set(call.hash, time) }
            }
        }
    }

    /// Takes up what was saved, unless everything was forgotten since `epoch`; what came since counts.
    func restore(_ saved: [(hash: UInt64, time: Double)], epoch: Int) {
        state.withLock { state in
            guard state.epoch == epoch else { return }
            for entry in saved where state.times.find(entry.hash) == nil { state.set(entry.hash, entry.time) }
            state.changes = 0
        }
    }

    /// All of them, and that they are saved.
    func takeAll() -> [(hash: UInt64, time: Double)] {
        let times = state.withLock { state in
            state.changes = 0
            return state.times
        }
        var all: [(hash: UInt64, time: Double)] = []
        all.reserveCapacity(times.count)
        times.forEach { all.append(($0, Double(bitPattern: $1))) }
        return all
    }

    /// Forgets everything.
    func removeAll() {
        state.withLock { state in
            state.times.removeAll()
            state.epoch += 1
            state.changes += 1
        }
    }
}

extension Confirmations.State {
    /// Notes a time, unless a later one is known.
    fileprivate mutating func set(_ hash: UInt64, _ time: Double) {
        var isLater = false
        let isKnown = times.replace(hash, with: time.bitPattern) { known in
            isLater = Double(bitPattern: known) < time
            return isLater
        }
        if !isKnown {
            if times.count >= Confirmations.most { removeOlderHalf() }
            times.set(hash, time.bitPattern)
        }
        if isLater || !isKnown { changes += 1 }
    }

    private mutating func removeOlderHalf() {
        var all: [(hash: UInt64, time: Double)] = []
        times.forEach { all.append(($0, Double(bitPattern: $1))) }
        // Entries of one time come in the order of their slots. Were a run of neighbouring slots kept, or put back in that
        // order, it would fill a part of the table, and every look-up there would walk through all of it.
        all.sort { ($0.time, $0.hash.byteSwapped) > ($1.time, $1.hash.byteSwapped) }
        times.removeAll()
        for entry in all.prefix(Confirmations.most / 2) { times.set(entry.hash, entry.time.bitPattern) }
    }
}
